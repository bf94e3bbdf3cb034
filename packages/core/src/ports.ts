export { issueOperatorToken } from './access/json-web-token.js'
export { type Account, creditKey } from './accounts/account.js'
export { type Campaign, CampaignChanges, CampaignFields, CampaignView, campaignStatuses } from './campaigns/campaign.js'
export { Captcha, captchaAlphabet, type DrawCaptcha } from './captcha/captchas.js'
export { Challenge, ChallengeQuery } from './captcha/proof-of-work.js'
export {
  type Contact,
  ContactChanges,
  ContactFields,
  ContactTagFields,
  ContactTagView,
  ContactView,
  type FieldValue,
} from './contacts/contact.js'
export {
  apiName,
  CustomFieldFields,
  CustomFieldView,
  type FieldType,
  fieldTypes,
  storedDate,
} from './contacts/custom-field.js'
export type { ContactQuestion, ContactSearch } from './contacts/directory/contact-list.js'
export { contactFilters } from './contacts/directory/contact-list.js'
export { DesignSystemView } from './design-systems/design-system.js'
export { DesignSystemChanges, DesignSystemQuery } from './design-systems/design-systems.js'
export {
  type Domain,
  DomainChanges,
  DomainFields,
  DomainView,
  Observed,
  RequiredDns,
  type Tenant,
} from './domains/domain.js'
export type { DnsLookup, Identities, IdentityOf, MailExchange, ProviderIdentity } from './domains/ports.js'
export { Regions } from './domains/regions.js'
export { TemplateChanges, TemplateFields, TemplateView } from './emails/templates.js'
export {
  type TransactionalEmail,
  TransactionalEmailFields,
  TransactionalEmailView,
} from './emails/transactional-emails.js'
export { type TriggeredEmail, TriggeredEmailFields, TriggeredEmailView } from './emails/triggered-emails.js'
export {
  type Counted,
  type Figure,
  type Figures,
  figureSums,
  figuresOf,
  type Metric,
  metrics,
  type Span,
  slotOf,
  subjectOf,
} from './figures/figure.js'
export { SignupFormChanges, SignupFormFields, SignupFormView } from './forms/signup-form.js'
export type { ChallengeVerifier } from './forms/submission.js'
export { SignedUp, SignupSubmission } from './forms/submission.js'
export { GalleryFolderChanges, GalleryFolderFields, GalleryFolderView } from './gallery/folder.js'
export { GalleryQuery } from './gallery/gallery-access.js'
export { GalleryImageChanges, GalleryImageFields, GalleryImageView, type UploadedFile } from './gallery/image.js'
export { type ImageType, imageTypes } from './gallery/image-structure.js'
export type { ServedImage } from './gallery/image-use-cases.js'
export type { HitJournal, JournalEntry, LeftEntry } from './hits/hit-journal.js'
export { type HitDrop, type HitMeter, hitDrops, noHitMeter } from './hits/hit-meter.js'
export { requestLease } from './idempotency/idempotent-request.js'
export { addressBlock, plainAddress } from './kernel/address-block.js'
export { byteBoundedCache, valueBytes } from './kernel/byte-bounded-cache.js'
export { clockCheck } from './kernel/clock-check.js'
export { csvRow, guarded, unguarded } from './kernel/csv-cells.js'
export { addressKey, domainOf } from './kernel/email-address.js'
export { fairLimiter } from './kernel/fair-limiter.js'
export { type FairScheduler, fairScheduler, type ScheduledTask } from './kernel/fair-scheduler.js'
export { hostName } from './kernel/host-name.js'
export { Html, html } from './kernel/html.js'
export { keyedLimiter } from './kernel/keyed-limiter.js'
export { collected, fieldViolations, filterable, ListQueryFields, scannedPage, sortable } from './kernel/listing.js'
export { changesOf, without } from './kernel/merged.js'
export { compareTexts, compareValues } from './kernel/ordering.js'
export { outageLog } from './kernel/outage-log.js'
export { type Fitting, fitting, parsed, refusalOf, unparsed, violations, violationsOf } from './kernel/parsed.js'
export type {
  Clock,
  Counters,
  Files,
  FilesAsked,
  Give,
  Job,
  Jobs,
  NewId,
  Pause,
  Secrets,
  SigningPurpose,
  Sleep,
  StoreClock,
  Take,
} from './kernel/ports.js'
export type { ProjectLimits } from './kernel/project-limits.js'
export { type Allowance, type RateLimit, type RateLimiter, rateLimiter } from './kernel/rate-limiter.js'
export { type References, references } from './kernel/references.js'
export { blocked, busy, duplicate, forbidden, invalid, notFound, Refusal, unavailable } from './kernel/refusal.js'
export {
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
} from './kernel/repository.js'
export { keyScopes } from './kernel/scope.js'
export type { InProject, Stamped } from './kernel/shapes.js'
export { deepestJson, isStorableText, widestJson } from './kernel/storable.js'
export { StoreUnavailable } from './kernel/store-unavailable.js'
export type { Messages } from './languages/en.js'
export { filled, type Language, languages, standardLanguage, wordedFor } from './languages/languages.js'
export type { Enrolment, EnrolmentFailure, Missing, Roster, RosterQuestion } from './lists/membership-store.js'
export {
  type Subscriber,
  type SubscriberStatus,
  SubscriberView,
  statusAt,
  subscriberStatuses,
  withoutOwed,
} from './lists/subscriber.js'
export {
  type SubscriberList,
  SubscriberListChanges,
  SubscriberListFields,
  SubscriberListView,
} from './lists/subscriber-list.js'
export { ListPreference, PreferenceChanges } from './lists/subscriptions/preferences.js'
export { ListStats } from './lists/subscriptions/subscriber-lists.js'
export {
  OpenSubscribeFields,
  Subscribed,
  SubscribeFields,
  SubscriberChanges,
  subscriberFilters,
  subscriberQueryViolations,
} from './lists/subscriptions/subscribers.js'
export type { EmailContent } from './mail/content.js'
export { linkFolder } from './mail/link-tables.js'
export type { FeedReader, PlainText, TemplateTrial, VisualRenderer } from './mail/ports.js'
export { type EmailToPrepare, type PreparedEmail, prepareEmail } from './mail/rendering.js'
export type { MailRejected } from './mail-reports/mail-reports.js'
export type { ReturnedMail, ReturnedReport } from './mail-reports/returned-mail.js'
export type { CloudAccount, CloudCredentials, CloudStanding } from './own-cloud/cloud-account.js'
export { CloudCheckFields } from './own-cloud/cloud-check.js'
export { ownEventsName } from './own-cloud/own-events.js'
export { CloudChecked, SetupLink } from './own-cloud/use-cases.js'
export { AccessApplication, AccessRequestView, Applied, requestStatuses } from './production-access/access-request.js'
export { LimitIncreaseFields, pendingIncrease } from './production-access/limit-increase.js'
export { ProductionAccess } from './production-access/production-access.js'
export { type AccountOf, accountLookup } from './projects/account-of.js'
export { BrowserAccess, type BrowserAccessNeeded } from './projects/browser-access.js'
export { AutoRemoveFromList, type Project, ProjectChanges, ProjectView } from './projects/project.js'
export { type Repositories, records, repositoriesOf } from './records.js'
export { ProductionDeliverability, SandboxDeliverability } from './reports/deliverability.js'
export { type Retention, standardRetention } from './retention/retention.js'
export { conditionViolations } from './segments/conditions.js'
export { engagementDates, isBuiltInProperty, matches } from './segments/matches.js'
export {
  engagementOperators,
  Groups,
  type MeantCondition,
  type MeantGroups,
  operators,
  type Segment,
  SegmentChanges,
  SegmentFields,
  SegmentView,
} from './segments/segment.js'
export { type SegmentWords, segmentIn } from './segments/segment-query.js'
export { type SenderIdentity, SenderIdentityFields, SenderIdentityView } from './sender-identities/sender-identity.js'
export { Removed } from './sender-identities/use-cases.js'
export { monthKey, sandboxDayKey } from './sending/acceptance/quota.js'
export type { Audience, AudienceCount, AudienceQuestion } from './sending/audience/audience.js'
export type { Lane } from './sending/channels/channel.js'
export { channelKey, type OwnChannel } from './sending/channels/channel.js'
export { type Mail, type Mailer, type Mailers, MailerUnavailable, type MailOutcome } from './sending/channels/mailer.js'
export { ownAccounts } from './sending/channels/own-accounts.js'
export type { ChannelRate } from './sending/channels/rate-limiter.js'
export {
  type MailBatch,
  type MailResult,
  type MailToSend,
  type RenderAndSend,
  renderingAndSending,
  type UnconfirmedCells,
  type UnconfirmedSlots,
  unconfirmedSlots,
  unconfirmedSlotsIn,
} from './sending/engine/render-and-send.js'
export {
  type Acceptance,
  type Accepted,
  type Backlog,
  type Claim,
  type Deliveries,
  type DeliveryQuery,
  type DeliveryWhere,
  type Expansion,
  type Holding,
  mostNamedCounts,
  type NamedCount,
  type Settlement,
} from './sending/ledger/deliveries.js'
export {
  canMoveDelivery,
  type Delivery,
  type DeliveryMark,
  type DeliveryMarks,
  type DeliveryMove,
  type DeliveryStatus,
  deliveryId,
  deliveryMarks,
  deliveryMoves,
  deliveryStatuses,
  dispatchOf,
  type ExclusionReason,
  exclusionReasons,
  isNewLink,
  mostMarkNames,
  type Queue,
  withMark,
  withNames,
} from './sending/ledger/delivery.js'
export type { Content, Dispatch, DispatchKind } from './sending/ledger/dispatch.js'
export {
  type DispatchResults,
  type FailureCount,
  type MarkCount,
  mostFailures,
  type ResultCounts,
  type ResultWalk,
} from './sending/ledger/dispatch-results.js'
export {
  canMoveDispatch,
  dispatchMoves,
  mayRetry,
  moveDispatch,
  retriedStage,
} from './sending/ledger/dispatch-stage.js'
export type { MailMeter } from './sending/ledger/mail-meter.js'
export { standardRestriction } from './sending/restriction/restriction.js'
export {
  classifyRefusal,
  type FailureClass,
  failureClasses,
  failureClassOf,
  isPermanentRefusal,
  statusIn,
} from './sending/returns/bounce-classifier.js'
export { subjectOfWords } from './sending/returns/refusal-phrases.js'
export type { PageReader } from './sends/page-readers.js'
export { RenderedPreview, RenderPreview } from './sends/previews.js'
export { SendAnswer, SendTransactional, SendTriggered, Success } from './sends/sends.js'
export { TestEmail, TestSent } from './sends/test-emails.js'
export {
  CampaignReport,
  type CampaignUnderWay,
  ReportLink,
  type ReportTimeline,
  type TimelineMetric,
  timelineMetrics,
} from './statistics/campaign-report.js'
export {
  ExcludedRecipient,
  exclusionFilters,
  exclusionSorts,
  exclusionViolations,
  type OpenedReport,
  ReportLinkFields,
  RetriedMails,
} from './statistics/campaign-reports.js'
export { EmailErrorLog } from './statistics/error-log.js'
export {
  EmailRecipient,
  recipientFilters,
  recipientSorts,
  recipientStatuses,
  recipientViolations,
} from './statistics/recipient.js'
export { RecipientExport, recipientFormats, recipientTexts } from './statistics/recipient-export.js'
export { EmailStatistics, EmailTotals, StatisticsQuery } from './statistics/statistics.js'
export type { EmailKind } from './statistics/use-cases.js'
export { type StorePorts, storePortsOf } from './store-ports.js'
export { newSuppression, type Suppression, SuppressionFields, SuppressionView } from './suppressions/suppression.js'
export { SuppressionQuery } from './suppressions/use-cases.js'
export { issueToken } from './tokens/issue-token.js'
export { readToken, type TokenPayload } from './tokens/tokens.js'
export { type Hit, type HitContext, settlesAfter, type Verdict, verdictOf } from './tracking/machines.js'
export type { SettledPost, WebhookClaim, WebhookOutbox } from './webhooks/outbox.js'
export type { EventPost, EventPoster, PostOutcome } from './webhooks/ports.js'
export { ReplayEvents, ReplayedEvents } from './webhooks/replaying.js'
export { TestWebhook } from './webhooks/use-cases.js'
export { WebhookFields, WebhookView, webhookEventTypes } from './webhooks/webhook.js'
export { type WebhookDelivery, webhookDeliveryStates } from './webhooks/webhook-delivery.js'
export { WebhookEvent } from './webhooks/webhook-event.js'
export { type WebhookLogEntry, WebhookLoggedEventView, WebhookLogView } from './webhooks/webhook-log.js'
