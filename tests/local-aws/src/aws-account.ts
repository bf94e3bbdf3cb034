import { randomUUID } from 'node:crypto'
import { approvedAccount, type LocalAccount, sendingAccount } from './account.js'
import { type LocalQueue, localQueue } from './local-queue.js'
import { localRegion } from './region.js'

/** A role that other accounts can assume with its external id. */
type Role = { readonly name: string; readonly externalId?: string | undefined }

export type AwsAccountOptions = {
  /** 12 digits. */
  readonly id: string
  /** The account's access key. Signatures are checked only if the secret is given. */
  readonly accessKeyId?: string | undefined
  readonly secretAccessKey?: string | undefined
  /** Changes to the default, an account with production access. */
  readonly account?: Partial<LocalAccount> | undefined
}

/** An AWS account: Amazon SES in its regions, and its roles, policies, topics and queues. */
export const awsAccount = ({ id, accessKeyId, secretAccessKey, account }: AwsAccountOptions, now: () => number) => {
  let current: LocalAccount = { ...approvedAccount, ...account }
  const regions = new Map<string, ReturnType<typeof made>>()
  const roles = new Map<string, Role>()
  const queues = new Map<string, LocalQueue>()

  const made = (name: string) => {
    const sending = sendingAccount(() => current, now)
    return { stores: localRegion(name, sending, () => current.productionAccess, id), sending }
  }
  const regionOf = (name: string) => {
    const known = regions.get(name) ?? made(name)
    regions.set(name, known)
    return known
  }

  return {
    id,
    accessKeyId,
    secretAccessKey,
    regionOf,
    region: (name: string) => regionOf(name).stores,
    /** Changes the account in every region. */
    change: (changes: Partial<LocalAccount>): void => {
      current = { ...current, ...changes }
    },
    roles: roles as ReadonlyMap<string, Role>,
    /** Adds a role and returns its ARN. The role requires an external id only if one is given. */
    addRole: (role: Role): string => {
      const arn = `arn:aws:iam::${id}:role/${role.name}`
      roles.set(arn, role)
      return arn
    },
    removeRole: (arn: string): void => void roles.delete(arn),
    /** Managed policies by ARN: the versions of their documents; the last one is in force. */
    policies: new Map<string, string[]>(),
    /** Attributes of topics, by ARN. */
    topics: new Map<string, Map<string, string>>(),
    queues,
    /** Returns the queue of that name, or creates it; `base` is the server's URL. */
    addQueue: (region: string, name: string, base: string): LocalQueue => {
      const key = `${region} ${name}`
      const queue =
        queues.get(key) ?? localQueue(name, `arn:aws:sqs:${region}:${id}:${name}`, `${base}/${id}/${name}`, now)
      queues.set(key, queue)
      return queue
    },
  }
}
export type AwsAccount = ReturnType<typeof awsAccount>

/** The credentials of an assumed role; they are valid until they expire. */
export type Session = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string
  readonly expiresAt: number
  readonly account: AwsAccount
}

export const newSession = (account: AwsAccount, seconds: number, now: number): Session => ({
  accessKeyId: `ASIA${randomUUID().replaceAll('-', '').slice(0, 16).toUpperCase()}`,
  secretAccessKey: randomUUID(),
  sessionToken: randomUUID(),
  expiresAt: now + seconds * 1_000,
  account,
})
