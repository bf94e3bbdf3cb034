import type { z } from 'zod'
import { campaignReportRoutes, campaignRoutes, campaignRunRoutes } from './campaigns.js'
import { contactRoutes, contactTagRoutes, customFieldRoutes, segmentRoutes, suppressionRoutes } from './contacts.js'
import { domainRoutes, senderIdentityRoutes } from './domains.js'
import { designSystemRoutes, templateRoutes, transactionalEmailRoutes, triggeredEmailRoutes } from './emails.js'
import { galleryRoutes } from './gallery.js'
import { importRoutes } from './imports.js'
import { mailHistoryRoutes } from './mail-histories.js'
import { deliverabilityRoutes, ownCloudRoutes, productionAccessRoutes, projectRoutes } from './projects.js'
import { sendingRoutes } from './sending.js'
import { captchaRoutes, signupFormRoutes } from './signup-forms.js'
import { statisticsRoutes } from './statistics.js'
import { subscriberListRoutes, subscriberRoutes } from './subscriptions.js'
import { webhookRoutes } from './webhooks.js'

type Resource<R> = {
  readonly name: string
  readonly description: string
  readonly rows: readonly R[]
}

const resource = <R extends { readonly id: string }>(
  name: string,
  description: string,
  rows: readonly R[],
): Resource<R> => ({ name, description, rows })

/** Literal segments before parameters: `contacts/fields` before `contacts/{email}`. */
export const routesByResource = [
  resource('Campaigns', 'An email to a list, or to a segment of it, now or at a given time.', [
    ...campaignRoutes,
    ...campaignRunRoutes,
  ]),
  resource('Campaign reports', 'The results of a campaign: who got it, who did not, and why.', campaignReportRoutes),
  resource(
    'Triggered emails',
    'An email that your program sends to subscribers of one list when something happens.',
    triggeredEmailRoutes,
  ),
  resource(
    'Transactional emails',
    'An email to one person about something they did: a receipt, a password reset, a confirmation.',
    transactionalEmailRoutes,
  ),
  resource(
    'Sending',
    'Sends stored emails. A successful response means that the send is stored and survives a crash of the server.',
    sendingRoutes,
  ),
  resource('Templates', 'Documents that new emails start from.', templateRoutes),
  resource('Contacts', 'The people a project may write to, with custom fields and tags.', [
    ...customFieldRoutes,
    ...contactTagRoutes,
    ...contactRoutes,
  ]),
  resource(
    'Imports',
    'Files of contacts that a job imports: upload, map the columns, start, and see the failed rows.',
    importRoutes,
  ),
  resource('Subscriber lists', 'Lists that contacts subscribe to.', subscriberListRoutes),
  resource('Subscribers', 'The contacts on a list: subscribe, confirm, pause, unsubscribe.', subscriberRoutes),
  resource('Segments', 'Groups of contacts, defined by conditions on their fields and activity.', segmentRoutes),
  resource('Signup forms', 'Forms for your pages, and CAPTCHAs against automated signups.', [
    ...signupFormRoutes,
    ...captchaRoutes,
  ]),
  resource('Suppressions', 'Addresses that never get mail of the project.', suppressionRoutes),
  resource(
    'Mail history',
    'What happened to each mail: accepted, sent, opened, clicked, bounced, and posted to webhooks.',
    mailHistoryRoutes,
  ),
  resource('Webhook', 'The URLs that get the events of the project.', webhookRoutes),
  resource('Statistics', 'Results of an email: sent, opened, clicked, bounced, and errors.', statisticsRoutes),
  resource('Sender identities', 'The From addresses of mails.', senderIdentityRoutes),
  resource('Domains', 'The domains a project sends from, and the DNS records they need.', domainRoutes),
  resource('Design system', 'Colours, fonts and parts that visual emails share.', designSystemRoutes),
  resource('Gallery', 'Images for mails, in folders, at public addresses.', galleryRoutes),
  resource('Project', 'The settings of the project.', projectRoutes),
  resource('Production access', 'Apply to leave the sandbox, or for a higher monthly limit.', productionAccessRoutes),
  resource('Deliverability', 'How close the project is to its limits and to a restriction.', deliverabilityRoutes),
  resource('Own cloud', 'The project’s own cloud account for sending.', ownCloudRoutes),
]

export const routes = routesByResource.flatMap(
  ({ rows }): readonly (typeof routesByResource)[number]['rows'][number][] => rows,
)

/** Any row, with the types of its path, query, body and view. */
export type ApiRoute = (typeof routes)[number]

export type OperationId = ApiRoute['id']

export type OperationResult<I extends OperationId> = z.output<Extract<ApiRoute, { readonly id: I }>['success'][1]>

const byId = new Map<string, string>(
  routesByResource.flatMap(({ name, rows }) => rows.map(({ id }) => [id, name] as const)),
)

/** @throws Error for an id without a resource */
export const resourceOfOperation = (id: string): string => {
  const name = byId.get(id)
  if (name === undefined) throw new Error(`${id} belongs to no resource`)
  return name
}
