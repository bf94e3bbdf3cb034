/** How a project's own cloud account is entered: by a role that asks for the project's external id, or by an access key. */
export type CloudCredentials =
  | { readonly roleArn: string; readonly externalId?: string | undefined }
  | { readonly accessKeyId: string; readonly secretAccessKey: string }

export type CloudStanding = {
  /** Mails per second that the account may send in that region. */
  readonly maxSendRate: number
  /** Those of the asked addresses that neither by themselves nor by their domain are verified there. */
  readonly unverified: readonly string[]
  /** Why it sends to nobody there, or to some alone, and what to do about it; absent where it sends. */
  readonly problem?: string
  /** What does not keep it from sending, and what to do about it: that nothing is heard of its bounces. */
  readonly warnings?: readonly string[]
}

/** A project's own account at the sending provider. */
export interface CloudAccount {
  /**
   * What the account is like in a region, as to sending from these addresses.
   * @throws Refusal `invalid` with the provider's reason when the credentials do not open it
   */
  look(asked: {
    readonly projectId: string
    readonly credentials: CloudCredentials
    readonly region: string
    readonly senders: readonly string[]
  }): Promise<CloudStanding>
}
