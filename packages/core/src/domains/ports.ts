import type { Tenant } from './domain.js'

export type MailExchange = { readonly exchange: string; readonly priority: number }

/**
 * DNS queries. If a name or record does not exist, the result is empty. Names are returned as DNS has them, in any case and with or
 * without a final dot. @throws Error when no server responded
 */
export interface DnsLookup {
  cname(name: string): Promise<readonly string[]>
  /** Each record as one text: its strings are joined. */
  txt(name: string): Promise<readonly string[]>
  mx(name: string): Promise<readonly MailExchange[]>
}

export type IdentityOf = { readonly domain: string; readonly region: string; readonly projectId: string }

/** The provider's data on a domain that it is to send for. */
export type ProviderIdentity = {
  /** Three records; each `<selector>._domainkey.<domain>` is a CNAME of its target. */
  readonly dkim: readonly { readonly selector: string; readonly target: string }[]
  /** The host that receives the bounces of the MAIL FROM sub-domain. */
  readonly bounceHost: string
  /** The SPF record of the MAIL FROM sub-domain. */
  readonly spf: string
  readonly tenant: Tenant
}

/** Sending identities (domains) at the provider. */
export interface Identities {
  /**
   * True if each project has DKIM records of its own, so that finding them shows which project the domain's owner means. Otherwise the
   * provider has a domain once per region, and ownership records tell the accounts apart.
   */
  readonly perProject: boolean
  /**
   * Registers the domain, with `mail.<domain>` as its MAIL FROM. Idempotent. @throws Refusal `invalid` if the provider does not accept the
   * domain
   */
  create(identity: IdentityOf): Promise<ProviderIdentity>
  /** Whether the provider has found the DKIM records and signs with them. @throws Error if the provider does not respond */
  verified(identity: IdentityOf): Promise<boolean>
  /** Removes the domain from the project, and from the provider unless another project shares it (`shared`). Idempotent. */
  remove(identity: IdentityOf & { readonly shared: boolean }): Promise<void>
}
