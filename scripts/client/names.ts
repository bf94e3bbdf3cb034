import type { Operation } from './operations.js'

/**
 * Names that do not follow from the operation id, as `resource.method`. A row needs a line here only if the derived name is not good
 * enough: `exportCampaignRecipients` becomes `campaigns.exportRecipients` by itself.
 */
const chosen: Readonly<Record<string, string>> = {
  sendTransactional: 'sends.transactional',
  sendTriggered: 'sends.triggered',
  sendMail: 'sends.mail',
  sendBatch: 'sends.batch',
  cancelSend: 'sends.cancel',
  getSendStats: 'sends.stats',
  listSendRecipients: 'sends.recipients',
  getWebhookEndpoint: 'webhooks.get',
  deleteWebhookEndpoint: 'webhooks.delete',
  testWebhookEndpoint: 'webhooks.test',
  listWebhookEndpointLog: 'webhooks.log',
  getWebhookEndpointLogEntry: 'webhooks.logEntry',
  replayWebhookEndpointEvents: 'webhooks.replay',
  listMailHistories: 'deliveries.list',
  getMailHistory: 'deliveries.get',
  sendTestEmail: 'sends.test',
  renderPreview: 'sends.preview',
  retryFailedMails: 'campaigns.retryFailed',
  listSubscriptions: 'contacts.subscriptions',
  listSubscribers: 'subscriberLists.subscribers',
  getSubscriber: 'subscriberLists.getSubscriber',
  updateSubscriber: 'subscriberLists.updateSubscriber',
  getWebhook: 'webhook.get',
  setWebhook: 'webhook.set',
  deleteWebhook: 'webhook.delete',
  enableWebhook: 'webhook.enable',
  listWebhookLog: 'webhook.log',
  getWebhookLogEntry: 'webhook.logEntry',
  testWebhook: 'webhook.test',
  replayWebhookEvents: 'webhook.replay',
  listEmailErrorLogs: 'errorLogs.list',
  listRegions: 'domains.regions',
  applyForProductionAccess: 'productionAccess.apply',
  getSandboxDeliverability: 'deliverability.sandbox',
  getProductionDeliverability: 'deliverability.production',
  checkCloud: 'ownCloud.check',
  getSetupLink: 'ownCloud.setupLink',
  submitSignupForm: 'visitors.submitForm',
  getCaptcha: 'visitors.captcha',
  getChallenge: 'visitors.challenge',
  subscribeToList: 'visitors.subscribe',
  getSubscriberOfList: 'visitors.getSubscriber',
  updateSubscriberOfList: 'visitors.updateSubscriber',
  unsubscribe: 'visitors.unsubscribe',
}

/** Rows that another row does below the project, by id. */
export const duplicates: readonly string[] = [
  'sendTransactionalByEmail',
  'sendTriggeredByEmail',
  'listSubscribersOfList',
]

/** Of resources that are only a part of a tag, or of several. */
export const resourceDocs: Readonly<Record<string, string>> = {
  customFields: 'Fields of your own that contacts have.',
  contactTags: 'Tags that contacts carry.',
  galleryFolders: 'Folders of the gallery.',
  errorLogs: 'Errors of an email in the last 30 days.',
  visitors:
    'What pages of a whitelisted Origin may do for their visitors, without an API key: sign up, subscribe, unsubscribe.',
  deliverability: 'How close the project is to its limits and to a restriction.',
}

export type Name = { readonly resource: string; readonly method: string }

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
const singularOf = (plural: string) => plural.replace(/ies$/, 'y').replace(/s$/, '')
const pluralOf = (noun: string) => (noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`)
const camelCase = (segment: string) => segment.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** `getCampaignReport` without `Campaign` is `report`, `getCampaign` is `get`. */
const methodOf = (id: string, noun: string): string => {
  const rest = lowerFirst(id.replace(new RegExp(`${pluralOf(noun)}(?![a-z])|${noun}(?![a-z])`), ''))
  return lowerFirst(rest.replace(/^(?:get|list)(?=[A-Z])/, '')) || id
}

/** Nouns with a list of their own, the longest first: `SubscriberList` before `Subscriber`. */
const nounsOf = (operations: readonly Operation[]): readonly string[] =>
  operations
    .flatMap(({ id, path }) => {
      const [, plural] = /^list([A-Z]\w*s)$/.exec(id) ?? []
      return plural !== undefined && !path.includes('{') ? [singularOf(plural)] : []
    })
    .sort((a, b) => b.length - a.length)

/** Where each operation stands in the client. @throws Error if two have the same name */
export const namesOf = (operations: readonly Operation[]): ReadonlyMap<string, Name> => {
  const nouns = nounsOf(operations)
  const nameOf = ({ id, path }: Operation): Name => {
    const [resource, method] = chosen[id]?.split('.') ?? []
    if (resource !== undefined && method !== undefined) return { resource, method }
    const noun = nouns.find((one) => new RegExp(`[a-z]${one}(?:s|ies)?(?![a-z])`).test(id.replace(/ies(?![a-z])/, 'y')))
    if (noun !== undefined) return { resource: lowerFirst(pluralOf(noun)), method: methodOf(id, noun) }
    const place = camelCase(path.split('/').find((part) => part !== '' && part !== 'v1') ?? 'project')
    return { resource: place, method: methodOf(id, singularOf(upperFirst(place))) }
  }
  const names = new Map<string, Name>()
  const taken = new Map<string, string>()
  for (const operation of operations) {
    const name = nameOf(operation)
    const text = `${name.resource}.${name.method}`
    const other = taken.get(text)
    if (other !== undefined)
      throw new Error(
        `${operation.id} and ${other} are both ${text}. Choose a name for one in scripts/client/names.ts.`,
      )
    taken.set(text, operation.id)
    names.set(operation.id, name)
  }
  return names
}
