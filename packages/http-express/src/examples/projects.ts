import { type Examples, exampleIds, sampleAdaAddress } from './example.js'

export const projectExamples: Examples = {
  getApiKey: {
    description: 'Returns its project and its scope, never the key itself. Keys of every scope may call it.',
  },
  getProject: { description: 'Returns its settings and what it may send.' },
  updateProject: {
    description:
      'Only the given fields change. Pages on the hosts in `whiteList` may call the endpoints that `browserAccess` opens to browsers.',
    body: { name: 'Shop', whiteList: ['shop.example.com'], browserAccess: 'subscribe-only' },
  },
  setWebhook: {
    description:
      'Replaces the whole configuration: an omitted event is off. Each post is a `WebhookEvent`, signed as in Standard Webhooks.',
    body: {
      url: 'https://shop.example.com/hooks',
      secretKey: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      bounce: true,
      complaint: true,
    },
  },
  getWebhook: {
    description:
      'Returns null if no webhook is set. Only keys with the scope `full`, and the key that is itself the secret, see the secret.',
  },
  testWebhook: {
    description: 'Posts a sample event now, signed like real ones, and responds after the webhook has accepted it.',
    query: { type: 'bounce' },
  },
  enableWebhook: {
    description:
      'A webhook that accepts no post for three days is disabled; this starts it again. Events that were given up in between are not posted again, unless you call `replayWebhookEvents` with `state: "given-up"`.',
  },
  listWebhookLog: {
    description:
      'Newest first. `filter[state]=given-up` selects events that were never delivered. Entries are kept for 30 days unless the server is configured otherwise.',
    query: { limit: 10, 'filter[state]': 'pending' },
    makes: exampleIds.webhookEvent,
  },
  getWebhookLogEntry: { description: 'Includes the event as it was posted.', params: { id: exampleIds.webhookEvent } },
  replayWebhookEvents: {
    description:
      'Posts them under the same `webhook-id`, so that the receiver can recognise duplicates. Events that wait for their next attempt are posted immediately.',
    body: { state: 'given-up', since: '2026-01-06T00:00:00Z', until: '2026-01-07T00:00:00Z' },
  },
  deleteWebhook: { description: 'Drops the events that wait to be posted. Returns the deleted webhook.' },
  listWebhooks: {
    description:
      'Includes the webhook of `…/webhook`, whose id is the project’s. Secrets are not shown. Keys that may not write see only the host of each URL.',
    query: { limit: 10 },
  },
  createWebhook: {
    description:
      'Every webhook gets each event of its `types`, signed with its own secret, and is retried, disabled and replayed on its own. Without a `secretKey`, one is generated; only this response shows it.',
    body: {
      url: 'https://crm.example.com/hooks',
      description: 'CRM',
      types: ['bounce', 'complaint', 'unsubscribe'],
    },
    makes: exampleIds.webhook,
  },
  getWebhookEndpoint: { description: 'Does not show the secret.', params: { id: exampleIds.webhook } },
  updateWebhook: {
    description:
      'Only the given fields change. `enabled: true` starts a disabled webhook again; `secretKey: null` generates a new secret, which only this response shows. Waiting events of a type that it no longer gets are not posted.',
    params: { id: exampleIds.webhook },
    body: { types: ['bounce', 'complaint'], enabled: true },
  },
  deleteWebhookEndpoint: {
    description: 'Drops the events that wait to be posted to it. Returns the deleted webhook.',
    params: { id: exampleIds.webhook },
  },
  testWebhookEndpoint: {
    description: 'Posts a sample event now, signed like real ones, and responds after the webhook has accepted it.',
    params: { id: exampleIds.webhook },
    body: { type: 'bounce' },
  },
  listWebhookEndpointLog: {
    description: 'As `listWebhookLog`, for this webhook.',
    params: { id: exampleIds.project },
    query: { limit: 10, 'filter[state]': 'pending' },
    makes: exampleIds.webhookEvent,
  },
  getWebhookEndpointLogEntry: {
    description: 'Includes the event as it was posted.',
    params: { id: exampleIds.project, entryId: exampleIds.webhookEvent },
  },
  replayWebhookEndpointEvents: {
    description: 'As `replayWebhookEvents`, to this webhook only.',
    params: { id: exampleIds.webhook },
    body: { state: 'given-up' },
  },
  listMailHistories: {
    description:
      'Newest first. `filter[kind]` looks at the newest 5,000 mails of the address. `keptSince` says from when on mails are still there.',
    query: { email: sampleAdaAddress, limit: 10, 'filter[status]': 'sent' },
  },
  getMailHistory: {
    description:
      'The id is the `deliveryId` of sends, recipients and webhook events; encode it for the URL. Events about the mail for webhooks are in `webhooks`, the newest 200.',
    params: { id: `${exampleIds.dispatch}:${sampleAdaAddress}` },
  },
  getCampaignStats: {
    description: 'Returns totals or, with `interval` and `metric`, one metric by hour, day, week or month.',
    params: { id: exampleIds.campaign },
    query: { from: '2026-01-01', to: '2026-01-31', interval: 'daily', metric: 'opens', timeZone: 'Europe/Vienna' },
  },
  listCampaignRecipients: {
    description:
      'Includes excluded recipients, with the reason, only with `filter[status]=excluded`, or with `filter[email]` and no `filter[status]`.',
    params: { id: exampleIds.campaign },
    query: { limit: 10, sort: 'email', order: 'asc' },
  },
  getCampaignReport: {
    description:
      'Current numbers over all sends of the campaign. `failures` and `exclusions` count the recipients who got no mail, by reason; `listCampaignRecipients` and `exportCampaignRecipients` list them.',
    params: { id: exampleIds.campaign },
  },
  getCampaignReportLink: {
    description:
      'Anybody with the link can open a page with the numbers until `expiresAt`. The page names no recipients. Changing the server’s secret ends all links.',
    params: { id: exampleIds.campaign },
    query: { days: 30 },
  },
  listCampaignExclusions: {
    description: 'Lists recipients of the audience who get no mail. `filter[reason]` selects one reason.',
    params: { id: exampleIds.campaign },
    query: { limit: 10, 'filter[reason]': 'suppressed' },
  },
  exportCampaignRecipients: {
    description:
      'Works for any number of recipients, because the file is streamed. CSV cells that begin like a formula get an apostrophe in front.',
    params: { id: exampleIds.campaign },
    query: { format: 'csv', status: 'failed' },
  },
  retryFailedMails: {
    description:
      'Takes new credit for each mail. A campaign that stopped because its account could not send continues with the recipients it had not reached. Refused while the campaign is being sent.',
    params: { id: exampleIds.campaign },
    body: { reasons: [{ name: '452', message: '452 4.2.2 Mailbox full' }] },
  },
  previewRetry: {
    description: 'A dry run that changes nothing: who would get the mail now, and who has been excluded since and why.',
    params: { id: exampleIds.campaign },
    body: { reasons: [{ name: '452', message: '452 4.2.2 Mailbox full' }] },
  },
  getTriggeredEmailStats: {
    description: 'Returns totals or, with `interval` and `metric`, one metric over time.',
    params: { id: exampleIds.triggered },
  },
  listTriggeredEmailRecipients: {
    description: 'Returns one entry per mail.',
    params: { id: exampleIds.triggered },
    query: { 'filter[opened]': 'true' },
  },
  getTransactionalEmailStats: {
    description: 'Returns totals or, with `interval` and `metric`, one metric over time.',
    params: { id: exampleIds.transactional },
    query: { interval: 'weekly', metric: 'sent', from: '2026-01-01', to: '2026-02-28' },
  },
  listTransactionalEmailRecipients: {
    description: 'Returns one entry per mail.',
    params: { id: exampleIds.transactional },
  },
  listEmailErrorLogs: {
    description:
      'Errors of the last 30 days unless the server is configured otherwise, newest first. `unseenCount` is the number of errors since the log was last read.',
    params: { id: exampleIds.campaign },
    query: { limit: 10 },
  },
  createSenderIdentity: {
    description: 'Its domain must be verified in that region, unless the server leaves this check to its relay.',
    body: { email: 'news@example.com', name: 'Shop', region: 'eu-west-1' },
    makes: exampleIds.sender,
  },
  listSenderIdentities: { description: 'Returns all of them at once, the default first.' },
  setDefaultSenderIdentity: {
    description: 'Moves it to the front of the list. Emails without a sender use the first one.',
    params: { identityId: exampleIds.sender },
  },
  deleteSenderIdentity: {
    description: 'Refused for the last one while a campaign is scheduled.',
    params: { identityId: exampleIds.sender },
  },
  listRegions: {
    description:
      'Returns the regions of this server: the values that `region` of a domain or a sender identity may have.',
  },
  createDomain: {
    description: 'Publish the DNS records in `requiredDns`, then call `checkDomain`.',
    body: { domain: 'example.org', region: 'eu-west-1' },
    makes: exampleIds.domain,
  },
  listDomains: { description: 'Returns all of them at once.', query: { 'filter[region]': 'eu-west-1' } },
  getDomain: {
    description: 'Includes the DNS records that it needs, and those that were found.',
    params: { domainId: exampleIds.domain },
  },
  updateDomain: {
    description:
      '`requiredDns` then includes the CNAME of the tracking domain. Links in mails use it after a check has found it.',
    params: { domainId: exampleIds.domain },
    body: { trackingDomain: 'links.example.org' },
  },
  checkDomain: {
    description:
      'Reads its DNS records. The domain is verified when the DKIM records, and the ownership record if `requiredDns` has one, are published and the provider confirms them. The first time it adds the sender identity `no-reply@` the domain.',
    params: { domainId: exampleIds.domain },
  },
  exportDomainDns: {
    description: 'Returns the DNS records as CSV: type, name, value, priority.',
    params: { domainId: exampleIds.domain },
  },
  deleteDomain: { description: 'Refused while a sender identity uses it.', params: { domainId: exampleIds.domain } },
  listDesignSystems: { description: 'Every project has one from the start.', makes: exampleIds.design },
  updateDesignSystem: {
    description: 'Values without an override come from the base design system; `resetOverrides` removes overrides.',
    params: { id: exampleIds.design },
    body: { setOverrides: [{ category: 'variables', key: 'colors', name: 'primary', value: '#1f5fa8' }] },
  },
  createGalleryFolder: {
    description: 'Creates it at the top level, or in `parentFolderId`.',
    body: { name: 'Logos' },
    makes: exampleIds.folder,
  },
  listGalleryFolders: {
    description: 'Without `parentFolderId`, lists the top level including shared folders.',
    query: { limit: 10 },
  },
  getGalleryFolder: { description: 'Returns its name and its parent folder.', params: { id: exampleIds.folder } },
  updateGalleryFolder: { description: 'Renames it.', params: { id: exampleIds.folder }, body: { name: 'Our logos' } },
  deleteGalleryFolder: { description: 'Also deletes everything in it.', params: { id: exampleIds.folder } },
  uploadGalleryImage: {
    description:
      'A multipart form with the file in the part `image`. Must be a JPEG, PNG or GIF; the type is detected from its bytes.',
    body: { name: 'Logo', parentFolderId: exampleIds.folder },
    makes: exampleIds.image,
  },
  listGalleryImages: {
    description: 'Lists the images of one folder, or of the top level.',
    query: { parentFolderId: exampleIds.folder, limit: 10 },
  },
  getGalleryImage: { description: 'Its `url` is public, so that mails can show it.', params: { id: exampleIds.image } },
  updateGalleryImage: {
    description: 'Renames it; its `url` does not change.',
    params: { id: exampleIds.image },
    body: { name: 'Our logo' },
  },
  deleteGalleryImage: { description: 'Mails that contain it no longer show it.', params: { id: exampleIds.image } },
  getProductionAccess: { description: 'Returns the status of the project, its limits and its sending rates.' },
  applyForProductionAccess: {
    description: 'The operator decides. Refused while an application is pending or approved.',
    body: {
      volume: 20000,
      whyBluefox: 'We want to send from our own server',
      typeOfEmails: 'Receipts and a monthly newsletter',
      contactsSource: 'Customers who ticked a box',
      productDescription: 'A shop for kettles',
      website: 'https://shop.example.com',
    },
  },
  requestLimitIncrease: {
    description: 'For a project in production. The operator decides.',
    body: { monthlyLimit: 50000, reason: 'Twice as many customers as last year' },
  },
  getSandboxDeliverability: { description: 'Rates in percent, and how much of the threshold they use.' },
  getProductionDeliverability: { description: 'For the last 7, 30 and 90 days.' },
  checkCloud: {
    description: 'Checks the stored account, or the given one. Stores nothing. The error says what is wrong.',
    body: { roleArn: 'arn:aws:iam::123456789012:role/posthorn', region: 'eu-west-1' },
  },
  getSetupLink: {
    description:
      'The page creates the role that sends for this project. The role must require the project’s external id.',
  },
}
