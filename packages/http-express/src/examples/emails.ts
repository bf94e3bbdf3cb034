import { ada, type Examples, ids } from './example.js'

const page = (called: string) =>
  `The newest ${called} first, in pages: \`limit\` and \`skip\` say which, \`next\` is the URL of the following one.`
const removed = 'Answers what it was.'

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
      subscriberListId: ids.list,
    },
    makes: ids.campaign,
  },
  listCampaigns: { description: page('campaigns'), query: { limit: 10, 'filter[status]': 'draft' } },
  getCampaign: {
    description: 'With its status: poll this to see how far a campaign is.',
    params: { id: ids.campaign },
  },
  updateCampaign: {
    description:
      'Only the given fields change. `status: scheduled` sends the campaign at `scheduledTo`, and at once where that is past; one that was sent needs a new `scheduledTo` to be sent again. From six minutes before its time on nothing can be changed.',
    params: { id: ids.campaign },
    body: { status: 'scheduled', scheduledTo: '2035-06-01T09:00:00' },
  },
  deleteCampaign: {
    description: `Not from six minutes before its time on, nor while it is being sent. ${removed}`,
    params: { id: ids.campaign },
  },
  createTriggeredEmail: {
    description: 'An email to subscribers of one list, which `send-triggered` sends.',
    body: {
      name: 'Back in stock',
      subject: '{{product}} is back',
      type: 'html',
      document: '<p>Hello {{contact.name}}, {{product}} is back in stock.</p>',
      subscriberListId: ids.list,
    },
    makes: ids.triggered,
  },
  listTriggeredEmails: { description: page('triggered emails'), query: { limit: 10 } },
  getTriggeredEmail: { description: 'With its document.', params: { id: ids.triggered } },
  updateTriggeredEmail: {
    description: 'Only the given fields change. What is being sent already goes out as it was.',
    params: { id: ids.triggered },
    body: { subject: '{{product}} is back in stock' },
  },
  deleteTriggeredEmail: { description: removed, params: { id: ids.triggered } },
  createTransactionalEmail: {
    description:
      'An email to one person, which `send-transactional` sends. One that has `{{verifyLink}}` can confirm subscriptions, as the email of a double opt-in.',
    body: {
      name: 'Confirm your address',
      subject: 'Please confirm your address',
      type: 'html',
      document: '<p>Is this you? <a href="{{verifyLink}}">Yes, it is</a>.</p>',
    },
    makes: ids.transactional,
  },
  listTransactionalEmails: { description: page('transactional emails'), query: { limit: 10 } },
  getTransactionalEmail: { description: 'With its document.', params: { id: ids.transactional } },
  updateTransactionalEmail: {
    description: 'Only the given fields change. While a double opt-in uses it, `{{verifyLink}}` has to stay.',
    params: { id: ids.transactional },
    body: { previewText: 'One click, and you are done' },
  },
  deleteTransactionalEmail: {
    description: `Not while an active double opt-in uses it. ${removed}`,
    params: { id: ids.transactional },
  },
  createTemplate: {
    description: 'Keeps a visual document, MJML in its JSON form, for emails to begin from.',
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
    makes: ids.template,
  },
  listTemplates: { description: `${page('templates')} Documents are not in it.`, query: { limit: 10 } },
  getTemplate: {
    description: 'What is known of the template; its document is never returned.',
    params: { id: ids.template },
  },
  updateTemplate: {
    description: 'Only the given fields change; `tags` are replaced whole.',
    params: { id: ids.template },
    body: { tags: ['news', 'monthly'] },
  },
  deleteTemplate: { description: `Emails that began from it stay. ${removed}`, params: { id: ids.template } },
  sendTransactional: {
    description:
      'To any address that is not suppressed. `data` is the template’s context, beside `contact`; `attachments` are files in base64.',
    body: {
      transactionalId: ids.transactional,
      email: ada,
      data: { verifyLink: 'https://shop.example.com/confirm/7' },
      attachments: [{ filename: 'terms.txt', content: 'QmUga2luZC4=' }],
    },
  },
  sendTriggered: {
    description:
      'To those of `emails` who are active on the email’s list, or to everybody who is where there are no `emails`. Those who are left out are on record, with the reason.',
    body: { triggeredId: ids.triggered, emails: [ada], data: { product: 'The blue kettle' } },
  },
  sendTransactionalByEmail: {
    description:
      'The older path of `sendTransactional`: the project is the one of the email, and has to be that of the key.',
    body: {
      transactionalId: ids.transactional,
      email: ada,
      data: { verifyLink: 'https://shop.example.com/confirm/8' },
    },
  },
  sendTriggeredByEmail: {
    description:
      'The older path of `sendTriggered`: the project is the one of the email, and has to be that of the key.',
    body: { triggeredId: ids.triggered, data: { product: 'The red kettle' } },
  },
  sendTestEmail: {
    description:
      'Takes a credit like every mail, and leaves no statistics. Either `email` or a private `subscriberListId`.',
    params: { id: ids.transactional },
    body: { type: 'transactional', email: ada, data: { verifyLink: 'https://shop.example.com/confirm/9' } },
  },
  renderPreview: {
    description:
      'Of a campaign, a triggered or transactional email, or a template. `contact` is the id or the address of one, or its fields. Nothing is sent, and nothing is paid for.',
    params: { id: ids.transactional },
    body: { contact: { name: 'Ada' }, data: { verifyLink: 'https://shop.example.com/confirm/9' } },
  },
}
