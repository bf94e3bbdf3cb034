import type { ApiKey } from './access/api-keys.js'
import type { Account } from './accounts/account.js'
import type { Campaign } from './campaigns/campaign.js'
import type { Contact, ContactTag } from './contacts/contact.js'
import type { AllContactsChange } from './contacts/contact-change.js'
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
import type { IdempotentRequest, RepeatedRequest } from './idempotency/idempotent-requests.js'
import { defineRecordKind, type RecordKind, type Repository, type StoredRecord } from './kernel/repository.js'
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
import type { DispatchAddressPage } from './sending/audience/audience.js'
import type { ContentSnapshot, Dispatch } from './sending/ledger/dispatch.js'
import type { Suppression } from './suppressions/suppression.js'
import type { EmailClickedLinks } from './tracking/clicked-links.js'
import type { UnparsedProviderEvent } from './tracking/unread-events.js'
import type { Webhook } from './webhooks/webhook.js'
import type { WebhookDelivery } from './webhooks/webhook-delivery.js'

/** A gallery tree belongs to one project, or to an account whose projects share it. */
const galleryOwner = { account: 'treeId', project: 'treeId' } as const

/**
 * All stored records except deliveries and counters, which have their own ports. Adapters are built from this table.
 */
export const records = {
  accounts: defineRecordKind<Account>('Account', { unique: [['urlFriendlyName']], owner: { account: '_id' } }),
  projects: defineRecordKind<Project>('Project', { index: [['accountId']], owner: { project: '_id' } }),
  apiKeys: defineRecordKind<ApiKey>('API key', { unique: [['digest']], index: [['projectId', 'createdAt']] }),
  accessRequests: defineRecordKind<AccessRequest>('Production-access request', {
    unique: [['projectId']],
    index: [['status']],
  }),
  domains: defineRecordKind<Domain>('Domain', {
    unique: [['projectId', 'domain', 'region']],
    index: [
      ['projectId', 'createdAt'],
      ['domain', 'region'],
    ],
  }),
  designSystems: defineRecordKind<DesignSystem>('Design system', { index: [['projectId']] }),
  senderIdentities: defineRecordKind<SenderIdentity>('Sender identity', {
    unique: [['projectId', 'emailKey', 'region']],
    index: [['projectId', 'position']],
  }),
  contacts: defineRecordKind<Contact>('Contact', {
    unique: [['projectId', 'emailKey']],
    index: [
      ['projectId', 'createdAt'],
      ['projectId', 'lastReceiveDate'],
      ['projectId', 'lastOpenDate'],
      ['projectId', 'lastClickDate'],
    ],
  }),
  customFields: defineRecordKind<CustomField>('Custom field', { unique: [['projectId', 'key']] }),
  contactTags: defineRecordKind<ContactTag>('Contact tag', {
    unique: [['projectId', 'value']],
    index: [['projectId', 'createdAt']],
  }),
  imports: defineRecordKind<Import>('Import', { index: [['projectId', 'createdAt'], ['state']] }),
  contactChanges: defineRecordKind<AllContactsChange>('Contact change', { unique: [['projectId', 'subject']] }),
  subscriberLists: defineRecordKind<SubscriberList>('Subscriber list', { index: [['projectId', 'createdAt']] }),
  subscribers: defineRecordKind<Subscriber>('Subscriber', {
    unique: [['subscriberListId', 'contactId']],
    index: [
      ['contactId'],
      ['subscriberListId', 'status', 'contactId'],
      ['subscriberListId', 'createdAt'],
      ['status', 'pausedUntil'],
    ],
    sparse: ['owes', 'signupFormId'],
  }),
  signupForms: defineRecordKind<SignupForm>('Signup form', { index: [['projectId', 'createdAt']] }),
  segments: defineRecordKind<Segment>('Segment', { index: [['projectId', 'createdAt']] }),
  campaigns: defineRecordKind<Campaign>('Campaign', {
    index: [['projectId', 'createdAt'], ['status', 'scheduledTo'], ['subscriberListId']],
  }),
  triggeredEmails: defineRecordKind<TriggeredEmail>('Triggered email', {
    index: [['projectId', 'createdAt'], ['subscriberListId']],
  }),
  transactionalEmails: defineRecordKind<TransactionalEmail>('Transactional email', {
    index: [['projectId', 'createdAt']],
  }),
  templates: defineRecordKind<Template>('Template', { index: [['projectId', 'createdAt']] }),
  suppressions: defineRecordKind<Suppression>('Suppression', {
    unique: [['projectId', 'emailKey']],
    index: [['projectId', 'createdAt']],
  }),
  galleryFolders: defineRecordKind<GalleryFolder>('Gallery folder', {
    index: [['parentFolderId'], ['treeId', 'createdAt']],
    owner: galleryOwner,
  }),
  galleryImages: defineRecordKind<GalleryImage>('Gallery image', {
    unique: [['file']],
    index: [
      ['parentFolderId', 'createdAt'],
      ['treeId', 'createdAt'],
    ],
    owner: galleryOwner,
  }),
  persons: defineRecordKind<Person>('Person', { unique: [['emailKey']], owner: {} }),
  identities: defineRecordKind<ExternalIdentity>('Identity', {
    unique: [['digest']],
    index: [['personId']],
    owner: {},
  }),
  teams: defineRecordKind<Team>('Team', { owner: { account: '_id' } }),
  sessions: defineRecordKind<Session>('Session', { unique: [['digest']], index: [['personId']], owner: {} }),
  personLinks: defineRecordKind<PersonLink>('Link', { unique: [['digest']], index: [['accountId']], owner: {} }),
  auditEntries: defineRecordKind<AuditEntry>('Audit entry', { index: [['projectId', 'createdAt']] }),
  savedViews: defineRecordKind<SavedView>('Saved view', { unique: [['projectId', 'personId', 'page', 'name']] }),
  noticeSettings: defineRecordKind<NoticeSettings>('Notice settings', { unique: [['projectId', 'personId']] }),
  unreadEvents: defineRecordKind<UnparsedProviderEvent>('Unread event', { index: [['source']], owner: {} }),
  errorLogReadings: defineRecordKind<ErrorLogReadMark>('Error log'),
  emailLinks: defineRecordKind<EmailClickedLinks>('Links of an email'),
  contents: defineRecordKind<ContentSnapshot>('Content', { index: [['projectId']] }),
  dispatches: defineRecordKind<Dispatch>('Dispatch', {
    index: [['stage'], ['projectId', 'createdAt'], ['emailId', 'createdAt']],
  }),
  addressPages: defineRecordKind<DispatchAddressPage>('Address page', { unique: [['dispatchId', 'place']] }),
  idempotentRequests: defineRecordKind<IdempotentRequest>('Idempotency-Key', { unique: [['projectId', 'key']] }),
  repeatedRequests: defineRecordKind<RepeatedRequest>('Repeated request', { index: [['projectId', 'repeatedAt']] }),
  webhooks: defineRecordKind<Webhook>('Webhook', { index: [['projectId', 'createdAt']] }),
  webhookDeliveries: defineRecordKind<WebhookDelivery>('Webhook delivery', {
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
export type Repositories = { readonly [K in keyof RecordTypes]: Repository<RecordTypes[K]> }

export const buildRepositories = (
  make: <T extends StoredRecord>(collection: string, kind: RecordKind<T>) => Repository<T>,
): Repositories =>
  Object.fromEntries(
    Object.entries(records).map(([collection, kind]) => [
      collection,
      make(collection, kind as unknown as RecordKind<StoredRecord>),
    ]),
  ) as unknown as Repositories
