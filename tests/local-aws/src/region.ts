import { randomUUID } from 'node:crypto'
import type { SendingAccount } from './account.js'
import { configurationSetStore } from './configuration-sets.js'
import { identityStore } from './identities.js'
import { isSimulator, type SentMail } from './mail-events.js'
import { badRequest, SesError } from './ses-error.js'
import { tenantStore } from './tenants.js'

type Fields = Readonly<Record<string, unknown>>

type Asked = {
  readonly FromEmailAddress?: string
  readonly Destination?: { readonly ToAddresses?: readonly string[] }
  readonly Content?: { readonly Raw?: { readonly Data?: string } }
  readonly EmailTags?: readonly { readonly Name: string; readonly Value: string }[]
  readonly ConfigurationSetName?: string
  readonly TenantName?: string
}

const largestMail = 40 * 1024 * 1024
const isTag = (text: unknown) => typeof text === 'string' && /^[A-Za-z0-9_-]{1,256}$/.test(text)

const tagsOf = ({ EmailTags = [] }: Asked): Readonly<Record<string, string>> => {
  for (const { Name, Value } of EmailTags)
    if (!isTag(Name) || !isTag(Value)) throw badRequest(`Invalid tag name or value <${Name}>.`)
  return Object.fromEntries(EmailTags.map(({ Name, Value }) => [Name, Value]))
}

/** The resources of one account in one region. */
export const localRegion = (
  region: string,
  account: SendingAccount,
  productionAccess: () => boolean,
  accountId: string,
) => {
  const identities = identityStore(region)
  const configurationSets = configurationSetStore()
  const arnOf = (kind: string, name: string) => `arn:aws:ses:${region}:${accountId}:${kind}/${name}`
  const tenants = tenantStore({
    arnOf,
    has: (kind, name) => (kind === 'identity' ? identities : configurationSets).has(name),
  })

  const notVerified = (address: string) =>
    new SesError(
      'MessageRejected',
      `Email address is not verified. The following identities failed the check in region ${region.toUpperCase()}: ${address}`,
    )

  /** The verified identity of the sender. @throws SesError */
  const sender = (from: string, to: readonly string[]): string => {
    const identity = identities.verifiedFor(from)
    if (identity === undefined) throw notVerified(from)
    const stranger = productionAccess()
      ? undefined
      : to.find((one) => !isSimulator(one) && identities.verifiedFor(one) === undefined)
    if (stranger !== undefined) throw notVerified(stranger)
    return identity
  }

  return {
    identities,
    configurationSets,
    tenants,

    removeIdentity: (name: string) => {
      tenants.forget(arnOf('identity', name))
      return identities.remove(name)
    },
    removeConfigurationSet: (name: string) => {
      tenants.forget(arnOf('configuration-set', name))
      return configurationSets.remove(name)
    },

    /** @throws SesError */
    send: (fields: Fields): SentMail => {
      const asked = fields as Asked
      const { FromEmailAddress: from = '', Destination, Content, ConfigurationSetName: set, TenantName } = asked
      const to = Destination?.ToAddresses ?? []
      const mime = Buffer.from(Content?.Raw?.Data ?? '', 'base64').toString('utf8')
      if (mime === '' || to.length === 0) throw badRequest('Content and Destination are required.')
      if (mime.length > largestMail) throw badRequest('Message length is more than 41943040 bytes long.')
      const tags = tagsOf(asked)
      account.assertActive()
      if (set !== undefined) configurationSets.destinations(set)
      const identity = sender(from, to)
      if (TenantName !== undefined) {
        tenants.assertMayUse(TenantName, arnOf('identity', identity))
        if (set !== undefined) tenants.assertMayUse(TenantName, arnOf('configuration-set', set))
      }
      account.take()
      const messageId = `0102${randomUUID()}-000000`
      return { messageId, accountId, region, from, to, mime, tags, configurationSet: set, tenant: TenantName }
    },
  }
}
export type LocalRegion = ReturnType<typeof localRegion>
