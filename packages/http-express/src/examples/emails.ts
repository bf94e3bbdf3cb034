import { type Examples, exampleIds, sampleAdaAddress, sampleGraceAddress } from './example.js'

const page = (called: string) =>
  `The newest ${called} first. \`limit\` and \`skip\` select the page; \`next\` is the URL of the next one.`
const removed = 'Returns the deleted record.'

export const emailExamples: Examples = {
  createCampaign: {
    description:
      'A draft, unless `status` is `scheduled`. `html` and `text` documents are Handlebars templates; they are checked when they are stored.',
    body: {
      name: 'Spring news',
      subject: 'Hello {{DEFAULT contact.name "there"}}, it is spring',
      type: 'html',
      document: '<p>Hello {{contact.name}}.</p><p><a href="{{unsubscribeLink}}">Unsubscribe</a></p>',
      timeZone: 'Europe/Vienna',
      subscriberListId: exampleIds.list,
    },
    makes: exampleIds.campaign,
  },
  listCampaigns: { description: page('campaigns'), query: { limit: 10, find: 'news', 'filter[status]': 'draft' } },
  getCampaign: {
    description: 'Poll its `status` to follow the campaign.',
    params: { id: exampleIds.campaign },
  },
  updateCampaign: {
    description:
      'Only the given fields change. `status: scheduled` sends the campaign at `scheduledTo`, or immediately if that is in the past. To send a campaign again, give it a new `scheduledTo`. A campaign cannot be changed from six minutes before its time.',
    params: { id: exampleIds.campaign },
    body: { status: 'scheduled', scheduledTo: '2035-06-01T09:00:00' },
  },
  deleteCampaign: {
    description: `Refused from six minutes before its time, and while it is being sent. ${removed}`,
    params: { id: exampleIds.campaign },
  },
  previewCampaignAudience: {
    description:
      'A dry run that changes nothing: who would get the campaign, who would be excluded and why, and what it would be charged to.',
    params: { id: exampleIds.campaign },
  },
  previewCampaignExclusions: {
    description: 'The addresses behind a reason of the dry run. Pass `next` as `after` for the following page.',
    params: { id: exampleIds.campaign },
    query: { reason: 'suppressed' },
  },
  stopCampaign: {
    description:
      'Mails in transfer are finished. All other recipients are `failed` with the error `CampaignStopped`, for no credit, until the campaign is continued. Its status becomes `error`.',
    params: { id: exampleIds.campaign },
  },
  continueCampaign: {
    description:
      'Continues a stopped campaign with the recipients who have nothing yet, for new credit. Nobody gets the mail twice.',
    params: { id: exampleIds.campaign },
  },
  getCampaignProgress: {
    description: 'Recipients by state; they add up to the audience once `expanding` is false.',
    params: { id: exampleIds.campaign },
  },
  createTriggeredEmail: {
    description: 'An email to subscribers of one list. `sendTriggered` sends it.',
    body: {
      name: 'Back in stock',
      subject: '{{product}} is back',
      type: 'html',
      document: '<p>Hello {{contact.name}}, {{product}} is back in stock.</p>',
      subscriberListId: exampleIds.list,
    },
    makes: exampleIds.triggered,
  },
  listTriggeredEmails: { description: page('triggered emails'), query: { limit: 10 } },
  getTriggeredEmail: { description: 'Includes its document.', params: { id: exampleIds.triggered } },
  updateTriggeredEmail: {
    description: 'Only the given fields change. Sends that were accepted before keep the old content.',
    params: { id: exampleIds.triggered },
    body: { subject: '{{product}} is back in stock' },
  },
  deleteTriggeredEmail: { description: removed, params: { id: exampleIds.triggered } },
  createTransactionalEmail: {
    description:
      'An email to one person. `sendTransactional` sends it. With `{{verifyLink}}` in its document it can be the email of a double opt-in.',
    body: {
      name: 'Confirm your address',
      subject: 'Please confirm your address',
      type: 'html',
      document: '<p>Is this you? <a href="{{verifyLink}}">Yes, it is</a>.</p>',
    },
    makes: exampleIds.transactional,
  },
  listTransactionalEmails: { description: page('transactional emails'), query: { limit: 10 } },
  getTransactionalEmail: { description: 'Includes its document.', params: { id: exampleIds.transactional } },
  updateTransactionalEmail: {
    description: 'Only the given fields change. `{{verifyLink}}` is required while a double opt-in uses the email.',
    params: { id: exampleIds.transactional },
    body: { previewText: 'One click, and you are done' },
  },
  deleteTransactionalEmail: {
    description: `Refused while an active double opt-in uses it. ${removed}`,
    params: { id: exampleIds.transactional },
  },
  createTemplate: {
    description: 'Stores a visual document (MJML as JSON) as a starting point for emails.',
    body: {
      name: 'Newsletter',
      subject: 'News of the month',
      document: {
        tagName: 'mjml',
        children: [
          {
            tagName: 'mj-body',
            children: [
              {
                tagName: 'mj-section',
                children: [
                  { tagName: 'mj-column', children: [{ tagName: 'mj-text', content: 'Hello {{contact.name}}' }] },
                ],
              },
            ],
          },
        ],
      },
      tags: ['news'],
    },
    makes: exampleIds.template,
  },
  listTemplates: { description: `${page('templates')} Documents are not included.`, query: { limit: 10 } },
  getTemplate: {
    description: 'Everything except the document, which is never returned.',
    params: { id: exampleIds.template },
  },
  updateTemplate: {
    description: 'Only the given fields change; `tags` replaces all tags.',
    params: { id: exampleIds.template },
    body: { tags: ['news', 'monthly'] },
  },
  deleteTemplate: { description: `Emails made from it stay. ${removed}`, params: { id: exampleIds.template } },
  sendMail: {
    description:
      'Sends content that is stored nowhere: `html`, `text` or both, or the content of a `template`. `{{…}}` reads `data` and `contact`; texts of strangers belong into `data`. Each address gets a mail of its own, or the reason why not; 10 addresses count as one request of the rate. With `sendAt` the mails are stored and sent at that time.',
    body: {
      to: [sampleAdaAddress, sampleGraceAddress],
      subject: 'Your parcel',
      html: '<p>It arrives on {{day}}.</p>',
      data: { day: 'Monday' },
      headers: { 'X-Order': '4711' },
      tags: ['parcel'],
      sendAt: '2026-01-07T09:00:00Z',
    },
    makes: exampleIds.send,
  },
  cancelSend: {
    description:
      'Mails that wait in the queue are not sent, and their credit is returned. Mails that a worker has already taken are sent; if that is all of them: 405 with the reason. Repeating it changes nothing.',
    params: { dispatchId: exampleIds.send },
  },
  getSendStats: {
    description: 'Of all mails of the project that were sent without a stored email.',
    query: { timeZone: 'Europe/Vienna' },
  },
  listSendRecipients: {
    description:
      'The mails of the project that were sent without a stored email. `filter[tags]` selects those with a tag.',
    query: { limit: 10, 'filter[tags]': 'parcel' },
  },
  sendBatch: {
    description:
      'Up to 500 mails, each accepted or rejected by itself, in order as far as credit and limits last. `results` names every mail. Repeat it with its `Idempotency-Key` after a lost answer.',
    body: {
      transactionalId: exampleIds.transactional,
      mails: [
        { email: sampleAdaAddress, data: { verifyLink: 'https://shop.example.com/confirm/10' } },
        { email: sampleGraceAddress, data: { verifyLink: 'https://shop.example.com/confirm/11' } },
      ],
    },
  },
  sendTransactional: {
    description:
      'Sends to any address that is not suppressed. Merge tags read `data` and `contact`. `attachments` are files in base64.',
    body: {
      transactionalId: exampleIds.transactional,
      email: sampleAdaAddress,
      data: { verifyLink: 'https://shop.example.com/confirm/7' },
      attachments: [{ filename: 'terms.txt', content: 'QmUga2luZC4=' }],
    },
    makes: exampleIds.dispatch,
  },
  sendTriggered: {
    description:
      'Sends to the addresses in `emails` that are active on the email’s list; without `emails`, to all active subscribers. Recipients who get no mail are recorded with the reason.',
    body: { triggeredId: exampleIds.triggered, emails: [sampleAdaAddress], data: { product: 'The blue kettle' } },
  },
  sendTransactionalByEmail: {
    description: 'The legacy path of `sendTransactional`. The email must belong to the project of the key.',
    body: {
      transactionalId: exampleIds.transactional,
      email: sampleAdaAddress,
      data: { verifyLink: 'https://shop.example.com/confirm/8' },
    },
  },
  sendTriggeredByEmail: {
    description: 'The legacy path of `sendTriggered`. The email must belong to the project of the key.',
    body: { triggeredId: exampleIds.triggered, data: { product: 'The red kettle' } },
  },
  sendTestEmail: {
    description:
      'Each mail costs one credit and is not counted in the statistics. Give either `email` or a private `subscriberListId`.',
    params: { id: exampleIds.transactional },
    body: {
      type: 'transactional',
      email: sampleAdaAddress,
      data: { verifyLink: 'https://shop.example.com/confirm/9' },
    },
  },
  renderPreview: {
    description:
      'Renders a campaign, a triggered or transactional email, or a template. `contact` is the id or the address of a contact, or its fields. Sends nothing and costs no credit.',
    params: { id: exampleIds.transactional },
    body: { contact: { name: 'Ada' }, data: { verifyLink: 'https://shop.example.com/confirm/9' } },
  },
}
