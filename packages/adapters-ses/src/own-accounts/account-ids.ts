import { createHash } from 'node:crypto'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import type { CloudCredentials } from '@posthorn/core/ports/transport'
import { requestHandler } from '../request-handler.js'
import { type OwnAccountsOptions, ownLimits } from './credentials.js'

/** A key's account never changes. */
const mostRemembered = 1_000
const limits = { ...ownLimits, connections: 2, requestTimeout: 10_000 }

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64')

/** The AWS account: from a role's ARN, or by one STS query per access key. */
export const accountIds = ({ sts }: Pick<OwnAccountsOptions, 'sts'> = {}) => {
  const known = new Map<string, string>()

  const ofKeys = async (credentials: Extract<CloudCredentials, { accessKeyId: string }>, region: string) => {
    const client = new STSClient({
      ...(sts?.endpoint !== undefined && { endpoint: sts.endpoint }),
      region,
      credentials,
      maxAttempts: 2,
      requestHandler: requestHandler(limits),
    })
    try {
      const { Account = '' } = await client.send(new GetCallerIdentityCommand({}))
      return Account
    } finally {
      client.destroy()
    }
  }

  /**
   * 12 digits.
   * @throws errors of STS
   */
  return async (credentials: CloudCredentials, region: string): Promise<string> => {
    if ('roleArn' in credentials) return credentials.roleArn.split(':')[4] ?? ''
    const key = digestOf(JSON.stringify([credentials.accessKeyId, credentials.secretAccessKey]))
    const found = known.get(key) ?? (await ofKeys(credentials, region))
    if (known.size >= mostRemembered) known.clear()
    known.set(key, found)
    return found
  }
}
export type AccountIds = ReturnType<typeof accountIds>
