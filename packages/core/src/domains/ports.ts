import type { Tenant } from './domain.js'

export type MailExchange = { readonly exchange: string; readonly priority: number }

/**
 * Empty if the name or record does not exist. Names may come in any case and with a final dot.
 * @throws Error if no server responded
 */
export interface DnsLookup {
  cname(name: string): Promise<readonly string[]>
  txt(name: string): Promise<readonly string[]>
  mx(name: string): Promise<readonly MailExchange[]>
}

export type DomainIdentityReference = { readonly domain: string; readonly region: string; readonly projectId: string }

export type DomainIdentity = {
  /** Each `<selector>._domainkey.<domain>` is a CNAME of its target. */
  readonly dkim: readonly { readonly selector: string; readonly target: string }[]
  /** Receives the bounces of the MAIL FROM sub-domain. */
  readonly bounceHost: string
  readonly spf: string
  readonly tenant: Tenant
}

export interface DomainIdentities {
  /** Each project has DKIM records of its own; otherwise ownership records tell accounts apart. */
  readonly perProject: boolean
  /**
   * Registers the domain, with `mail.<domain>` as its MAIL FROM. Idempotent.
   * @throws Refusal `invalid` if the provider rejects the domain
   */
  create(identity: DomainIdentityReference): Promise<DomainIdentity>
  /** Whether the provider signs with the DKIM records. @throws Error if the provider does not respond */
  verified(identity: DomainIdentityReference): Promise<boolean>
  /** Removes it from the project, and from the provider unless `shared`. Idempotent. */
  remove(identity: DomainIdentityReference & { readonly shared: boolean }): Promise<void>
}
