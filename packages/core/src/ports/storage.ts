/** For authors of stores: the storage ports, the records, and what their queries mean. */
export { type Account, creditCounterKey } from '../accounts/account.js'
export { type Campaign, campaignStatuses } from '../campaigns/campaign.js'
export type { Contact, EndedMembership, FieldValue } from '../contacts/contact.js'
export {
  customFieldDateText,
  customFieldTypes,
  type FieldType,
  fieldApiName,
  fieldKey,
  fieldNameProblem,
} from '../contacts/custom-field.js'
export type { ContactQuery, ContactSearch, NextContactsQuery } from '../contacts/directory/contact-list.js'
export type { Domain } from '../domains/domain.js'
export type { TransactionalEmail } from '../emails/transactional-emails.js'
export type { TriggeredEmail } from '../emails/triggered-emails.js'
export { compareByCodePoint, compareValues } from '../kernel/collections.js'
export { addressKey, domainOf } from '../kernel/email-address.js'
export { collected, scannedPage } from '../kernel/listing.js'
export type { CounterGive, Counters, CounterTake, StoreClock } from '../kernel/ports.js'
export { type ReferenceGuard, referenceGuard } from '../kernel/references.js'
export { StoreUnavailable } from '../kernel/refusal.js'
export {
  type ContainingText,
  defineRecordKind,
  isContainingText,
  KeyTaken,
  type ListSort,
  type Page,
  type RecordKind,
  type RecordLimit,
  RecordLimitReached,
  type Repository,
  type RepositoryListQuery,
  type Scalar,
  type StoredRecord,
  type Where,
  type WhereValue,
} from '../kernel/repository.js'
export type { Stamped } from '../kernel/shapes.js'
export { isStorableText } from '../kernel/storable.js'
export type {
  MembershipQuery,
  MembershipStore,
  MembershipToAdd,
  MemberUpsertFailure,
  MissingContactOrList,
} from '../lists/membership-store.js'
export {
  type ImportedMembership,
  type Subscriber,
  type SubscriberStatus,
  subscriberStatusAt,
  subscriberStatuses,
  subscriberWithoutOwedEvent,
} from '../lists/subscriber.js'
export type { SubscriberList } from '../lists/subscriber-list.js'
export type { EmailContent } from '../mail/content.js'
export { linkFolder } from '../mail/link-tables.js'
export { accessRequestStatuses, pendingLimitIncrease } from '../production-access/access-request.js'
export { AutoRemoveFromList, type Project } from '../projects/project.js'
export { buildRepositories, type Repositories, records } from '../records.js'
export {
  type Figure,
  type FigureKey,
  type FigureMetric,
  type Figures,
  figureAccumulator,
  figureMetricNames,
  figureSubject,
  quarterHourFigures,
  quarterHourOf,
  type TimeSpan,
} from '../reporting/figures/figure.js'
export { conditionViolations } from '../segments/conditions.js'
export { engagementDateFields, isBuiltInProperty, matchesSegment } from '../segments/matches.js'
export {
  conditionOperators,
  engagementOperators,
  type ResolvedCondition,
  type ResolvedGroups,
  type Segment,
  SegmentGroups,
} from '../segments/segment.js'
export { compileSegment, type SegmentQueryBuilder } from '../segments/segment-query.js'
export type { SenderIdentity } from '../sender-identities/sender-identity.js'
export { monthCounterKey, sandboxDayKey } from '../sending/acceptance/quota.js'
export type { AudienceCount, AudienceQuery, AudienceReader } from '../sending/audience/audience.js'
export { channelKey, type Lane } from '../sending/channels/channel.js'
export {
  type AcceptanceResult,
  type AudienceExpansion,
  type Backlog,
  type Deliveries,
  type DeliveryQuery,
  type DeliveryWhere,
  type DispatchToAccept,
  type HeldMails,
  type LedgerCreditHold,
  mostIdempotentFigureCounts,
  type NewestDeliveriesQuery,
  neverDue,
  type QueueClaim,
  type Reclaimed,
  type Settlement,
  summedTakes,
} from '../sending/ledger/deliveries.js'
export {
  canMoveDelivery,
  compareByTurn,
  type Delivery,
  type DeliveryError,
  type DeliveryMark,
  type DeliveryMarkCounts,
  type DeliveryMove,
  type DeliveryStatus,
  deliveryId,
  deliveryMarks,
  deliveryMoves,
  deliveryStatuses,
  dispatchIdOf,
  type ExclusionReason,
  exclusionReasons,
  isChosenForRetry,
  isUnclickedLink,
  type MailHappening,
  mostDeliveryMarkNames,
  mostHappeningsKept,
  type QueueKey,
  type RetryChoice,
  withDeliveryCountsOnce,
  withMark,
} from '../sending/ledger/delivery.js'
export {
  type ContentSnapshot,
  canMoveDispatch,
  type Dispatch,
  type DispatchKind,
  dispatchMoves,
  mayRetryDispatch,
  moveDispatch,
  stageAfterRetry,
} from '../sending/ledger/dispatch.js'
export {
  type DispatchResults,
  type FailureCount,
  mostListedFailures,
  resultCounter,
} from '../sending/ledger/dispatch-results.js'
export { type StorePorts, storePortsOf } from '../store-ports.js'
export { newSuppression, type Suppression } from '../suppressions/suppression.js'
export type { SettledPost, WebhookOutbox, WebhookRef } from '../webhooks/ports.js'
export { type WebhookDelivery, type WebhookLogEntry, webhookDeliveryStates } from '../webhooks/webhook-delivery.js'
