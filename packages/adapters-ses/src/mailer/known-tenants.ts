import type { Mail, Tenant } from '@posthorn/core/ports/transport'

/** Looks up the tenant in which SES isolates a mail's project. */
export type TenantOf = (mail: Pick<Mail, 'projectId' | 'from'>) => Promise<Tenant | undefined>

/** How long a tenant is cached, in ms, and the cache's maximum size. */
const rememberedFor = 60_000
const mostRemembered = 10_000

/** Caches tenants by project and sender domain for a minute. */
export const knownTenants = (look: TenantOf, now: () => number) => {
  const known = new Map<string, { readonly tenant: Tenant | undefined; readonly until: number }>()

  /** Synchronous if cached. */
  return ({ projectId, from }: Parameters<TenantOf>[0]): Tenant | undefined | Promise<Tenant | undefined> => {
    const key = `${projectId} ${from.slice(from.lastIndexOf('@') + 1).toLowerCase()}`
    const found = known.get(key)
    if (found && found.until > now()) return found.tenant
    return look({ projectId, from }).then((tenant) => {
      if (known.size >= mostRemembered) known.clear()
      known.set(key, { tenant, until: now() + rememberedFor })
      return tenant
    })
  }
}
