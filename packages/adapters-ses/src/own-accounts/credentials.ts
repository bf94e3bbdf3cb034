import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'
import { type CloudCredentials, invalid } from '@posthorn/core/ports'
import { type ConnectionLimits, requestHandler, standardLimits } from '../request-handler.js'
import type { AwsOptions } from '../ses-client.js'

/** How a server comes into accounts that are not its own. */
export type OwnAccountsOptions = {
  /** What the SDK would otherwise look for by itself: `AWS_ENDPOINT_URL_SESV2`. */
  readonly aws?: Pick<AwsOptions, 'endpoint'>
  /** `AWS_ENDPOINT_URL_STS`, and the credentials that roles are assumed with: the server's own. */
  readonly sts?: AwsOptions
  /** `AWS_ENDPOINT_URL_SNS`. */
  readonly sns?: Pick<AwsOptions, 'endpoint'>
  /**
   * Where this server takes what SNS posts of the events of own accounts, `https://mail.example.com/v1/ses/events`. Without it, nothing is
   * heard of what becomes of their mails.
   */
  readonly eventsUrl?: string | undefined
  /** Of each account and region: where they differ from 20 connections, 5 s to connect and 60 s for an answer. */
  readonly limits?: Partial<ConnectionLimits>
}

export const ownLimits: ConnectionLimits = { ...standardLimits, connections: 20 }

/** What an assumed role is good for, in seconds: the most that a role gives unless its owner has allowed more. */
const sessionTime = 3_600

export type SessionCredentials = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly expiration?: Date
}

/** Assumes roles, by a client for each region. */
export const roleEntrance = ({ sts, limits }: OwnAccountsOptions) => {
  const clients = new Map<string, STSClient>()
  const clientIn = (region: string): STSClient => {
    const client =
      clients.get(region) ??
      new STSClient({ ...sts, region, maxAttempts: 3, requestHandler: requestHandler({ ...ownLimits, ...limits }) })
    clients.set(region, client)
    return client
  }

  return {
    /** @throws what STS said */
    assume: async (RoleArn: string, ExternalId: string, region: string): Promise<SessionCredentials> => {
      const { Credentials } = await clientIn(region).send(
        new AssumeRoleCommand({ RoleArn, ExternalId, RoleSessionName: 'posthorn', DurationSeconds: sessionTime }),
      )
      const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {}
      if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration) throw new Error('STS gave no credentials.')
      return {
        accessKeyId: AccessKeyId,
        secretAccessKey: SecretAccessKey,
        sessionToken: SessionToken,
        expiration: Expiration,
      }
    },
    close: (): void => {
      for (const client of clients.values()) client.destroy()
      clients.clear()
    },
  }
}
export type RoleEntrance = ReturnType<typeof roleEntrance>

/**
 * Credentials as the SDK asks for them: it keeps what expires until five minutes before, and asks again. A role without an external id
 * is not assumed: whoever named it could be anybody (AWS IAM User Guide, "The confused deputy problem").
 */
export const credentialsOf =
  (credentials: CloudCredentials, region: string, roles: RoleEntrance) => async (): Promise<SessionCredentials> => {
    if ('accessKeyId' in credentials) return credentials
    if (!credentials.externalId)
      throw invalid('The role needs the external id of the project: make it by the setup link.')
    return roles.assume(credentials.roleArn, credentials.externalId, region)
  }
