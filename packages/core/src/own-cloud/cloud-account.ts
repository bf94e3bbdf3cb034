/** Credentials for a project's own cloud account: a role that requires the project's external id, or an access key. */
export type CloudCredentials =
  | { readonly roleArn: string; readonly externalId?: string | undefined }
  | { readonly accessKeyId: string; readonly secretAccessKey: string }

export type CloudStanding = {
  /** Mails per second that the account may send in that region. */
  readonly maxSendRate: number
  /** The given addresses of which neither the address nor the domain is verified there. */
  readonly unverified: readonly string[]
  /** Why the account cannot send there, or only to some recipients, and what to do about it; absent if it can. */
  readonly problem?: string
  /** Problems that do not prevent sending, and what to do about them: bounces are not reported, for example. */
  readonly warnings?: readonly string[]
}

/** A project's own account at the provider. */
export interface CloudAccount {
  /**
   * The state of the account in a region, for sending from these addresses.
   * @throws Refusal `invalid` with the provider's reason if the credentials are rejected
   */
  look(asked: {
    readonly projectId: string
    readonly credentials: CloudCredentials
    readonly region: string
    readonly senders: readonly string[]
  }): Promise<CloudStanding>
}
