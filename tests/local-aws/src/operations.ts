import type { SendingAccount } from './account.js'
import type { SentMail } from './mail-events.js'
import type { LocalRegion } from './region.js'

export type Call = {
  readonly region: LocalRegion
  readonly account: SendingAccount
  /** The values of the path's placeholders. */
  readonly parts: readonly string[]
  readonly body: Readonly<Record<string, unknown>>
  readonly sent: (mail: SentMail) => void
}

/** An operation of API v2: its method, its path with `*` for names, and its handler. */
export type Operation = {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly run: (call: Call) => object
}

const op = (name: string, method: string, path: string, run: (call: Call) => object): Operation => ({
  name,
  method,
  path,
  run,
})

const first = ({ parts: [name = ''] }: Call) => name
const second = ({ parts: [, name = ''] }: Call) => name

/** The implemented operations (Amazon SES API v2 reference). */
export const operations: readonly Operation[] = [
  op('GetAccount', 'GET', 'account', ({ account }) => account.view()),
  op('SendEmail', 'POST', 'outbound-emails', ({ region, body, sent }) => {
    const mail = region.send(body)
    sent(mail)
    return { MessageId: mail.messageId }
  }),
  op('CreateEmailIdentity', 'POST', 'identities', ({ region, body }) =>
    region.identities.create(body.EmailIdentity, body.Tags),
  ),
  op('GetEmailIdentity', 'GET', 'identities/*', (call) => call.region.identities.get(first(call))),
  op('DeleteEmailIdentity', 'DELETE', 'identities/*', (call) => call.region.removeIdentity(first(call))),
  op('PutEmailIdentityMailFromAttributes', 'PUT', 'identities/*/mail-from', (call) =>
    call.region.identities.setMailFrom(first(call), call.body),
  ),
  op('CreateConfigurationSet', 'POST', 'configuration-sets', ({ region, body }) =>
    region.configurationSets.create(body.ConfigurationSetName),
  ),
  op('GetConfigurationSet', 'GET', 'configuration-sets/*', (call) => call.region.configurationSets.get(first(call))),
  op('DeleteConfigurationSet', 'DELETE', 'configuration-sets/*', (call) =>
    call.region.removeConfigurationSet(first(call)),
  ),
  op('CreateConfigurationSetEventDestination', 'POST', 'configuration-sets/*/event-destinations', (call) =>
    call.region.configurationSets.addDestination(first(call), call.body),
  ),
  op('GetConfigurationSetEventDestinations', 'GET', 'configuration-sets/*/event-destinations', (call) =>
    call.region.configurationSets.showDestinations(first(call)),
  ),
  op('DeleteConfigurationSetEventDestination', 'DELETE', 'configuration-sets/*/event-destinations/*', (call) =>
    call.region.configurationSets.removeDestination(first(call), second(call)),
  ),
  op('CreateTenant', 'POST', 'tenants', ({ region, body }) => region.tenants.create(body)),
  op('GetTenant', 'POST', 'tenants/get', ({ region, body }) => region.tenants.get(body)),
  op('DeleteTenant', 'POST', 'tenants/delete', ({ region, body }) => region.tenants.remove(body)),
  op('CreateTenantResourceAssociation', 'POST', 'tenants/resources', ({ region, body }) =>
    region.tenants.associate(body),
  ),
  op('DeleteTenantResourceAssociation', 'POST', 'tenants/resources/delete', ({ region, body }) =>
    region.tenants.dissociate(body),
  ),
  op('ListTenantResources', 'POST', 'tenants/resources/list', ({ region, body }) => region.tenants.list(body)),
]

const root = '/v2/email/'

const partsIn = (pattern: string, path: string): readonly string[] | undefined => {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  if (!wanted.every((one, i) => one === '*' || one === given[i])) return undefined
  return given.filter((_, i) => wanted[i] === '*').map(decodeURIComponent)
}

/** The operation of a request, and the names in its path. */
export const operationAt = (
  method: string,
  path: string,
): { readonly operation: Operation; readonly parts: readonly string[] } | undefined => {
  if (!path.startsWith(root)) return undefined
  for (const operation of operations) {
    const parts = operation.method === method ? partsIn(operation.path, path.slice(root.length)) : undefined
    if (parts) return { operation, parts }
  }
  return undefined
}
