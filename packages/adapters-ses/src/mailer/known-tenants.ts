import type { Mail, Tenant } from '@posthorn/core/ports/transport'

/** The tenant in which SES isolates a mail's project. */
export type TenantOf = (mail: Pick<Mail, 'projectId' | 'from'>) => Promise<Tenant | undefined>

/** In ms. */
const rememberedFor = 60_000
const mostRemembered = 10_000

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
