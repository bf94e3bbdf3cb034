/** For authors of mailers, receivers of bounces, and HTTP: the mail ports, and the shapes of requests and responses. */
export { ApiKeyFields, ApiKeyView, CreatedApiKey } from '../access/api-keys.js'
export { AudiencePreview, ExcludedPreviewPage, ExcludedPreviewQuery } from '../campaigns/audience-preview.js'
export { CampaignChanges, CampaignFields, CampaignView } from '../campaigns/campaign.js'
export { CampaignProgress } from '../campaigns/campaign-controls.js'
export { CampaignQuery } from '../campaigns/campaigns.js'
export { RetryFields, RetryPreview } from '../campaigns/retry-preview.js'
export { CaptchaChallenge } from '../captcha/captchas.js'
export { Challenge, ChallengeQuery } from '../captcha/proof-of-work.js'
export { ContactChanges, ContactFields, ContactTagFields, ContactTagView, ContactView } from '../contacts/contact.js'
export {
  columnTypeGuesser,
  csvFieldFinder,
  detectCsvColumnTypes,
  readCsvHeadings,
} from '../contacts/csv/csv-columns.js'
export {
  assertText,
  type DetectedEncoding,
  detectEncoding,
  type ReadFileFromStart,
} from '../contacts/csv/csv-encoding.js'
export { linesOf, longestRow } from '../contacts/csv/csv-lines.js'
export { type BrokenRow, type CsvRow, csvRows } from '../contacts/csv/csv-rows.js'
export { CustomFieldFields, CustomFieldView } from '../contacts/custom-field.js'
export {
  BulkAnswer,
  BulkContacts,
  BulkQuery,
  mostBulkContactRows,
} from '../contacts/directory/bulk.js'
export { UnreadableRow } from '../contacts/directory/bulk-rows.js'
export { BulkActionBatchResult, ContactBulkAction } from '../contacts/directory/contact-act.js'
export { ContactExportQuery, contactExportText } from '../contacts/directory/contact-export.js'
export { ContactListQuery, contactFilterFields } from '../contacts/directory/contact-list.js'
export { importRowReader } from '../contacts/directory/import-rows.js'
export { ImportFailedRows } from '../contacts/imports/failed-rows.js'
export {
  ImportFields,
  ImportPreview,
  ImportPreviewQuery,
  ImportStart,
  ImportView,
  type StoredImportFile,
} from '../contacts/imports/import.js'
export { ndjsonRows } from '../contacts/imports/ndjson-rows.js'
export { DesignSystemView } from '../design-systems/design-system.js'
export { DesignSystemChanges, DesignSystemQuery } from '../design-systems/design-systems.js'
export {
  DomainChanges,
  DomainFields,
  DomainView,
  ObservedDns,
  Regions,
  RequiredDns,
  type Tenant,
} from '../domains/domain.js'
export type { DomainIdentities, DomainIdentity, DomainIdentityReference } from '../domains/ports.js'
export { TemplateChanges, TemplateDocument, TemplateFields, TemplateView } from '../emails/templates.js'
export { TransactionalEmailFields, TransactionalEmailView } from '../emails/transactional-emails.js'
export { TriggeredEmailFields, TriggeredEmailView } from '../emails/triggered-emails.js'
export { SignupFormChanges, SignupFormFields, SignupFormFigures, SignupFormView } from '../forms/signup-form.js'
export { SignedUp, SignupSubmission } from '../forms/submission.js'
export { GalleryFolderChanges, GalleryFolderFields, GalleryFolderView } from '../gallery/folder.js'
export { GalleryQuery } from '../gallery/gallery-access.js'
export {
  GalleryImageChanges,
  GalleryImageFields,
  GalleryImageMove,
  GalleryImageView,
  type UploadedFile,
} from '../gallery/image.js'
export { type ImageType, imageTypes } from '../gallery/image-format.js'
export { type ImageUse, ImageUses } from '../gallery/image-uses.js'
export type { ServedImage } from '../gallery/images.js'
export { idempotentRequestLeaseTime, RepeatedRequestView } from '../idempotency/idempotent-requests.js'
export { ipAddressBlock, unmappedIpAddress } from '../kernel/address-block.js'
export { csvRow, escapedFormulas } from '../kernel/csv-cells.js'
export { hostName } from '../kernel/host-name.js'
export { Html, html } from '../kernel/html.js'
export { filterableFieldsOf, ListQueryFields, listQueryViolations, sortableFieldsOf } from '../kernel/listing.js'
export { changesSchemaOf } from '../kernel/merged.js'
export {
  parsed,
  partlyValidInput,
  uncheckedInput,
  type ValidParts,
  violationSentences,
  violationsOf,
} from '../kernel/parsed.js'
export { versionedChangesSchemaOf } from '../kernel/project-resource.js'
export { refusalOfViolations } from '../kernel/refusal.js'
export { keyScopes, type Permission, permissions } from '../kernel/scope.js'
export { mostJsonLevels, mostJsonValues } from '../kernel/storable.js'
export type { Messages } from '../languages/en.js'
export {
  fillPlaceholders,
  type Language,
  languageOfTag,
  languages,
  ProjectLanguage,
  standardLanguage,
  translatedDefault,
} from '../languages/languages.js'
export { SubscribeFields, SubscriberView } from '../lists/subscriber.js'
export { SubscriberListChanges, SubscriberListFields, SubscriberListView } from '../lists/subscriber-list.js'
export { BulkSubscribed, BulkSubscribers } from '../lists/subscriptions/bulk-subscriptions.js'
export { Subscription, SubscriptionQuery } from '../lists/subscriptions/contact-subscriptions.js'
export { ListPreference, PreferenceChanges } from '../lists/subscriptions/preferences.js'
export { ListStats } from '../lists/subscriptions/subscriber-lists.js'
export {
  OpenSubscribeFields,
  Subscribed,
  SubscriberChanges,
  subscriberFilterFields,
  subscriberQueryViolations,
} from '../lists/subscriptions/subscribers.js'
export { contentViolations } from '../mail/content.js'
export {
  KeptMailHistory,
  KeptSince,
  MailHistory,
  MailHistoryQuery,
  mailHistoryFilters,
} from '../mail-history/mail-history.js'
export { FoundMails, MailExportQuery, MailSearchQuery } from '../mail-history/mail-search.js'
export { NoticeChanges, NoticeSettingsView } from '../notices/notice-settings.js'
export {
  AccessReviewsQuery,
  CreditFields,
  OperatedAccount,
  OperatedAccountPage,
  OperatedProjectPage,
  OperatedServer,
  OperatorAccountsQuery,
  OperatorProjectsQuery,
  ReviewedProject,
  ReviewedProjectPage,
  ServerChecks,
  ServerReport,
} from '../operator/operator-views.js'
export {
  type CloudAccount,
  CloudCheckFields,
  type CloudCredentials,
  type CloudSendingStatus,
  type CloudWarning,
} from '../own-cloud/cloud-check.js'
export { CloudChecked, ownCloudEventsName, SetupLink } from '../own-cloud/own-cloud.js'
export { type AuditAuthor, AuditEntryView, AuditPage, AuditQuery } from '../people/audit.js'
export {
  AcceptInvitation,
  InvitationView,
  MemberChanges,
  MemberView,
  NewInvitation,
  OperatorReadOnlyView,
  OwnProfileChanges,
  PasswordChange,
  PasswordConfirmation,
  PasswordResetAnswer,
  PasswordResetRequest,
  PeopleView,
  PersonView,
  ProviderSignInAnswer,
  ProviderSignInUrl,
  providerSignInTimeout,
  Reauthentication,
  RedeemLink,
  RedeemSetup,
  ResetPassword,
  type RoleMembership,
  SessionView,
  SignedIn,
  type SignedInPerson,
  SignIn,
  SignInOptions,
  TotpChange,
  TotpSetupAnswer,
} from '../people/person.js'
export { ReadOnlyViewFields } from '../people/read-only-views.js'
export { type Role, rolePermissions, roles } from '../people/roles.js'
export { SavedViewChanges, SavedViewFields, SavedViewView } from '../people/saved-views.js'
export type { OpenedSession, SignInClient } from '../people/sessions.js'
export {
  AccessApplication,
  AccessApplicationReceipt,
  AccessRequestView,
  ApprovalFields,
  DeclineFields,
  LimitIncreaseFields,
  MonthlyLimitFields,
} from '../production-access/access-request.js'
export { ProductionAccess } from '../production-access/access-requests.js'
export { BrowserAccessLevel, type BrowserAccessNeeded, ProjectChanges, ProjectView } from '../projects/project.js'
export { CampaignReport, ReportLink, type TimelineMetric } from '../reporting/campaign-report.js'
export {
  CampaignResults,
  CampaignResultsQuery,
  ExcludedRecipient,
  excludedRecipientFilters,
  exclusionListQueryViolations,
  exclusionSortFields,
  type PublicCampaignReport,
  RetriedMails,
} from '../reporting/campaign-reports.js'
export { ProductionDeliverability, SandboxDeliverability } from '../reporting/deliverability.js'
export { type EmailKind, EmailStatistics, StatisticsQuery } from '../reporting/email-statistics.js'
export { EmailErrorLog } from '../reporting/error-log.js'
export { SpanQuery } from '../reporting/figures/span.js'
export { Overview, OverviewQuery } from '../reporting/overview.js'
export { ProviderReport, ProviderReportQuery } from '../reporting/provider-report.js'
export {
  EmailRecipient,
  RecipientExportFields,
  recipientExportChunks,
  recipientFilterShape,
  recipientFormats,
  recipientListQueryViolations,
  recipientSorts,
  recipientStatuses,
} from '../reporting/recipients.js'
export { RetentionView } from '../retention/retention.js'
export { SegmentChanges, SegmentFields, SegmentView } from '../segments/segment.js'
export { Removed } from '../sender-identities/sender-identities.js'
export { SenderIdentityFields, SenderIdentityView } from '../sender-identities/sender-identity.js'
export type { OwnChannel } from '../sending/channels/channel.js'
export {
  type Mail,
  type Mailer,
  type Mailers,
  MailerUnavailable,
  type MailOutcome,
  ownAccountLookup,
} from '../sending/channels/mailer.js'
export type { ChannelRate } from '../sending/channels/rate-limiter.js'
export { RestrictionFields } from '../sending/restriction/restriction.js'
export {
  enhancedStatusIn,
  failureClasses,
  failureClassOf,
  isPermanentRefusal,
} from '../sending/returns/bounce-classifier.js'
export { refusalSubjectOfText } from '../sending/returns/refusal-phrases.js'
export { BatchAnswer, SendBatch } from '../sends/batch-sends.js'
export { CancelAnswer, DirectSend, DirectSendAnswer } from '../sends/direct-sends.js'
export type { PageVisitor } from '../sends/page-readers.js'
export { DocumentPreview, RenderedPreview, RenderPreview } from '../sends/previews.js'
export { SendAnswer, SendTransactional, SendTriggered, Success } from '../sends/sends.js'
export type { SmtpSubmissionUseCases, SubmittedMail } from '../sends/submission.js'
export { QueuedTestEmail, TestEmail, TestTemplate } from '../sends/test-emails.js'
export { LiftSuppressionFields, SuppressionFields, SuppressionView } from '../suppressions/suppression.js'
export { SuppressionQuery } from '../suppressions/suppressions.js'
export { addressFingerprint, signedToken } from '../tokens/signed-token.js'
export { readToken, type TokenPayload } from '../tokens/tokens.js'
export type { Hit } from '../tracking/classification.js'
export type { ProviderDroppedMailReport } from '../tracking/delivery-events.js'
export type { ReturnedMailEvent, ReturnedMailUseCases } from '../tracking/returned-mail.js'
export { ReplayEvents, ReplayedEvents } from '../webhooks/event-replay.js'
export { WebhookFields, WebhookView, webhookEventTypes } from '../webhooks/webhook.js'
export { TestWebhook } from '../webhooks/webhook-actions.js'
export { WebhookLoggedEventView, WebhookLogView } from '../webhooks/webhook-delivery.js'
export {
  WebhookEndpointChanges,
  WebhookEndpointFields,
  WebhookEndpointView,
} from '../webhooks/webhook-endpoint.js'
export { WebhookEvent } from '../webhooks/webhook-event.js'
