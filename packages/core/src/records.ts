import type { ApiKey } from './access/access.js'
import type { Account } from './accounts/account.js'
import type { Campaign } from './campaigns/campaign.js'
import type { Contact, ContactTag } from './contacts/contact.js'
import type { FieldOrTagChange } from './contacts/contact-change.js'
import type { CustomField } from './contacts/custom-field.js'
import type { Import } from './contacts/imports/import.js'
import type { DesignSystem } from './design-systems/design-system.js'
import type { Domain } from './domains/domain.js'
import type { Template } from './emails/templates.js'
import type { TransactionalEmail } from './emails/transactional-emails.js'
import type { TriggeredEmail } from './emails/triggered-emails.js'
import type { SignupForm } from './forms/signup-form.js'
import type { GalleryFolder } from './gallery/folder.js'
import type { GalleryImage } from './gallery/image.js'
import type { IdempotentRequest } from './idempotency/idempotent-request.js'
import type { RepeatedRequest } from './idempotency/repeated-requests.js'
import { type RecordKind, type Repository, recordKind, type Stored } from './kernel/repository.js'
import type { Subscriber } from './lists/subscriber.js'
import type { SubscriberList } from './lists/subscriber-list.js'
import type { NoticeSettings } from './notices/notice-settings.js'
import type { AuditEntry } from './people/audit.js'
import type { ExternalIdentity, Person, PersonLink, Session, Team } from './people/person.js'
import type { SavedView } from './people/saved-views.js'
import type { AccessRequest } from './production-access/access-request.js'
import type { Project } from './projects/project.js'
import type { ErrorLogReadMark } from './reporting/error-log.js'
import type { Segment } from './segments/segment.js'
import type { SenderIdentity } from './sender-identities/sender-identity.js'
import type { AddressPage } from './sending/audience/audience.js'
import type { ContentSnapshot, Dispatch } from './sending/ledger/dispatch.js'
import type { Suppression } from './suppressions/suppression.js'
import type { EmailLinks } from './tracking/clicked-links.js'
import type { UnreadEvent } from './tracking/unread-events.js'
import type { Webhook } from './webhooks/webhook.js'
import type { WebhookDelivery } from './webhooks/webhook-delivery.js'

/** A gallery tree belongs to one project, or to an account whose projects share it. */
const galleryOwner = { account: 'treeId', project: 'treeId' } as const

