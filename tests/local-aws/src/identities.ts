import { createHash } from 'node:crypto'
import { badRequest, exists, notFound } from './ses-error.js'

type Identity = {
  readonly verified: boolean
  readonly mailFrom?: string
  readonly behaviorOnMxFailure?: string
  readonly tags: unknown
}

/** Easy DKIM: three tokens, the same each time the identity is created. */
const dkimTokens = (region: string, domain: string) =>
  [1, 2, 3].map((n) => createHash('sha256').update(`${region} ${domain} ${n}`).digest('hex').slice(0, 32))

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1).toLowerCase()

/** The identities of one account in one region. */
export const identityStore = (region: string) => {
  const identities = new Map<string, Identity>()
  const stored = (name: string): Identity => {
    const found = identities.get(name)
    if (!found) throw notFound('Email identity', name)
    return found
  }
  const dkim = (name: string, { verified }: Identity) => ({
    SigningEnabled: true,
    Status: verified ? 'SUCCESS' : 'PENDING',
    Tokens: name.includes('@') ? [] : dkimTokens(region, name),
    SigningHostedZone: `dkim.${region}.amazonses.com`,
    SigningAttributesOrigin: 'AWS_SES',
    CurrentSigningKeyLength: 'RSA_2048_BIT',
    NextSigningKeyLength: 'RSA_2048_BIT',
  })
  const kindOf = (name: string) => (name.includes('@') ? 'EMAIL_ADDRESS' : 'DOMAIN')

  return {
    create: (name: unknown, tags: unknown = []) => {
      if (typeof name !== 'string' || !/^[^\s<>]{1,320}$/.test(name)) throw badRequest('EmailIdentity is not valid.')
      if (identities.has(name)) throw exists('Email identity', name)
      identities.set(name, { verified: false, tags })
      return {
        IdentityType: kindOf(name),
        VerifiedForSendingStatus: false,
        DkimAttributes: dkim(name, stored(name)),
      }
    },

    get: (name: string) => {
      const identity = stored(name)
      return {
        IdentityType: kindOf(name),
        FeedbackForwardingStatus: true,
        VerifiedForSendingStatus: identity.verified,
        VerificationStatus: identity.verified ? 'SUCCESS' : 'PENDING',
        DkimAttributes: dkim(name, identity),
        ...(identity.mailFrom !== undefined && {
          MailFromAttributes: {
            MailFromDomain: identity.mailFrom,
            MailFromDomainStatus: identity.verified ? 'SUCCESS' : 'PENDING',
            BehaviorOnMxFailure: identity.behaviorOnMxFailure,
          },
        }),
        Policies: {},
        Tags: identity.tags,
      }
    },

    setMailFrom: (name: string, { MailFromDomain, BehaviorOnMxFailure }: Readonly<Record<string, unknown>>) => {
      const identity = stored(name)
      const behaviorOnMxFailure = typeof BehaviorOnMxFailure === 'string' ? BehaviorOnMxFailure : 'USE_DEFAULT_VALUE'
      if (typeof MailFromDomain !== 'string' || !MailFromDomain.endsWith(`.${name}`))
        throw badRequest(`Provided MAIL-FROM domain <${String(MailFromDomain)}> is not subdomain of <${name}>.`)
      identities.set(name, { ...identity, mailFrom: MailFromDomain, behaviorOnMxFailure })
      return {}
    },

    remove: (name: string) => {
      stored(name)
      identities.delete(name)
      return {}
    },

    /** Simulates that the DNS records were found, or no longer found; creates the identity if needed. */
    verify: (name: string, verified: boolean): void => {
      identities.set(name, { tags: [], ...identities.get(name), verified })
    },
    has: (name: string): boolean => identities.has(name),
    /** The verified identity for an address: its own, its domain's or a parent domain's. */
    verifiedFor: (address: string): string | undefined => {
      const labels = domainOf(address).split('.')
      const candidates = [address.toLowerCase(), ...labels.map((_, i) => labels.slice(i).join('.'))]
      return candidates.find((name) => identities.get(name)?.verified)
    },
    names: (): readonly string[] => [...identities.keys()],
  }
}
export type IdentityStore = ReturnType<typeof identityStore>
