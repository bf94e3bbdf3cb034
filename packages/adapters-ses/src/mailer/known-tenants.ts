import type { Mail, Tenant } from '@posthorn/core/ports'

/** Where SES keeps a mail's project apart from others. */
export type TenantOf = (mail: Pick<Mail, 'projectId' | 'from'>) => Promise<Tenant | undefined>

/** How long what was found counts, in milliseconds, and of how many. */
const rememberedFor = 60_000
const mostRemembered = 10_000

/** Tenants by the project and the domain of the sender, each looked up once a minute. */
export const knownTenants = (look: TenantOf, now: () => number) => {
  const known = new Map<string, { readonly tenant: Tenant | undefined; readonly until: number }>()

  /** At once where it is known. */
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
