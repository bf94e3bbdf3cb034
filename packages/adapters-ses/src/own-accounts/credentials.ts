import { createHash } from 'node:crypto'
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { invalid } from '@posthorn/core/ports/runtime'
import type { CloudCredentials } from '@posthorn/core/ports/transport'
import {
  type AwsOptions,
  type HttpConnectionPoolLimits,
  sdkRequestHandler,
  standardConnectionPoolLimits,
} from '../http/sdk-client.js'

export type OwnAccountsOptions = {
  /** `AWS_ENDPOINT_URL_SESV2`. */
  readonly aws?: Pick<AwsOptions, 'endpoint'>
  /** `AWS_ENDPOINT_URL_STS`, and the server's credentials. */
  readonly sts?: AwsOptions
  /** `AWS_ENDPOINT_URL_SNS`. */
  readonly sns?: Pick<AwsOptions, 'endpoint'>
  /** `https://mail.example.com/v1/ses/events`; required for events of own accounts. */
  readonly eventsUrl?: string | undefined
  /** Per account and region. Default: 20 connections, 5 s to connect, 60 s for a response. */
  readonly limits?: Partial<HttpConnectionPoolLimits>
}

export const ownAccountPoolLimits: HttpConnectionPoolLimits = { ...standardConnectionPoolLimits, connections: 20 }

/** In s: AWS's maximum unless the role's owner allows more. */
const sessionTime = 3_600

export type AwsSessionCredentials = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly expiration?: Date
}

export const roleAssumer = ({ sts, limits }: OwnAccountsOptions) => {
  const clients = new Map<string, STSClient>()
  const clientIn = (region: string): STSClient => {
    const client =
      clients.get(region) ??
      new STSClient({
        ...sts,
        region,
        maxAttempts: 3,
        requestHandler: sdkRequestHandler({ ...ownAccountPoolLimits, ...limits }),
      })
    clients.set(region, client)
    return client
  }

  return {
    /** @throws errors of STS */
    assume: async (RoleArn: string, ExternalId: string, region: string): Promise<AwsSessionCredentials> => {
      const { Credentials } = await clientIn(region).send(
        new AssumeRoleCommand({ RoleArn, ExternalId, RoleSessionName: 'posthorn', DurationSeconds: sessionTime }),
      )
      const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {}
      if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration)
        throw new Error('STS returned no credentials.')
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
type RoleAssumer = ReturnType<typeof roleAssumer>

/**
 * The SDK caches sessions until five minutes before their end. Without an external id, any project could name the role (AWS IAM User Guide,
 * "The confused deputy problem").
 */
export const sessionCredentialsOf =
  (credentials: CloudCredentials, region: string, roles: RoleAssumer) => async (): Promise<AwsSessionCredentials> => {
    if ('accessKeyId' in credentials) return credentials
    if (!credentials.externalId)
      throw invalid('The role must require the project’s external id: create it with the setup link.')
    return roles.assume(credentials.roleArn, credentials.externalId, region)
  }

const mostRemembered = 1_000
const limits = { ...ownAccountPoolLimits, connections: 2, requestTimeout: 10_000 }

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64')

/** From a role's ARN, or by one STS query per access key. */
export const awsAccountLookup = ({ sts }: Pick<OwnAccountsOptions, 'sts'> = {}) => {
  const known = new Map<string, string>()

  const ofKeys = async (credentials: Extract<CloudCredentials, { accessKeyId: string }>, region: string) => {
    const client = new STSClient({
      ...(sts?.endpoint !== undefined && { endpoint: sts.endpoint }),
      region,
      credentials,
      maxAttempts: 2,
      requestHandler: sdkRequestHandler(limits),
    })
    try {
      const { Account = '' } = await client.send(new GetCallerIdentityCommand({}))
      return Account
    } finally {
      client.destroy()
    }
  }

  /** 12 digits. @throws errors of STS */
  return async (credentials: CloudCredentials, region: string): Promise<string> => {
    if ('roleArn' in credentials) return credentials.roleArn.split(':')[4] ?? ''
    const key = digestOf(JSON.stringify([credentials.accessKeyId, credentials.secretAccessKey]))
    const found = known.get(key) ?? (await ofKeys(credentials, region))
    if (known.size >= mostRemembered) known.clear()
    known.set(key, found)
    return found
  }
}
export type AwsAccountOf = ReturnType<typeof awsAccountLookup>