/** Every kind of stored record, except deliveries and counters, which have their own ports. Adapters are built from this table. */
export const records = {
  accounts: recordKind<Account>('Account', { unique: [['urlFriendlyName']], owner: { account: '_id' } }),
  projects: recordKind<Project>('Project', { index: [['accountId']], owner: { project: '_id' } }),
  apiKeys: recordKind<ApiKey>('API key', { unique: [['digest']], index: [['projectId', 'createdAt']] }),
  accessRequests: recordKind<AccessRequest>('Production-access request', {
    unique: [['projectId']],
    index: [['status']],
  }),
  domains: recordKind<Domain>('Domain', {
    unique: [['projectId', 'domain', 'region']],
    index: [
      ['projectId', 'createdAt'],
      ['domain', 'region'],
    ],
  }),
  designSystems: recordKind<DesignSystem>('Design system', { index: [['projectId']] }),
  senderIdentities: recordKind<SenderIdentity>('Sender identity', {
    unique: [['projectId', 'emailKey', 'region']],
    index: [['projectId', 'position']],
  }),
  contacts: recordKind<Contact>('Contact', {
    unique: [['projectId', 'emailKey']],
    index: [
      ['projectId', 'createdAt'],
      ['projectId', 'lastReceiveDate'],
      ['projectId', 'lastOpenDate'],
      ['projectId', 'lastClickDate'],
    ],
  }),
  customFields: recordKind<CustomField>('Custom field', { unique: [['projectId', 'key']] }),
  contactTags: recordKind<ContactTag>('Contact tag', {
    unique: [['projectId', 'value']],
    index: [['projectId', 'createdAt']],
  }),
  imports: recordKind<Import>('Import', { index: [['projectId', 'createdAt'], ['state']] }),
  contactChanges: recordKind<FieldOrTagChange>('Contact change', { unique: [['projectId', 'subject']] }),
  subscriberLists: recordKind<SubscriberList>('Subscriber list', { index: [['projectId', 'createdAt']] }),
  subscribers: recordKind<Subscriber>('Subscriber', {
    unique: [['subscriberListId', 'contactId']],
    index: [
      ['contactId'],
      ['subscriberListId', 'status', 'contactId'],
      ['subscriberListId', 'createdAt'],
      ['status', 'pausedUntil'],
    ],
    sparse: ['owes', 'signupFormId'],
  }),
  signupForms: recordKind<SignupForm>('Signup form', { index: [['projectId', 'createdAt']] }),
  segments: recordKind<Segment>('Segment', { index: [['projectId', 'createdAt']] }),
  campaigns: recordKind<Campaign>('Campaign', {
    index: [['projectId', 'createdAt'], ['status', 'scheduledTo'], ['subscriberListId']],
  }),
  triggeredEmails: recordKind<TriggeredEmail>('Triggered email', {
    index: [['projectId', 'createdAt'], ['subscriberListId']],
  }),
  transactionalEmails: recordKind<TransactionalEmail>('Transactional email', { index: [['projectId', 'createdAt']] }),
  templates: recordKind<Template>('Template', { index: [['projectId', 'createdAt']] }),
  suppressions: recordKind<Suppression>('Suppression', {
    unique: [['projectId', 'emailKey']],
    index: [['projectId', 'createdAt']],
  }),
  galleryFolders: recordKind<GalleryFolder>('Gallery folder', {
    index: [['parentFolderId'], ['treeId', 'createdAt']],
    owner: galleryOwner,
  }),
  galleryImages: recordKind<GalleryImage>('Gallery image', {
    unique: [['file']],
    index: [
      ['parentFolderId', 'createdAt'],
      ['treeId', 'createdAt'],
    ],
    owner: galleryOwner,
  }),
  persons: recordKind<Person>('Person', { unique: [['emailKey']], owner: {} }),
  identities: recordKind<ExternalIdentity>('Identity', { unique: [['digest']], index: [['personId']], owner: {} }),
  teams: recordKind<Team>('Team', { owner: { account: '_id' } }),
  sessions: recordKind<Session>('Session', { unique: [['digest']], index: [['personId']], owner: {} }),
  personLinks: recordKind<PersonLink>('Link', { unique: [['digest']], index: [['accountId']], owner: {} }),
  auditEntries: recordKind<AuditEntry>('Audit entry', { index: [['projectId', 'createdAt']] }),
  savedViews: recordKind<SavedView>('Saved view', { unique: [['projectId', 'personId', 'page', 'name']] }),
  noticeSettings: recordKind<NoticeSettings>('Notice settings', { unique: [['projectId', 'personId']] }),
  unreadEvents: recordKind<UnreadEvent>('Unread event', { index: [['source']], owner: {} }),
  errorLogReadings: recordKind<ErrorLogReadMark>('Error log'),
  emailLinks: recordKind<EmailLinks>('Links of an email'),
  contents: recordKind<ContentSnapshot>('Content', { index: [['projectId']] }),
  dispatches: recordKind<Dispatch>('Dispatch', {
    index: [['stage'], ['projectId', 'createdAt'], ['emailId', 'createdAt']],
  }),
  addressPages: recordKind<AddressPage>('Address page', { unique: [['dispatchId', 'place']] }),
  idempotentRequests: recordKind<IdempotentRequest>('Idempotency-Key', { unique: [['projectId', 'key']] }),
  repeatedRequests: recordKind<RepeatedRequest>('Repeated request', { index: [['projectId', 'repeatedAt']] }),
  webhooks: recordKind<Webhook>('Webhook', { index: [['projectId', 'createdAt']] }),
  webhookDeliveries: recordKind<WebhookDelivery>('Webhook delivery', {
    unique: [['projectId', 'eventId', 'webhookId']],
    index: [
      ['state', 'webhookId', 'nextAt'],
      ['state', 'createdAt'],
      ['projectId', 'webhookId', 'createdAt'],
      ['projectId', 'deliveryId'],
    ],
  }),
}

type RecordTypes = {
  readonly [K in keyof typeof records]: (typeof records)[K] extends RecordKind<infer T> ? T : never
}
/** One repository for each record kind; an adapter provides them. */
export type Repositories = { readonly [K in keyof RecordTypes]: Repository<RecordTypes[K]> }

/** Builds the repositories of all kinds with one function. */
export const repositoriesOf = (
  make: <T extends Stored>(collection: string, kind: RecordKind<T>) => Repository<T>,
): Repositories =>
  Object.fromEntries(
    Object.entries(records).map(([collection, kind]) => [
      collection,
      make(collection, kind as unknown as RecordKind<Stored>),
    ]),
  ) as unknown as Repositories
