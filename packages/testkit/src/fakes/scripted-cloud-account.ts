import { invalid } from '@posthorn/core/ports/runtime'
import type { CloudAccount } from '@posthorn/core/ports/transport'

type Script = {
  /** Secret keys and role ARNs that give access. */
  readonly opens: readonly string[] | 'all'
  /** Addresses by region. */
  readonly verified?: Readonly<Record<string, readonly string[]>> | 'all'
  readonly maxSendRate?: number
}

/** Repeats wrong credentials in its error, as real providers do. */
export const scriptedCloudAccount = ({ opens, verified = {}, maxSendRate = 14 }: Script) => {
  const looks: Parameters<CloudAccount['look']>[0][] = []
  const look: CloudAccount['look'] = async (asked) => {
    looks.push(asked)
    const { credentials, region, senders } = asked
    const given = 'roleArn' in credentials ? credentials.roleArn : credentials.secretAccessKey
    if (opens !== 'all' && !opens.includes(given))
      throw invalid(`The security token ${JSON.stringify(credentials)} is invalid`)
    const isVerified = (email: string) => verified === 'all' || verified[region]?.includes(email) === true
    return { maxSendRate, unverified: senders.filter((email) => !isVerified(email)) }
  }
  return { look, looks }
}
