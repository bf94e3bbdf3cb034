import { campaignRoutes } from './routes/campaigns.js'
import { captchaRoutes } from './routes/captcha.js'
import { contactTagRoutes } from './routes/contact-tags.js'
import { contactRoutes } from './routes/contacts.js'
import { customFieldRoutes } from './routes/custom-fields.js'
import { designSystemRoutes } from './routes/design-systems.js'
import { domainRoutes } from './routes/domains.js'
import { galleryRoutes } from './routes/gallery.js'
import { ownCloudRoutes } from './routes/own-cloud.js'
import { productionAccessRoutes } from './routes/production-access.js'
import { projectRoutes } from './routes/projects.js'
import { reportRoutes } from './routes/reports.js'
import { segmentRoutes } from './routes/segments.js'
import { senderIdentityRoutes } from './routes/sender-identities.js'
import { sendingRoutes } from './routes/sending.js'
import { signupFormRoutes } from './routes/signup-forms.js'
import { statisticsRoutes } from './routes/statistics.js'
import { subscriberListRoutes, subscriberRoutes } from './routes/subscriptions.js'
import { suppressionRoutes } from './routes/suppressions.js'
import { templateRoutes } from './routes/templates.js'
import { transactionalEmailRoutes } from './routes/transactional-emails.js'
import { triggeredEmailRoutes } from './routes/triggered-emails.js'
import { webhookRoutes } from './routes/webhooks.js'

export type Resource = {
  readonly name: string
  /** What it is, for who reads the reference. */
  readonly description: string
  readonly rows: readonly { readonly id: string }[]
}

/** What the API is about, in the order in which the README names it; then what a project needs before it sends. */
export const resources: readonly Resource[] = [
  {
    name: 'Campaigns',
    description: 'An email to everybody on a list, or in a segment of it, at once or at a time.',
    rows: campaignRoutes,
  },
  {
    name: 'Triggered emails',
    description: 'An email that your program sends to subscribers of one list when something happens.',
    rows: triggeredEmailRoutes,
  },
  {
    name: 'Transactional emails',
    description: 'An email to one person, about something that they did: a receipt, a password, a confirmation.',
    rows: transactionalEmailRoutes,
  },
  {
    name: 'Sending',
    description: 'Sends what is stored. An answer means that the send is durable: it survives the end of the process.',
    rows: sendingRoutes,
  },
  { name: 'Templates', description: 'Documents that emails begin from.', rows: templateRoutes },
  {
    name: 'Contacts',
    description: 'The people whom a project may write to, with its own fields and tags.',
    rows: [...contactRoutes, ...customFieldRoutes, ...contactTagRoutes],
  },
  { name: 'Subscriber lists', description: 'What contacts subscribe to.', rows: subscriberListRoutes },
  {
    name: 'Subscribers',
    description: 'Who is on a list: subscribing, double opt-in, pausing, leaving.',
    rows: subscriberRoutes,
  },
  {
    name: 'Segments',
    description: 'Parts of the contacts, described by conditions on what they are and did.',
    rows: segmentRoutes,
  },
  {
    name: 'Signup forms',
    description: 'Forms for your pages, and what keeps programs from filling them in.',
    rows: [...signupFormRoutes, ...captchaRoutes],
  },
  { name: 'Suppressions', description: 'Addresses that get no mail, whatever is sent.', rows: suppressionRoutes },
  { name: 'Webhook', description: 'Where the project’s events are posted to.', rows: webhookRoutes },
  { name: 'Statistics', description: 'What became of the mails of an email, and why.', rows: statisticsRoutes },
  { name: 'Sender identities', description: 'Who mails come from.', rows: senderIdentityRoutes },
  { name: 'Domains', description: 'What a project sends from, and the DNS records that it needs.', rows: domainRoutes },
  {
    name: 'Design system',
    description: 'Colours, fonts and parts that visual emails share.',
    rows: designSystemRoutes,
  },
  { name: 'Gallery', description: 'Images for mails, in folders, at public addresses.', rows: galleryRoutes },
  { name: 'Project', description: 'What everything else belongs to.', rows: projectRoutes },
  {
    name: 'Production access',
    description: 'The way out of the sandbox, and to a higher monthly limit.',
    rows: productionAccessRoutes,
  },
  {
    name: 'Deliverability',
    description: 'How near a project is to its limits and to a restriction.',
    rows: reportRoutes,
  },
  { name: 'Own cloud', description: 'A cloud account of the project’s own, to send through.', rows: ownCloudRoutes },
]

const byId = new Map(resources.flatMap(({ name, rows }) => rows.map(({ id }) => [id, name] as const)))

/** The resource that an endpoint belongs to. @throws Error for one that belongs to none: a mistake in `resources` */
export const resourceOf = (id: string): string => {
  const name = byId.get(id)
  if (name === undefined) throw new Error(`${id} belongs to no resource`)
  return name
}
