import { z } from 'zod'
import { EmailAddress } from '../kernel/email-address.js'
import { changesSchemaOf, merged, without } from '../kernel/merged.js'
import type { ValidParts } from '../kernel/parsed.js'
import type { Secrets } from '../kernel/ports.js'
import { invalid } from '../kernel/refusal.js'
import { headerTextSchema } from '../kernel/shapes.js'

/** Becomes part of the host name of requests. */
export const CloudRegion = z
  .string()
  .regex(/^[a-z]{2,10}(?:-[a-z]{2,15}){1,3}-\d{1,2}$/, 'expected a region such as eu-west-1')
  .describe('A region of the cloud account, such as eu-west-1')

/** What a header of a request may contain. */
const credential = z.string().regex(/^[!-~]{1,256}$/, 'expected 1 to 256 visible ASCII characters')

const OwnSender = z
  .strictObject({
    name: headerTextSchema(200).describe('Shown beside the address'),
    email: EmailAddress,
    region: CloudRegion.optional().describe('Absent: the region of the account'),
  })
  .meta({ id: 'CloudSender', description: 'A From address that the project’s own account sends from' })

/** gaps.md, "cloudConfig". */
export const CloudConfigKeys = z.strictObject({
  roleArn: z
    .string()
    .regex(/^arn:aws[a-z-]{0,20}:iam::\d{12}:role\/[\w+=,.@/-]{1,576}$/, 'expected the ARN of an IAM role')
    .optional()
    .describe('The role that sends; encrypted at rest. Never together with an access key'),
  accessKeyId: credential.optional().describe('Goes with secretAccessKey; encrypted at rest'),
  secretAccessKey: credential.optional().describe('Write-only, encrypted at rest'),
  region: CloudRegion.optional(),
  limit: z.int().min(1).optional().describe('Mails per second'),
  senderIdentities: z.array(OwnSender).max(100).optional().describe('Senders of the account'),
})

export const CloudConfigFields = changesSchemaOf(CloudConfigKeys)
  .extend({
    removeCredentials: z
      .enum(['role', 'keys'])
      .optional()
      .describe('Removes the role or access key before merging the given values'),
  })
  .meta({
    id: 'CloudConfigFields',
    description: 'Given values are merged into the stored ones; null removes a stored value',
  })
export type CloudConfigFields = z.output<typeof CloudConfigFields>

export const CloudConfig = z
  .object({
    roleArnHint: z.string().optional().describe('First and last characters of the role’s ARN'),
    accessKeyIdHint: z.string().optional().describe('First and last characters, such as AKI…X'),
    secretAccessKeyHint: z.string().optional().describe('First and last characters'),
    region: z.string().optional().describe('Region of the account'),
    limit: z.int().optional().describe('Mails per second'),
    senderIdentities: z.array(OwnSender).optional().describe('Senders of the account'),
  })
  .meta({ id: 'CloudConfig', description: 'The project’s own sending account; credentials are shown as hints only' })

export type StoredCloudConfig = z.output<typeof CloudConfig> & {
  readonly roleArn?: string
  readonly accessKeyId?: string
  readonly secretAccessKey?: string
}

/** Shorter secrets, in characters, have no hint: their ends would give them away. */
const shortest = 8

const hint = (secret: string) => (secret.length < shortest ? '…' : `${secret.slice(0, 3)}…${secret.slice(-1)}`)

const credentialKeys = ['roleArn', 'accessKeyId', 'secretAccessKey'] as const
type Credentials = { readonly [K in (typeof credentialKeys)[number]]?: string }

const credentials = { role: ['roleArn'], keys: ['accessKeyId', 'secretAccessKey'] } as const

const withoutCredentials = (config: StoredCloudConfig, which: keyof typeof credentials): StoredCloudConfig => {
  const gone = credentials[which].flatMap((key) => [key, `${key}Hint`])
  return Object.fromEntries(Object.entries(config).filter(([key]) => !gone.includes(key)))
}

/** @throws Refusal `invalid` for a role and keys at once, or half a pair of keys */
export const changedCloudConfig = (
  stored: StoredCloudConfig | undefined,
  { removeCredentials, ...given }: CloudConfigFields,
  secrets: Pick<Secrets, 'seal'>,
): StoredCloudConfig => {
  let next = merged(removeCredentials ? withoutCredentials(stored ?? {}, removeCredentials) : (stored ?? {}), given)
  for (const key of credentialKeys) {
    const secret = given[key]
    if (secret === null) next = without(next, `${key}Hint`)
    else if (secret !== undefined) next = { ...next, [key]: secrets.seal(secret), [`${key}Hint`]: hint(secret) }
  }
  const problem = credentialsProblem(next)
  if (problem) throw invalid(`cloudConfig: ${problem}`)
  return next
}

const credentialsProblem = (next: Credentials): string | undefined => {
  if (next.roleArn && (next.accessKeyId || next.secretAccessKey))
    return 'give a roleArn or an access key, not both: removeCredentials takes away the other'
  return Boolean(next.accessKeyId) === Boolean(next.secretAccessKey)
    ? undefined
    : 'accessKeyId and secretAccessKey go together'
}

export const cloudCredentialsAfter = (
  stored: StoredCloudConfig | undefined,
  { removeCredentials, ...given }: ValidParts<CloudConfigFields>,
): { readonly next: Credentials; readonly problem: string | undefined } => {
  const before = removeCredentials ? withoutCredentials(stored ?? {}, removeCredentials) : (stored ?? {})
  const next = merged<Credentials>(before, given)
  return { next, problem: credentialsProblem(next) }
}

export const hasCloudCredentials = (config: Credentials | undefined): boolean =>
  config?.roleArn !== undefined || (config?.accessKeyId !== undefined && config.secretAccessKey !== undefined)

export const givesCloudCredentials = (given: ValidParts<CloudConfigFields>): boolean =>
  credentialKeys.some((key) => typeof given[key] === 'string')
