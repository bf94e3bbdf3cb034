import {
  type Account,
  AutoRemoveFromList,
  addressKey,
  type Campaign,
  type Contact,
  type ContentSnapshot,
  type Delivery,
  type Dispatch,
  type Domain,
  deliveryId,
  type EmailContent,
  type Project,
  type Segment,
  type SenderIdentity,
  type Subscriber,
  type SubscriberList,
  type Suppression,
  type TransactionalEmail,
  type TriggeredEmail,
  type WebhookDelivery,
} from '@posthorn/core/ports/storage'
import { type ObservedDns, SubscriberListFields } from '@posthorn/core/ports/transport'

/** The n-th `_id`: 24 hexadecimal digits, increasing with n. */
export const numberedId = (n: number) => n.toString(16).padStart(24, '0')

export const aTime = '2026-01-06T12:00:00.000Z'

const accountId = numberedId(0xa)
const projectId = numberedId(0xb)
const subscriberListId = numberedId(0xc)
const stamps = { createdAt: aTime, updatedAt: aTime }
const inProject = { _id: numberedId(1), projectId, ...stamps }
const email = {
  name: 'News',
  subject: 'Hello {{contact.name}}',
  type: 'html',
  document: '<p>Dear {{contact.name}}</p>',
  feeds: [],
} as const satisfies EmailContent

export const anAccount = (given: Partial<Account> = {}): Account => ({
  _id: accountId,
  name: 'Acme',
  urlFriendlyName: 'acme',
  creditGranted: 10_000,
  ...stamps,
  ...given,
})

/** In production, of `anAccount`. */
export const aProject = (given: Partial<Project> = {}): Project => ({
  _id: projectId,
  accountId,
  name: 'Shop',
  designSystemId: numberedId(0xd),
  status: 'production',
  restricted: false,
  unengagedContactSegment: { groups: [] },
  monthlyLimit: 0,
  autoRemoveFromList: AutoRemoveFromList.parse({}),
  whiteList: [],
  browserAccess: 'full',
  ...stamps,
  ...given,
})

export const aSenderIdentity = (given: Partial<SenderIdentity> = {}): SenderIdentity => {
  const address = given.email ?? 'post@example.com'
  return {
    ...inProject,
    email: address,
    emailKey: addressKey(address),
    name: 'Post',
    region: 'eu-west-1',
    position: 1,
    ...given,
  }
}

/** The result of a domain check: every record exists unless it is given as false. */
export const anObservedDns = (given: Partial<Record<'spf' | 'dmarc' | 'mx' | 'dkim', boolean>> = {}): ObservedDns => {
  const seen = { spf: true, dmarc: true, mx: true, dkim: true, ...given }
  const reading = (present: boolean) => ({ present, raw: '', checkedAt: aTime })
  return {
    spf: reading(seen.spf),
    dmarc: reading(seen.dmarc),
    mx: reading(seen.mx),
    dkim: { selectors: seen.dkim ? ['s1', 's2', 's3'] : [], allOk: seen.dkim, checkedAt: aTime },
    allOk: Object.values(seen).every((one) => one),
  }
}

/** Verified, with every record in place. */
export const aDomain = (given: Partial<Domain> = {}): Domain => ({
  ...inProject,
  domain: 'example.com',
  region: 'eu-west-1',
  tenant: { name: 'tenant', configurationSet: 'set' },
  requiredDns: {
    dkimCNAMEs: [],
    mx: { type: 'MX', name: 'mail.example.com', value: 'feedback.example.net', priority: '10' },
    spf: { type: 'TXT', name: 'mail.example.com', value: 'v=spf1 -all' },
    dmarc: { type: 'TXT', name: '_dmarc.example.com', value: 'v=DMARC1; p=none' },
  },
  observed: anObservedDns(),
  verifiedAt: aTime,
  ...given,
})

