import type { z } from 'zod'
import { campaignReportRoutes, campaignRoutes } from './campaigns.js'
import { contactRoutes, contactTagRoutes, customFieldRoutes, segmentRoutes, suppressionRoutes } from './contacts.js'
import { domainRoutes, senderIdentityRoutes } from './domains.js'
import { designSystemRoutes, templateRoutes, transactionalEmailRoutes, triggeredEmailRoutes } from './emails.js'
import { galleryRoutes } from './gallery.js'
import { ownCloudRoutes, productionAccessRoutes, projectRoutes, reportRoutes } from './projects.js'
import { sendingRoutes } from './sending.js'
import { captchaRoutes, signupFormRoutes } from './signup-forms.js'
import { statisticsRoutes } from './statistics.js'
import { subscriberListRoutes, subscriberRoutes } from './subscriptions.js'
import { webhookRoutes } from './webhooks.js'

type Resource<R> = {
  readonly name: string
  /** For readers of the reference. */
  readonly description: string
  readonly rows: readonly R[]
}

const resource = <R extends { readonly id: string }>(
  name: string,
  description: string,
  rows: readonly R[],
): Resource<R> => ({ name, description, rows })

/**
 * The resources of the API in the order of the README, then what a project needs before it sends. A literal part of a path must come before
 * a parameter in its place: `contacts/fields` before `contacts/{email}`.
 */
export const resources = [
  resource(
    'Campaigns',
    'An email to everybody on a list, or in a segment of it, at once or at a time.',
    campaignRoutes,
  ),
  resource('Campaign reports', 'What a campaign came to: who got it, who did not, and why.', campaignReportRoutes),
  resource(
    'Triggered emails',
    'An email that your program sends to subscribers of one list when something happens.',
    triggeredEmailRoutes,
  ),
  resource(
    'Transactional emails',
    'An email to one person, about something that they did: a receipt, a password, a confirmation.',
    transactionalEmailRoutes,
  ),
  resource(
    'Sending',
    'Sends what is stored. An answer means that the send is durable: it survives the end of the process.',
    sendingRoutes,
  ),
  resource('Templates', 'Documents that emails begin from.', templateRoutes),
  resource('Contacts', 'The people whom a project may write to, with its own fields and tags.', [
    ...customFieldRoutes,
    ...contactTagRoutes,
    ...contactRoutes,
  ]),
  resource('Subscriber lists', 'What contacts subscribe to.', subscriberListRoutes),
  resource('Subscribers', 'Who is on a list: subscribing, double opt-in, pausing, leaving.', subscriberRoutes),
  resource('Segments', 'Parts of the contacts, described by conditions on what they are and did.', segmentRoutes),
  resource('Signup forms', 'Forms for your pages, and what keeps programs from filling them in.', [
    ...signupFormRoutes,
    ...captchaRoutes,
  ]),
  resource('Suppressions', 'Addresses that get no mail, whatever is sent.', suppressionRoutes),
  resource('Webhook', 'Where the project’s events are posted to.', webhookRoutes),
  resource('Statistics', 'What became of the mails of an email, and why.', statisticsRoutes),
  resource('Sender identities', 'Who mails come from.', senderIdentityRoutes),
  resource('Domains', 'What a project sends from, and the DNS records that it needs.', domainRoutes),
  resource('Design system', 'Colours, fonts and parts that visual emails share.', designSystemRoutes),
  resource('Gallery', 'Images for mails, in folders, at public addresses.', galleryRoutes),
  resource('Project', 'What everything else belongs to.', projectRoutes),
  resource('Production access', 'The way out of the sandbox, and to a higher monthly limit.', productionAccessRoutes),
  resource('Deliverability', 'How near a project is to its limits and to a restriction.', reportRoutes),
  resource('Own cloud', 'A cloud account of the project’s own, to send through.', ownCloudRoutes),
]

export const routes = resources.flatMap(({ rows }): readonly (typeof resources)[number]['rows'][number][] => rows)

type Endpoint = (typeof routes)[number]

export type OperationId = Endpoint['id']

/** The result of an endpoint on success. */
export type ResultOf<I extends OperationId> = z.output<Extract<Endpoint, { readonly id: I }>['success'][1]>

const byId = new Map<string, string>(resources.flatMap(({ name, rows }) => rows.map(({ id }) => [id, name] as const)))

/** The name of an endpoint's resource. @throws Error if it has none: a mistake in `resources` */
export const resourceOf = (id: string): string => {
  const name = byId.get(id)
  if (name === undefined) throw new Error(`${id} belongs to no resource`)
  return name
}
