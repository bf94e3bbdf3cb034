import { type Examples, ids } from './example.js'

export const projectExamples: Examples = {
  getProject: { description: 'What it may send, and how it is set up.' },
  updateProject: {
    description:
      'Only the given fields change. Pages of the host names in `whiteList` may call the endpoints that are open to browsers, as far as `browserAccess` says.',
    body: { name: 'Shop', whiteList: ['shop.example.com'], browserAccess: 'subscribe-only' },
  },
  setWebhook: {
    description:
      'Every field is replaced: what is left out is off. What is posted is a `WebhookEvent`, signed in the manner of Standard Webhooks.',
    body: {
      url: 'https://shop.example.com/hooks',
      secretKey: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      bounce: true,
      complaint: true,
    },
  },
  getWebhook: { description: 'The secret is shown to keys with the scope `full`, and to the key that it is.' },
  testWebhook: {
    description: 'Posts it now, and answers when the webhook has taken it.',
    query: { type: 'bounce' },
  },
  enableWebhook: {
    description:
      'What was given up while it was switched off is not posted by itself: `replayWebhookEvents` with `state: "given-up"` does that.',
  },
  listWebhookLog: {
    description:
      'The newest first. `filter[state]=given-up` has those that never reached it. Kept for 30 days, or as many as the server is told.',
    query: { limit: 10, 'filter[state]': 'pending' },
    makes: ids.webhookEvent,
  },
  getWebhookLogEntry: { description: 'With the event as it is posted.', params: { id: ids.webhookEvent } },
  replayWebhookEvents: {
    description:
      'Under the same `webhook-id`, so that a receiver recognises what it has. What waits for its next attempt is posted at once.',
    body: { state: 'given-up', since: '2026-01-06T00:00:00Z', until: '2026-01-07T00:00:00Z' },
  },
  deleteWebhook: { description: 'Answers what it was.' },
  getCampaignStats: {
    description:
      'Sums over the whole time, or, with `interval` and `metric`, one metric by hours, days, weeks or months.',
    params: { id: ids.campaign },
    query: { from: '2026-01-01', to: '2026-01-31', interval: 'daily', metric: 'opens', timeZone: 'Europe/Vienna' },
  },
  listCampaignRecipients: {
    description:
      'Those who were left out are listed, with the reason, where `filter[status]=excluded` asks for them, and where `filter[email]` asks for an address without `filter[status]`.',
    params: { id: ids.campaign },
    query: { limit: 10, sort: 'email', order: 'asc' },
  },
  getCampaignReport: {
    description:
      'Counted by the ledger as it is now, all sendings of the campaign together. `failures` and `exclusions` say why somebody did not get it; `listCampaignRecipients` and `exportCampaignRecipients` say who.',
    params: { id: ids.campaign },
  },
  getCampaignReportLink: {
    description:
      'Opens a page with the figures, for whoever has the link, until `expiresAt`. It names no recipient. A new secret of the server ends all links.',
    params: { id: ids.campaign },
    query: { days: 30 },
  },
  listCampaignExclusions: {
    description: 'Those who are meant and get nothing. `filter[reason]` picks one reason.',
    params: { id: ids.campaign },
    query: { limit: 10, 'filter[reason]': 'suppressed' },
  },
  exportCampaignRecipients: {
    description:
      'However many they are: the file is made while it is sent. A CSV cell that begins like a formula has an apostrophe in front.',
    params: { id: ids.campaign },
    query: { format: 'csv', status: 'failed' },
  },
  retryFailedMails: {
    description:
      'Takes a credit for each. A campaign that was stopped because its account could not send goes on with everybody whom it had not come to. Not while it is being sent.',
    params: { id: ids.campaign },
  },
  getTriggeredEmailStats: {
    description: 'Sums over the whole time, or, with `interval` and `metric`, one metric over time.',
    params: { id: ids.triggered },
  },
  listTriggeredEmailRecipients: {
    description: 'One entry for each mail.',
    params: { id: ids.triggered },
    query: { 'filter[opened]': 'true' },
  },
  getTransactionalEmailStats: {
    description: 'Sums over the whole time, or, with `interval` and `metric`, one metric over time.',
    params: { id: ids.transactional },
    query: { interval: 'weekly', metric: 'sent', from: '2026-01-01', to: '2026-02-28' },
  },
  listTransactionalEmailRecipients: { description: 'One entry for each mail.', params: { id: ids.transactional } },
  listEmailErrorLogs: {
    description: '`unseenCount` counts those that no earlier reading could have shown.',
    params: { id: ids.campaign },
    query: { limit: 10 },
  },
  createSenderIdentity: {
    description: 'Its domain has to be verified in that region, unless the server leaves that to its relay.',
    body: { email: 'news@example.com', name: 'Shop', region: 'eu-west-1' },
    makes: ids.sender,
  },
  listSenderIdentities: { description: 'All of them, in one answer.' },
  setDefaultSenderIdentity: {
    description: 'Emails that name no sender come from the first.',
    params: { identityId: ids.sender },
  },
  deleteSenderIdentity: {
    description: 'Not the last one while a campaign is scheduled.',
    params: { identityId: ids.sender },
  },
  listRegions: { description: 'As this server is set up.' },
  createDomain: {
    description: 'Publish the records of `requiredDns`, then check the domain.',
    body: { domain: 'example.org', region: 'eu-west-1' },
    makes: ids.domain,
  },
  listDomains: { description: 'All of them, in one answer.', query: { 'filter[region]': 'eu-west-1' } },
  getDomain: {
    description: 'With the records that it needs, and those that were found.',
    params: { domainId: ids.domain },
  },
  updateDomain: {
    description:
      'Its CNAME then stands among the records of `requiredDns`; links lead by it once a check has found it.',
    params: { domainId: ids.domain },
    body: { trackingDomain: 'links.example.org' },
  },
  checkDomain: {
    description:
      'It is verified when its DKIM records stand and the provider confirms them; and, where `requiredDns` has an ownership record, when that stands as well.',
    params: { domainId: ids.domain },
  },
  exportDomainDns: { description: 'For those who keep their records in a file.', params: { domainId: ids.domain } },
  deleteDomain: { description: 'Not while a sender identity uses it.', params: { domainId: ids.domain } },
  listDesignSystems: { description: 'A project has one, from the start.', makes: ids.design },
  updateDesignSystem: {
    description: 'What is not overridden is as the base has it; `resetOverrides` goes back to that.',
    params: { id: ids.design },
    body: { setOverrides: [{ category: 'variables', key: 'colors', name: 'primary', value: '#1f5fa8' }] },
  },
  createGalleryFolder: {
    description: 'At the top of the project’s own tree, or in another folder.',
    body: { name: 'Logos' },
    makes: ids.folder,
  },
  listGalleryFolders: {
    description: 'Without `parentFolderId`, those at the top, the shared ones among them.',
    query: { limit: 10 },
  },
  getGalleryFolder: { description: 'Its name, and where it lies.', params: { id: ids.folder } },
  updateGalleryFolder: { description: 'Renames it.', params: { id: ids.folder }, body: { name: 'Our logos' } },
  deleteGalleryFolder: { description: 'With all that is in it.', params: { id: ids.folder } },
  uploadGalleryImage: {
    description: 'A multipart form: the file is the part `image`. Its bytes say what it is: a JPEG, PNG or GIF.',
    body: { name: 'Logo', parentFolderId: ids.folder },
    makes: ids.image,
  },
  listGalleryImages: {
    description: 'Those of one folder, or those at the top.',
    query: { parentFolderId: ids.folder, limit: 10 },
  },
  getGalleryImage: { description: 'Its `url` is public, for mails.', params: { id: ids.image } },
  updateGalleryImage: {
    description: 'Renames it; its `url` stays.',
    params: { id: ids.image },
    body: { name: 'Our logo' },
  },
  deleteGalleryImage: { description: 'Mails that show it show nothing there from then on.', params: { id: ids.image } },
  getProductionAccess: { description: 'Where the project stands, its limits and its sending rates.' },
  applyForProductionAccess: {
    description: 'The operator decides. While one is pending, or approved, there is no other.',
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
  getSandboxDeliverability: { description: 'Rates in percent, and how much of the threshold that is.' },
  getProductionDeliverability: { description: 'For the last 7, 30 and 90 days.' },
  checkCloud: {
    description: 'Nothing is kept. Where something is wrong, the refusal says what.',
    body: { roleArn: 'arn:aws:iam::123456789012:role/posthorn', region: 'eu-west-1' },
  },
  getSetupLink: { description: 'Made with an external id of the project’s own, which the role has to ask for.' },
}