export const aContact = (given: Partial<Contact> = {}): Contact => {
  const address = given.email ?? 'ada@example.com'
  return {
    ...inProject,
    email: address,
    emailKey: addressKey(address),
    name: 'Ada',
    tags: [],
    customFields: {},
    ...given,
  }
}

export const aSubscriberList = (given: Partial<SubscriberList> = {}): SubscriberList => ({
  ...inProject,
  _id: subscriberListId,
  ...SubscriberListFields.parse({ name: 'Readers' }),
  ...given,
})

/** An active subscriber of `aSubscriberList`. */
export const aSubscriber = (given: Partial<Subscriber> = {}): Subscriber => ({
  ...inProject,
  subscriberListId,
  contactId: numberedId(1),
  status: 'active',
  ...given,
})

export const aSegment = (given: Partial<Segment> = {}): Segment => ({
  ...inProject,
  name: 'Everybody',
  groups: [{ conditions: [] }],
  ...given,
})

export const aSuppression = (given: Partial<Suppression> = {}): Suppression => {
  const address = given.email ?? 'ada@example.com'
  return { ...inProject, email: address, emailKey: addressKey(address), reason: '', ...given }
}

/** A draft to `aSubscriberList`. */
export const aCampaign = (given: Partial<Campaign> = {}): Campaign => ({
  ...inProject,
  ...email,
  status: 'draft',
  timeZone: 'UTC',
  subscriberListId,
  excludeUnengaged: false,
  ...given,
})

export const aTriggeredEmail = (given: Partial<TriggeredEmail> = {}): TriggeredEmail => ({
  ...inProject,
  ...email,
  subscriberListId,
  excludeUnengaged: false,
  ...given,
})

export const aTransactionalEmail = (given: Partial<TransactionalEmail> = {}): TransactionalEmail => ({
  ...inProject,
  ...email,
  ...given,
})

export const aContentSnapshot = (given: Partial<ContentSnapshot> = {}): ContentSnapshot => ({
  ...inProject,
  email,
  from: { email: 'post@example.com', name: 'Post', region: 'eu-west-1' },
  ...given,
})

/** A campaign to `aSubscriberList` whose audience has not been read. */
export const aDispatch = (given: Partial<Dispatch> = {}): Dispatch => ({
  ...inProject,
  accountId,
  kind: 'campaign',
  emailId: numberedId(2),
  contentId: 'content',
  audience: { kind: 'list', subscriberListId, excludeUnengaged: false },
  channel: { account: 'server' },
  tracking: { opens: false, clicks: false },
  stage: 'expanding',
  creditsHeld: 0,
  progressAt: aTime,
  ...given,
})

/** Queued and due. The default `_id` combines the dispatch with the contact or address. */
export const aDelivery = (given: Partial<Delivery> = {}): Delivery => {
  const dispatchId = given.dispatchId ?? numberedId(1)
  const address = given.email ?? 'ada@example.com'
  return {
    _id: deliveryId(dispatchId, given.contactId ?? addressKey(address)),
    dispatchId,
    projectId,
    lane: 'bulk',
    email: address,
    status: 'queued',
    attempts: 0,
    notBefore: aTime,
    ...stamps,
    ...given,
  }
}

const sentBody = {
  type: 'sent',
  account: { _id: accountId, name: 'Acme', urlFriendlyName: 'acme' },
  project: { _id: projectId, name: 'Shop' },
  createdAt: aTime,
  emailData: {
    _id: numberedId(0xe),
    dispatchId: numberedId(0xd),
    deliveryId: `${numberedId(0xd)}:${numberedId(1)}`,
    sentAt: aTime,
    to: 'ada@example.com',
    type: 'campaign',
    subject: 'Hello',
  },
}

/** A `sent` event for the webhook of `aProject`. */
export const aWebhookDelivery = (given: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  ...inProject,
  webhookId: given.projectId ?? inProject.projectId,
  eventId: 'event',
  type: 'sent',
  body: JSON.stringify(sentBody),
  state: 'pending',
  attempts: 0,
  nextAt: aTime,
  log: [],
  ...given,
})
