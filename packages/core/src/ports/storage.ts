/** For authors of stores: the storage ports, the records, and what their queries mean. */
export { type Account, creditKey } from '../accounts/account.js'
export { type Campaign, campaignStatuses } from '../campaigns/campaign.js'
export type { Contact, FieldValue } from '../contacts/contact.js'
export { apiName, type FieldType, fieldKey, fieldTypes, nameProblem, storedDate } from '../contacts/custom-field.js'
export type { ContactQuery, ContactSearch, NextContacts } from '../contacts/directory/contact-list.js'
export type { Domain } from '../domains/domain.js'
export type { TransactionalEmail } from '../emails/transactional-emails.js'
export type { TriggeredEmail } from '../emails/triggered-emails.js'
export { compareTexts, compareValues } from '../kernel/collections.js'
export { addressKey, domainOf } from '../kernel/email-address.js'
export { collected, scannedPage } from '../kernel/listing.js'
export type { Counters, Give, StoreClock, Take } from '../kernel/ports.js'
export { type References, references } from '../kernel/references.js'
export { StoreUnavailable } from '../kernel/refusal.js'
export {
  type Containing,
  isContaining,
  KeyTaken,
  LimitReached,
  type ListQuery,
  type Page,
  type RecordKind,
  type Repository,
  type Room,
  record,
  type Scalar,
  type Sort,
  type Stored,
  type Where,
  type WhereValue,
} from '../kernel/repository.js'
export type { Stamped } from '../kernel/shapes.js'
export { isStorableText } from '../kernel/storable.js'
export type {
  MembershipQuery,
  MembershipStore,
  MemberToAdd,
  MemberUpsertFailure,
  Missing,
} from '../lists/membership-store.js'
export {
  type RowMembership,
  type Subscriber,
  type SubscriberStatus,
  statusAt,
  subscriberStatuses,
  withoutOwed,
} from '../lists/subscriber.js'
export type { SubscriberList } from '../lists/subscriber-list.js'
export type { EmailContent } from '../mail/content.js'
export { linkFolder } from '../mail/link-tables.js'
export { pendingIncrease, requestStatuses } from '../production-access/access-request.js'
export { AutoRemoveFromList, type Project } from '../projects/project.js'
export { type Repositories, records, repositoriesOf } from '../records.js'
export {
  type Counted,
  type Figure,
  type Figures,
  figureSums,
  figuresOf,
  type Metric,
  metricNames,
  type Span,
  slotOf,
  subjectOf,
} from '../reporting/figures/figure.js'
export { conditionViolations } from '../segments/conditions.js'
export { engagementDates, isBuiltInProperty, matches } from '../segments/matches.js'
export {
  engagementOperators,
  Groups,
  operators,
  type ResolvedCondition,
  type ResolvedGroups,
  type Segment,
} from '../segments/segment.js'
export { compileSegment, type SegmentOperators } from '../segments/segment-query.js'
export type { SenderIdentity } from '../sender-identities/sender-identity.js'
export { monthKey, sandboxDayKey } from '../sending/acceptance/quota.js'
export type { Audience, AudienceCount, AudienceQuery } from '../sending/audience/audience.js'
export { channelKey, type Lane } from '../sending/channels/channel.js'
export {
  type Acceptance,
  type Accepted,
  type Backlog,
  type Claim,
  type Deliveries,
  type DeliveryQuery,
  type DeliveryWalk,
  type DeliveryWhere,
  type Expansion,
  type HeldMails,
  type Holding,
  mostNamedCounts,
  neverDue,
  type Reclaimed,
  type Settlement,
  sumsOf,
} from '../sending/ledger/deliveries.js'
export {
  canMoveDelivery,
  type Delivery,
  type DeliveryError,
  type DeliveryMark,
  type DeliveryMarks,
  type DeliveryMove,
  type DeliveryStatus,
  deliveryId,
  deliveryMarks,
  deliveryMoves,
  deliveryStatuses,
  dispatchIdOf,
  type ExclusionReason,
  exclusionReasons,
  type Happening,
  isChosen,
  isNewLink,
  mostHappened,
  mostMarkNames,
  type Queue,
  type RetryChoice,
  withMark,
  withNames,
} from '../sending/ledger/delivery.js'
export type { Content, Dispatch, DispatchKind } from '../sending/ledger/dispatch.js'
export {
  canMoveDispatch,
  dispatchMoves,
  mayRetry,
  moveDispatch,
  retriedStage,
} from '../sending/ledger/dispatch.js'
export {
  type DispatchResults,
  type FailureCount,
  type MarkCount,
  mostFailures,
  type ResultCounts,
} from '../sending/ledger/dispatch-results.js'
export { type StorePorts, storePortsOf } from '../store-ports.js'
export { newSuppression, type Suppression } from '../suppressions/suppression.js'
export type { SettledPost, WebhookOutbox, WebhookRef } from '../webhooks/ports.js'
export type { WebhookLogEntry } from '../webhooks/webhook-delivery.js'
export { type WebhookDelivery, webhookDeliveryStates } from '../webhooks/webhook-delivery.js'
