import type { Tenant } from './domain.js'

export type MailExchange = { readonly exchange: string; readonly priority: number }

/**
 * What DNS says. A name that does not exist, or has no such record, is an empty answer; names come as DNS has them, in any
 * case and with or without a final dot. @throws Error when no server could say
 */
export interface DnsLookup {
  cname(name: string): Promise<readonly string[]>
  /** Each record as one text, however many strings it came in. */
  txt(name: string): Promise<readonly string[]>
  mx(name: string): Promise<readonly MailExchange[]>
}

export type IdentityOf = { readonly domain: string; readonly region: string; readonly projectId: string }

/** What the sending provider says of a domain that it is to send for. */
export type ProviderIdentity = {
  /** Three: each record `<selector>._domainkey.<domain>` leads to its target. */
  readonly dkim: readonly { readonly selector: string; readonly target: string }[]
  /** The host that takes the bounces of the MAIL FROM sub-domain. */
  readonly bounceHost: string
  /** The SPF record of the MAIL FROM sub-domain. */
  readonly spf: string
  readonly tenant: Tenant
}

/** The sending provider's side of domains. */
export interface Identities {
  /**
   * Whether each project has DKIM records of its own, so that finding them shows whom the domain's owner means. Otherwise the
   * provider has a domain once per region, and an ownership record tells the accounts apart that have added it.
   */
  readonly perProject: boolean
  /** Makes the domain known, with `mail.<domain>` as its MAIL FROM; the same answer when repeated. @throws Refusal `invalid` for a domain that the provider does not take */
  create(identity: IdentityOf): Promise<ProviderIdentity>
  /** Whether the provider has found the DKIM records and signs with them. @throws Error when it does not answer */
  verified(identity: IdentityOf): Promise<boolean>
  /** Takes it from the project, and from the provider altogether unless it is `shared` with another project. May be repeated. */
  remove(identity: IdentityOf & { readonly shared: boolean }): Promise<void>
}
