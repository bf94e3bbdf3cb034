import { badRequest, exists, notFound } from './ses-error.js'

type Fields = Readonly<Record<string, unknown>>
type Resources = {
  /** Whether an identity or configuration set of that name exists. */
  readonly has: (kind: string, name: string) => boolean
  readonly arnOf: (kind: string, name: string) => string
}

const nameForm = /^[A-Za-z0-9_-]{1,64}$/
const arnForm = /^arn:aws[a-z-]*:ses:[a-z0-9-]{1,40}:\d{12}:(identity|configuration-set)\/([^/\s]{1,320})$/

/** The tenants of one account in one region, and the resources that each may send with. */
export const tenantStore = ({ has, arnOf }: Resources) => {
  const tenants = new Map<string, Set<string>>()
  const stored = (name: unknown) => {
    const found = tenants.get(String(name))
    if (!found) throw notFound('Tenant', String(name))
    return found
  }
  const view = (name: string) => ({
    TenantName: name,
    TenantId: `tn-${name}`,
    TenantArn: arnOf('tenant', name),
    SendingStatus: 'ENABLED',
  })
  return {
    create: ({ TenantName }: Fields) => {
      if (typeof TenantName !== 'string' || !nameForm.test(TenantName)) throw badRequest('TenantName is not valid.')
      if (tenants.has(TenantName)) throw exists('Tenant', TenantName)
      tenants.set(TenantName, new Set())
      return view(TenantName)
    },
    get: ({ TenantName }: Fields) => {
      stored(TenantName)
      return { Tenant: view(String(TenantName)) }
    },
    remove: ({ TenantName }: Fields) => {
      stored(TenantName)
      tenants.delete(String(TenantName))
      return {}
    },
    associate: ({ TenantName, ResourceArn }: Fields) => {
      const resources = stored(TenantName)
      const arn = String(ResourceArn)
      const [, kind = '', name = ''] = arnForm.exec(arn) ?? []
      if (kind === '') throw badRequest(`ResourceArn <${arn}> is not valid.`)
      if (!has(kind, name) || arnOf(kind, name) !== arn) throw notFound('Resource', arn)
      if (resources.has(arn)) throw exists('Association', arn)
      resources.add(arn)
      return {}
    },
    dissociate: ({ TenantName, ResourceArn }: Fields) => {
      if (!stored(TenantName).delete(String(ResourceArn))) throw notFound('Association', String(ResourceArn))
      return {}
    },
    list: ({ TenantName }: Fields) => ({
      TenantResources: [...stored(TenantName)].map((ResourceArn) => ({
        ResourceArn,
        ResourceType: ResourceArn.includes(':identity/') ? 'EMAIL_IDENTITY' : 'CONFIGURATION_SET',
      })),
    }),
    /** Removes a deleted resource from all tenants. */
    forget: (arn: string): void => {
      for (const resources of tenants.values()) resources.delete(arn)
    },
    /** @throws SesError if the tenant does not exist or may not use the resource */
    assertMayUse: (tenant: string, arn: string): void => {
      if (!stored(tenant).has(arn)) throw badRequest(`Resource <${arn}> is not associated with tenant <${tenant}>.`)
    },
    names: (): readonly string[] => [...tenants.keys()],
  }
}
export type TenantStore = ReturnType<typeof tenantStore>
