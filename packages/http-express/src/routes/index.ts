import type { z } from 'zod'
import { campaignRoutes } from './campaigns.js'
import { captchaRoutes } from './captcha.js'
import { contactTagRoutes } from './contact-tags.js'
import { contactRoutes } from './contacts.js'
import { customFieldRoutes } from './custom-fields.js'
import { designSystemRoutes } from './design-systems.js'
import { domainRoutes } from './domains.js'
import { galleryRoutes } from './gallery.js'
import { ownCloudRoutes } from './own-cloud.js'
import { productionAccessRoutes } from './production-access.js'
import { projectRoutes } from './projects.js'
import { reportRoutes } from './reports.js'
import { segmentRoutes } from './segments.js'
import { senderIdentityRoutes } from './sender-identities.js'
import { sendingRoutes } from './sending.js'
import { signupFormRoutes } from './signup-forms.js'
import { statisticsRoutes } from './statistics.js'
import { subscriberListRoutes, subscriberRoutes } from './subscriptions.js'
import { suppressionRoutes } from './suppressions.js'
import { templateRoutes } from './templates.js'
import { transactionalEmailRoutes } from './transactional-emails.js'
import { triggeredEmailRoutes } from './triggered-emails.js'
import { webhookRoutes } from './webhooks.js'

/** Every endpoint. A literal part of a path stands before a parameter in its place: `contacts/fields` before `contacts/{email}`. */
export const routes = [
  ...projectRoutes,
  ...webhookRoutes,
  ...domainRoutes,
  ...designSystemRoutes,
  ...senderIdentityRoutes,
  ...customFieldRoutes,
  ...contactTagRoutes,
  ...contactRoutes,
  ...subscriberListRoutes,
  ...subscriberRoutes,
  ...captchaRoutes,
  ...signupFormRoutes,
  ...segmentRoutes,
  ...campaignRoutes,
  ...triggeredEmailRoutes,
  ...transactionalEmailRoutes,
  ...templateRoutes,
  ...statisticsRoutes,
  ...sendingRoutes,
  ...productionAccessRoutes,
  ...reportRoutes,
  ...ownCloudRoutes,
  ...galleryRoutes,
  ...suppressionRoutes,
]

type Endpoint = (typeof routes)[number]

/** What an endpoint is called. */
export type OperationId = Endpoint['id']

/** What an endpoint answers when it succeeds. */
export type ResultOf<I extends OperationId> = z.output<Extract<Endpoint, { readonly id: I }>['success'][1]>
