// Generated from the endpoint rows by `npm run docs` (scripts/client). Do not edit.
import type { DownloadedFile, FileInput } from './files.js'
import type { Page, Pages } from './pages.js'
import type { RequestOptions } from './transport.js'

/** Every endpoint as `resource.verb`. */
export interface Api {
  /** An email to a list, or to a segment of it, now or at a given time. */
  readonly campaigns: CampaignsCalls
  /** An email that your program sends to subscribers of one list when something happens. */
  readonly triggeredEmails: TriggeredEmailsCalls
  /** An email to one person about something they did: a receipt, a password reset, a confirmation. */
  readonly transactionalEmails: TransactionalEmailsCalls
  /** Sends stored emails. A successful response means that the send is stored and survives a crash of the server. */
  readonly sends: SendsCalls
  /** Documents that new emails start from. */
  readonly templates: TemplatesCalls
  /** Fields of your own that contacts have. */
  readonly customFields: CustomFieldsCalls
  /** Tags that contacts carry. */
  readonly contactTags: ContactTagsCalls
  /** The people a project may write to, with custom fields and tags. */
  readonly contacts: ContactsCalls
  /** Files of contacts that a job imports: upload, map the columns, start, and see the failed rows. */
  readonly imports: ImportsCalls
  /** Lists that contacts subscribe to. */
  readonly subscriberLists: SubscriberListsCalls
  /** What pages of a whitelisted Origin may do for their visitors, without an API key: sign up, subscribe, unsubscribe. */
  readonly visitors: VisitorsCalls
  /** Groups of contacts, defined by conditions on their fields and activity. */
  readonly segments: SegmentsCalls
  /** Forms for your pages, and CAPTCHAs against automated signups. */
  readonly signupForms: SignupFormsCalls
  /** Addresses that never get mail of the project. */
  readonly suppressions: SuppressionsCalls
  /** What happened to each mail: accepted, sent, opened, clicked, bounced, and posted to webhooks. */
  readonly deliveries: DeliveriesCalls
  /** The URLs that get the events of the project. */
  readonly webhook: WebhookCalls
  /** The URLs that get the events of the project. */
  readonly webhooks: WebhooksCalls
  /** Errors of an email in the last 30 days. */
  readonly errorLogs: ErrorLogsCalls
  /** The From addresses of mails. */
  readonly senderIdentities: SenderIdentitiesCalls
  /** The domains a project sends from, and the DNS records they need. */
  readonly domains: DomainsCalls
  /** Colours, fonts and parts that visual emails share. */
  readonly designSystems: DesignSystemsCalls
  /** Folders of the gallery. */
  readonly galleryFolders: GalleryFoldersCalls
  /** Images for mails, in folders, at public addresses. */
  readonly galleryImages: GalleryImagesCalls
  /** The settings of the project. */
  readonly apiKey: ApiKeyCalls
  /** The settings of the project. */
  readonly project: ProjectCalls
  /** Apply to leave the sandbox, or for a higher monthly limit. */
  readonly productionAccess: ProductionAccessCalls
  /** How close the project is to its limits and to a restriction. */
  readonly deliverability: DeliverabilityCalls
  /** The project’s own cloud account for sending. */
  readonly ownCloud: OwnCloudCalls
}

/** An email to a list, or to a segment of it, now or at a given time. */
export interface CampaignsCalls {
  /**
   * List campaigns. The newest campaigns first. `limit` and `skip` select the page; `next` is the URL of the next one.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(query?: ListCampaignsQuery, options?: RequestOptions): Pages<Page<Campaign>>

  /**
   * Create a campaign. A draft, unless `status` is `scheduled`. `html` and `text` documents are Handlebars templates; they are checked when they are stored.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  create(body: CampaignFields, options?: RequestOptions): Promise<Campaign>

  /**
   * Get a campaign. Poll its `status` to follow the campaign.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  get(id: string, options?: RequestOptions): Promise<Campaign>

  /**
   * Update a campaign. Only the given fields change. `status: scheduled` sends the campaign at `scheduledTo`, or immediately if that is in the past. To send a campaign again, give it a new `scheduledTo`. A campaign cannot be changed from six minutes before its time.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  update(id: string, body: UpdateCampaignBody, options?: RequestOptions): Promise<Campaign>

  /**
   * Delete a campaign. Refused from six minutes before its time, and while it is being sent. Returns the deleted record.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError
   */
  delete(id: string, options?: RequestOptions): Promise<Campaign>

  /**
   * Preview a campaign audience. A dry run that changes nothing: who would get the campaign, who would be excluded and why, and what it would be charged to.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError
   */
  previewAudience(id: string, options?: RequestOptions): Promise<AudiencePreview>

  /**
   * Preview campaign exclusions. The addresses behind a reason of the dry run. Pass `next` as `after` for the following page.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError
   */
  previewExclusions(
    id: string,
    query?: PreviewCampaignExclusionsQuery,
    options?: RequestOptions,
  ): Promise<PreviewCampaignExclusionsResult>

  /**
   * Get the progress of a campaign. Recipients by state; they add up to the audience once `expanding` is false.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  progress(id: string, options?: RequestOptions): Promise<CampaignProgress>

  /**
   * Stop a campaign. Mails in transfer are finished. All other recipients are `failed` with the error `CampaignStopped`, for no credit, until the campaign is continued. Its status becomes `error`.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError
   */
  stop(id: string, options?: RequestOptions): Promise<Campaign>

  /**
   * Continue a campaign. Continues a stopped campaign with the recipients who have nothing yet, for new credit. Nobody gets the mail twice.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError
   */
  continue(id: string, options?: RequestOptions): Promise<Campaign>

  /**
   * Get a campaign report. Current numbers over all sends of the campaign. `failures` and `exclusions` count the recipients who got no mail, by reason; `campaigns.recipients` and `campaigns.exportRecipients` list them.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  report(id: string, options?: RequestOptions): Promise<CampaignReport>

  /**
   * Get a campaign report link. Anybody with the link can open a page with the numbers until `expiresAt`. The page names no recipients. Changing the server’s secret ends all links.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  reportLink(id: string, query?: GetCampaignReportLinkQuery, options?: RequestOptions): Promise<ReportLink>

  /**
   * List campaign exclusions. Lists recipients of the audience who get no mail. `filter[reason]` selects one reason.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  exclusions(id: string, query?: ListCampaignExclusionsQuery, options?: RequestOptions): Pages<Page<ExcludedRecipient>>

  /**
   * Export campaign recipients. Works for any number of recipients, because the file is streamed. CSV cells that begin like a formula get an apostrophe in front.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  exportRecipients(id: string, query?: ExportCampaignRecipientsQuery, options?: RequestOptions): Promise<DownloadedFile>

  /**
   * Retry failed mails of a campaign. Takes new credit for each mail. A campaign that stopped because its account could not send continues with the recipients it had not reached. Refused while the campaign is being sent.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  retryFailed(id: string, body?: RetryFields, options?: RequestOptions): Promise<RetriedMails>

  /**
   * Preview a retry of failed mails. A dry run that changes nothing: who would get the mail now, and who has been excluded since and why.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  previewRetry(id: string, body?: RetryFields, options?: RequestOptions): Promise<RetryPreview>

  /**
   * Get campaign statistics. Returns totals or, with `interval` and `metric`, one metric by hour, day, week or month.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  stats(id: string, query?: GetCampaignStatsQuery, options?: RequestOptions): Promise<EmailTotals | EmailSeries>

  /**
   * List campaign recipients. Includes excluded recipients, with the reason, only with `filter[status]=excluded`, or with `filter[email]` and no `filter[status]`.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  recipients(id: string, query?: ListCampaignRecipientsQuery, options?: RequestOptions): Pages<Page<EmailRecipient>>
}

/** An email that your program sends to subscribers of one list when something happens. */
export interface TriggeredEmailsCalls {
  /**
   * List triggered emails. The newest triggered emails first. `limit` and `skip` select the page; `next` is the URL of the next one.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(query?: ListTriggeredEmailsQuery, options?: RequestOptions): Pages<Page<TriggeredEmail>>

  /**
   * Create a triggered email. An email to subscribers of one list. `sends.triggered` sends it.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, NotFoundError, ConflictError, PayloadTooLargeError
   */
  create(body: TriggeredEmailFields, options?: RequestOptions): Promise<TriggeredEmail>

  /**
   * Get a triggered email. Includes its document.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  get(id: string, options?: RequestOptions): Promise<TriggeredEmail>

  /**
   * Update a triggered email. Only the given fields change. Sends that were accepted before keep the old content.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, ConflictError, PayloadTooLargeError
   */
  update(id: string, body: UpdateTriggeredEmailBody, options?: RequestOptions): Promise<TriggeredEmail>

  /**
   * Delete a triggered email. Returns the deleted record.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  delete(id: string, options?: RequestOptions): Promise<TriggeredEmail>

  /**
   * Get triggered email statistics. Returns totals or, with `interval` and `metric`, one metric over time.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  stats(id: string, query?: GetTriggeredEmailStatsQuery, options?: RequestOptions): Promise<EmailTotals | EmailSeries>

  /**
   * List triggered email recipients. Returns one entry per mail.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  recipients(
    id: string,
    query?: ListTriggeredEmailRecipientsQuery,
    options?: RequestOptions,
  ): Pages<Page<EmailRecipient>>
}

/** An email to one person about something they did: a receipt, a password reset, a confirmation. */
export interface TransactionalEmailsCalls {
  /**
   * List transactional emails. The newest transactional emails first. `limit` and `skip` select the page; `next` is the URL of the next one.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(query?: ListTransactionalEmailsQuery, options?: RequestOptions): Pages<Page<TransactionalEmail>>

  /**
   * Create a transactional email. An email to one person. `sends.transactional` sends it. With `{{verifyLink}}` in its document it can be the email of a double opt-in.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, NotFoundError, ConflictError, PayloadTooLargeError
   */
  create(body: TransactionalEmailFields, options?: RequestOptions): Promise<TransactionalEmail>

  /**
   * Get a transactional email. Includes its document.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  get(id: string, options?: RequestOptions): Promise<TransactionalEmail>

  /**
   * Update a transactional email. Only the given fields change. `{{verifyLink}}` is required while a double opt-in uses the email.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  update(id: string, body: UpdateTransactionalEmailBody, options?: RequestOptions): Promise<TransactionalEmail>

  /**
   * Delete a transactional email. Refused while an active double opt-in uses it. Returns the deleted record.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError
   */
  delete(id: string, options?: RequestOptions): Promise<TransactionalEmail>

  /**
   * Get transactional email statistics. Returns totals or, with `interval` and `metric`, one metric over time.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  stats(
    id: string,
    query?: GetTransactionalEmailStatsQuery,
    options?: RequestOptions,
  ): Promise<EmailTotals | EmailSeries>

  /**
   * List transactional email recipients. Returns one entry per mail.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  recipients(
    id: string,
    query?: ListTransactionalEmailRecipientsQuery,
    options?: RequestOptions,
  ): Pages<Page<EmailRecipient>>
}

/** Sends stored emails. A successful response means that the send is stored and survives a crash of the server. */
export interface SendsCalls {
  /**
   * Send an email without storing it. Sends content that is stored nowhere: `html`, `text` or both, or the content of a `template`. `{{…}}` reads `data` and `contact`; texts of strangers belong into `data`. Each address gets a mail of its own, or the reason why not; 10 addresses count as one request of the rate. With `sendAt` the mails are stored and sent at that time.
   *
   * Key scopes: `full`, `send`.
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  mail(body: DirectSend, options?: RequestOptions): Promise<DirectSendAnswer>

  /**
   * Cancel a send. Mails that wait in the queue are not sent, and their credit is returned. Mails that a worker has already taken are sent; if that is all of them: 405 with the reason. Repeating it changes nothing.
   *
   * Key scopes: `full`, `send`.
   * @param dispatchId Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError
   */
  cancel(dispatchId: string, options?: RequestOptions): Promise<CancelAnswer>

  /**
   * Send a transactional email. Sends to any address that is not suppressed. Merge tags read `data` and `contact`. `attachments` are files in base64.
   *
   * Key scopes: `full`, `send`.
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  transactional(body: SendTransactional, options?: RequestOptions): Promise<SendAnswer>

  /**
   * Send transactional emails in a batch. Up to 500 mails, each accepted or rejected by itself, in order as far as credit and limits last. `results` names every mail. Repeat it with its `Idempotency-Key` after a lost answer.
   *
   * Key scopes: `full`, `send`.
   * @throws AuthorizationError, ConflictError, PayloadTooLargeError
   */
  batch(body: SendBatch, options?: RequestOptions): Promise<BatchAnswer>

  /**
   * Send a triggered email. Sends to the addresses in `emails` that are active on the email’s list; without `emails`, to all active subscribers. Recipients who get no mail are recorded with the reason.
   *
   * Key scopes: `full`, `send`.
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  triggered(body: SendTriggered, options?: RequestOptions): Promise<SendAnswer>

  /**
   * Send a test email. Each mail costs one credit and is not counted in the statistics. Give either `email` or a private `subscriberListId`.
   *
   * Key scopes: `full`, `send`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  test(id: string, body: TestEmail, options?: RequestOptions): Promise<TestSent>

  /**
   * Render a preview. Renders a campaign, a triggered or transactional email, or a template. `contact` is the id or the address of a contact, or its fields. Sends nothing and costs no credit.
   *
   * Key scopes: `full`, `send`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  preview(id: string, body?: RenderPreview, options?: RequestOptions): Promise<RenderedPreview>

  /**
   * Get the statistics of mails sent without a stored email. Of all mails of the project that were sent without a stored email.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  stats(query?: GetSendStatsQuery, options?: RequestOptions): Promise<EmailTotals | EmailSeries>

  /**
   * List recipients of mails sent without a stored email. The mails of the project that were sent without a stored email. `filter[tags]` selects those with a tag.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  recipients(query?: ListSendRecipientsQuery, options?: RequestOptions): Pages<Page<EmailRecipient>>
}

/** Documents that new emails start from. */
export interface TemplatesCalls {
  /**
   * List templates. The newest templates first. `limit` and `skip` select the page; `next` is the URL of the next one. Documents are not included.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(query?: ListTemplatesQuery, options?: RequestOptions): Pages<Page<Template>>

  /**
   * Create a template. Stores a visual document (MJML as JSON) as a starting point for emails.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, ConflictError, PayloadTooLargeError
   */
  create(body: TemplateFields, options?: RequestOptions): Promise<Template>

  /**
   * Get a template. Everything except the document, which is never returned.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  get(id: string, options?: RequestOptions): Promise<Template>

  /**
   * Update a template. Only the given fields change; `tags` replaces all tags.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, ConflictError, PayloadTooLargeError
   */
  update(id: string, body: TemplateChanges, options?: RequestOptions): Promise<Template>

  /**
   * Delete a template. Emails made from it stay. Returns the deleted record.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  delete(id: string, options?: RequestOptions): Promise<Template>
}

/** Fields of your own that contacts have. */
export interface CustomFieldsCalls {
  /**
   * List custom fields. Returns all custom fields at once.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(options?: RequestOptions): Pages<Page<CustomField>>

  /**
   * Create a custom field. The API name is derived from the name: `Favourite colour` becomes `favouriteColour`. Contacts have the value under the API name.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, ConflictError, PayloadTooLargeError
   */
  create(body: CustomFieldFields, options?: RequestOptions): Promise<CustomField>

  /**
   * Delete a custom field. Deletes the field with that API name and its values. Segment conditions on the field then match no contact.
   *
   * Key scopes: `full`.
   * @param name API name of the custom field
   * @throws AuthorizationError, NotFoundError
   */
  delete(name: string, options?: RequestOptions): Promise<CustomField>
}

/** Tags that contacts carry. */
export interface ContactTagsCalls {
  /**
   * List contact tags. Newest first.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(query?: ListContactTagsQuery, options?: RequestOptions): Pages<Page<ContactTag>>

  /**
   * Create a contact tag. Tags are stored in lower case and are unique.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, ConflictError, PayloadTooLargeError
   */
  create(body: ContactTagFields, options?: RequestOptions): Promise<ContactTag>

  /**
   * Get a contact tag. Returns its value and when it was created.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  get(id: string, options?: RequestOptions): Promise<ContactTag>

  /**
   * Update a contact tag. Renames the tag on every contact that has it.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, ConflictError, PayloadTooLargeError
   */
  update(id: string, body: UpdateContactTagBody, options?: RequestOptions): Promise<ContactTag>

  /**
   * Delete a contact tag. Removes the tag from every contact that has it.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  delete(id: string, options?: RequestOptions): Promise<ContactTag>
}

/** The people a project may write to, with custom fields and tags. */
export interface ContactsCalls {
  /**
   * List contacts. Custom fields can be filtered too: `filter[<name>]`. `filter[segment]` takes the conditions of a segment as JSON, without storing the segment.
   *
   * Pages of a whitelisted Origin may call it if the project’s `browserAccess` is `full`.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError, NotFoundError
   */
  list(query?: ListContactsQuery, options?: RequestOptions): Pages<Page<Contact>>

  /**
   * Create a contact. Custom fields are given beside the standard ones. New tags are created.
   *
   * Pages of a whitelisted Origin may call it if the project’s `browserAccess` is `full` or `subscribe-only`.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, BlockedError, ConflictError, PayloadTooLargeError
   */
  create(body: ContactFields, options?: RequestOptions): Promise<Contact>

  /**
   * Create or update many contacts. Up to 5,000 rows with the fields of a contact, as JSON or as NDJSON: one row per line, with `Content-Type: application/x-ndjson`. Good rows are stored even if others fail; `results` has one entry per row, in order. 250 rows count as one request in the rate. With an `Idempotency-Key`, a repetition after a crash finishes the rows and gives the same results.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, ConflictError, PayloadTooLargeError
   */
  bulk(body: BulkContacts, query?: BulkContactsQuery, options?: RequestOptions): Promise<BulkAnswer>

  /**
   * Export contacts as a file. Streams a CSV or NDJSON file, newest first, with the filters of the list and `find`, the beginning of the address. Cells of a CSV file that a spreadsheet would run as formulas begin with an apostrophe, which an import removes.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError, NotFoundError
   */
  export(query?: ExportContactsQuery, options?: RequestOptions): Promise<DownloadedFile>

  /**
   * Get a contact. The address is found regardless of upper and lower case.
   *
   * Pages of a whitelisted Origin may call it if the project’s `browserAccess` is `full`.
   *
   * Key scopes: `full`, `read`.
   * @param email E-mail address, percent-encoded
   * @throws AuthorizationError, NotFoundError
   */
  get(email: string, options?: RequestOptions): Promise<Contact>

  /**
   * Update a contact. Only the given fields change. `tags` replaces all tags; null clears a custom field.
   *
   * Pages of a whitelisted Origin may call it if the project’s `browserAccess` is `full`.
   *
   * Key scopes: `full`.
   * @param email E-mail address, percent-encoded
   * @throws AuthorizationError, NotFoundError, BlockedError, PayloadTooLargeError
   */
  update(email: string, body: ContactChanges, options?: RequestOptions): Promise<Contact>

  /**
   * Delete a contact. Also removes the contact from every list. Returns the deleted contact.
   *
   * Pages of a whitelisted Origin may call it if the project’s `browserAccess` is `full`.
   *
   * Key scopes: `full`.
   * @param email E-mail address, percent-encoded
   * @throws AuthorizationError, NotFoundError
   */
  delete(email: string, options?: RequestOptions): Promise<Contact>

  /**
   * List the subscriptions of a contact. Every list that the contact is on or has left, the newest first: the status, since when, and the signup form or the import by which they joined, with what was said about their consent. After them come those that a bounce or complaint ended.
   *
   * Key scopes: `full`, `read`.
   * @param email E-mail address, percent-encoded
   * @throws AuthorizationError, NotFoundError
   */
  subscriptions(email: string, query?: ListSubscriptionsQuery, options?: RequestOptions): Pages<Page<Subscription>>
}

/** Files of contacts that a job imports: upload, map the columns, start, and see the failed rows. */
export interface ImportsCalls {
  /**
   * List imports. Newest first.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(query?: ListImportsQuery, options?: RequestOptions): Pages<Page<Import>>

  /**
   * Upload a file of contacts. A multipart form with the file in the part `file`: CSV with a header, or NDJSON with one object per line. The file is stored while it arrives; preview its columns, then start the import.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, BlockedError, ConflictError, PayloadTooLargeError
   */
  upload(body: ImportFields, options?: RequestOptions): Promise<Import>

  /**
   * Get an import. Includes its progress and how many rows failed.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  get(id: string, options?: RequestOptions): Promise<Import>

  /**
   * Preview an import. Returns the columns of an uploaded file, the fields that they match and the first rows. The columns of NDJSON are the keys of its first 1,000 rows.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError
   */
  preview(id: string, query?: PreviewImportQuery, options?: RequestOptions): Promise<ImportPreview>

  /**
   * Start an import. Maps each column to a field and starts the job, which continues after a restart of the server. `consent` says how these people agreed to get mail.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  start(id: string, body: ImportStart, options?: RequestOptions): Promise<Import>

  /**
   * Cancel an import. Stops the job, or deletes an uploaded file. Imported rows stay.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError
   */
  cancel(id: string, options?: RequestOptions): Promise<Import>

  /**
   * Get the first failed rows of an import. The first 20 failed rows: line, reason, and the cells for the headings of the file. Kept for 30 days.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError
   */
  failedRows(id: string, options?: RequestOptions): Promise<ImportFailedRows>

  /**
   * Download the failed rows of an import. CSV with the line and the reason of each failed row, then its cells under the headings of the file, guarded like those of exports: mend the rows and import the file again, without the first two columns. Kept for 30 days.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError
   */
  exportErrors(id: string, options?: RequestOptions): Promise<DownloadedFile>
}

/** Lists that contacts subscribe to. */
export interface SubscriberListsCalls {
  /**
   * List subscriber lists. Newest first.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(query?: ListSubscriberListsQuery, options?: RequestOptions): Pages<Page<SubscriberList>>

  /**
   * Create a subscriber list. Only the subscribers of a private list can see it.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, NotFoundError, ConflictError, PayloadTooLargeError
   */
  create(body: SubscriberListFields, options?: RequestOptions): Promise<SubscriberList>

  /**
   * Get a subscriber list. Includes its double opt-in and the design of its form.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  get(id: string, options?: RequestOptions): Promise<SubscriberList>

  /**
   * Update a subscriber list. Only the given fields change; `doubleOptIn` and `signupForm` are replaced as a whole. With a double opt-in, new subscribers get a transactional email with `{{verifyLink}}` and must confirm.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, PayloadTooLargeError
   */
  update(id: string, body: SubscriberListChanges, options?: RequestOptions): Promise<SubscriberList>

  /**
   * Delete a subscriber list. Deletes its memberships and keeps the contacts. Refused while a campaign or a triggered email uses the list.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError
   */
  delete(id: string, options?: RequestOptions): Promise<SubscriberList>

  /**
   * Get subscriber list statistics. The numbers are current.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  stats(id: string, query?: GetSubscriberListStatsQuery, options?: RequestOptions): Promise<ListStats>

  /**
   * List public subscriber lists. Returns the public lists, and the private lists that the address is on, with its status on each. Use it to build your own preferences page.
   *
   * Key scopes: `full`, `read`.
   * @param email E-mail address, percent-encoded
   * @throws AuthorizationError
   */
  publicLists(email: string, options?: RequestOptions): Pages<Page<ListPreference>>

  /**
   * List subscribers. A subscriber whose pause has ended counts as active.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  subscribers(id: string, query?: ListSubscribersQuery, options?: RequestOptions): Pages<Page<Subscriber>>

  /**
   * Subscribe an address. Creates the contact if there is none. On a list with a double opt-in, subscribers are `unverified` until they follow the link in their mail. `status: active` skips that for people who have agreed elsewhere.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  subscribe(id: string, body: SubscribeFields, options?: RequestOptions): Promise<Subscribed>

  /**
   * Subscribe many addresses. Up to 5,000 rows with the fields of a single subscription, as JSON or NDJSON like `contacts.bulk`, and by the same rules: contacts are created, the list’s double opt-in is applied, and people who unsubscribed are subscribed again. Subscribers who are on the list already keep their status.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, ConflictError, PayloadTooLargeError
   */
  bulkSubscribe(
    id: string,
    body: BulkSubscribers,
    query?: BulkSubscribeQuery,
    options?: RequestOptions,
  ): Promise<BulkSubscribed>

  /**
   * Get a subscriber. Includes the fields of the contact.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @param email E-mail address, percent-encoded
   * @throws AuthorizationError, NotFoundError
   */
  getSubscriber(id: string, email: string, options?: RequestOptions): Promise<Subscriber>

  /**
   * Update a subscriber. Activates, pauses or unsubscribes. A pause ends by itself at `pausedUntil`. The same request may change fields of the contact.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @param email E-mail address, percent-encoded
   * @throws AuthorizationError, NotFoundError, BlockedError, PayloadTooLargeError
   */
  updateSubscriber(id: string, email: string, body: SubscriberChanges, options?: RequestOptions): Promise<Subscriber>

  /**
   * Resend a verification email. For unverified subscribers. An address gets at most one mail in ten minutes and five in a UTC day; further requests send nothing and get 405.
   *
   * Key scopes: `full`.
   * @param subscriberListId Id of the subscriber list
   * @param email E-mail address, percent-encoded
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError
   */
  resendVerificationEmail(subscriberListId: string, email: string, options?: RequestOptions): Promise<Success>
}

/** What pages of a whitelisted Origin may do for their visitors, without an API key: sign up, subscribe, unsubscribe. */
export interface VisitorsCalls {
  /**
   * Subscribe an address (legacy path). The legacy path of `subscriberLists.subscribe`. Pages of a whitelisted Origin must send the solution of a CAPTCHA, unless the list requires none.
   *
   * Pages of a whitelisted Origin may call it if the project’s `browserAccess` is `full` or `subscribe-only`.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, BlockedError, ConflictError, PayloadTooLargeError
   */
  subscribe(id: string, body: OpenSubscribeFields, options?: RequestOptions): Promise<Subscribed>

  /**
   * Get a subscriber (legacy path). The legacy path of `subscriberLists.getSubscriber`.
   *
   * Pages of a whitelisted Origin may call it if the project’s `browserAccess` is `full`.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @param email E-mail address, percent-encoded
   * @throws AuthorizationError, NotFoundError
   */
  getSubscriber(id: string, email: string, options?: RequestOptions): Promise<Subscriber>

  /**
   * Update a subscriber (legacy path). The legacy path of `subscriberLists.updateSubscriber`.
   *
   * Pages of a whitelisted Origin may call it if the project’s `browserAccess` is `full`.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @param email E-mail address, percent-encoded
   * @throws AuthorizationError, NotFoundError, BlockedError, PayloadTooLargeError
   */
  updateSubscriber(id: string, email: string, body: SubscriberChanges, options?: RequestOptions): Promise<Subscriber>

  /**
   * Unsubscribe an address. Mail programs post this when their user presses “Unsubscribe” (RFC 8058). The token is the one in the mail’s `List-Unsubscribe` header. Repeating the request is harmless.
   *
   * @param id Id of the record
   * @param email E-mail address, percent-encoded
   * @throws AuthorizationError, NotFoundError
   */
  unsubscribe(id: string, email: string, query: UnsubscribeQuery, options?: RequestOptions): Promise<Success>

  /**
   * Submit a signup form. The embedded form sends this. The response is the same for every address, so that it does not reveal who is subscribed.
   *
   * Pages of a whitelisted Origin may call it if the project’s `browserAccess` is `full` or `subscribe-only`.
   *
   * @param id Id of the record
   * @throws AuthorizationError, BlockedError, ConflictError, PayloadTooLargeError
   */
  submitForm(id: string, body: SignupSubmission, options?: RequestOptions): Promise<SignedUp>

  /** Get a CAPTCHA. Returns an image and a probe. Submit the probe together with the text of the image. Valid once, for five minutes. */
  captcha(options?: RequestOptions): Promise<Captcha>

  /** Get a proof-of-work challenge. The visitor’s browser solves it before it submits the form. Valid once, for ten minutes and for this form. */
  challenge(query: GetChallengeQuery, options?: RequestOptions): Promise<Challenge>
}

/** Groups of contacts, defined by conditions on their fields and activity. */
export interface SegmentsCalls {
  /**
   * List segments. Newest first.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(query?: ListSegmentsQuery, options?: RequestOptions): Pages<Page<Segment>>

  /**
   * Create a segment. Groups are combined by OR, the conditions of a group by AND. A segment is evaluated each time it is used; it stores no contacts.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, ConflictError, PayloadTooLargeError
   */
  create(body: SegmentFields, options?: RequestOptions): Promise<Segment>

  /**
   * Get a segment. Includes its conditions.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  get(id: string, options?: RequestOptions): Promise<Segment>

  /**
   * Update a segment. Only the given fields change; `groups` replaces all groups.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, PayloadTooLargeError
   */
  update(id: string, body: SegmentChanges, options?: RequestOptions): Promise<Segment>

  /**
   * Delete a segment. Refused while a scheduled campaign uses it.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError
   */
  delete(id: string, options?: RequestOptions): Promise<Segment>
}

/** Forms for your pages, and CAPTCHAs against automated signups. */
export interface SignupFormsCalls {
  /**
   * List signup forms. Newest first.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(query?: ListSignupFormsQuery, options?: RequestOptions): Pages<Page<SignupForm>>

  /**
   * Create a signup form. For pages of a whitelisted Origin. `captchaType: challenge` without keys of a provider is a proof of work, which the visitor’s browser solves by itself.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, NotFoundError, ConflictError, PayloadTooLargeError
   */
  create(body: SignupFormFields, options?: RequestOptions): Promise<SignupForm>

  /**
   * Get a signup form. Includes its design.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  get(id: string, options?: RequestOptions): Promise<SignupForm>

  /**
   * Update a signup form. Only the given fields change.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, ConflictError, PayloadTooLargeError
   */
  update(id: string, body: SignupFormChanges, options?: RequestOptions): Promise<SignupForm>

  /**
   * Delete a signup form. People who subscribed through the form stay subscribed.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  delete(id: string, options?: RequestOptions): Promise<SignupForm>

  /**
   * Get a signup form as HTML. Returns one HTML file that needs no other files. Put it on a page of a whitelisted Origin.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  embed(id: string, options?: RequestOptions): Promise<DownloadedFile>
}

/** Addresses that never get mail of the project. */
export interface SuppressionsCalls {
  /**
   * List suppressions. `limit=unlimited` streams the whole list, oldest first.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(query?: ListSuppressionsQuery, options?: RequestOptions): Pages<Page<Suppression>>

  /**
   * Create a suppression. Addresses are unique regardless of upper and lower case. Bounces and complaints are added automatically.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, ConflictError, PayloadTooLargeError
   */
  create(body: SuppressionFields, options?: RequestOptions): Promise<Suppression>

  /**
   * Delete a suppression. The address may get mail again.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  delete(id: string, options?: RequestOptions): Promise<Suppression>
}

/** What happened to each mail: accepted, sent, opened, clicked, bounced, and posted to webhooks. */
export interface DeliveriesCalls {
  /**
   * List mail histories. Newest first. `filter[kind]` looks at the newest 5,000 mails of the address. `keptSince` says from when on mails are still there.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(
    query: ListMailHistoriesQuery,
    options?: RequestOptions,
  ): Pages<
    Page<MailHistory> & {
      keptSince: KeptSince
    }
  >

  /**
   * Get a mail history. The id is the `deliveryId` of sends, recipients and webhook events; encode it for the URL. Events about the mail for webhooks are in `webhooks`, the newest 200.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  get(id: string, options?: RequestOptions): Promise<KeptMailHistory>
}

/** The URLs that get the events of the project. */
export interface WebhookCalls {
  /**
   * Get the webhook. Returns null if no webhook is set. Only keys with the scope `full`, and the key that is itself the secret, see the secret.
   *
   * Key scopes: `full`, `read`, `webhook`.
   * @throws AuthorizationError
   */
  get(options?: RequestOptions): Promise<Webhook | null>

  /**
   * Set the webhook. Replaces the whole configuration: an omitted event is off. Each post is a `WebhookEvent`, signed as in Standard Webhooks.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, PayloadTooLargeError
   */
  set(body: WebhookFields, options?: RequestOptions): Promise<Webhook>

  /**
   * Delete the webhook. Drops the events that wait to be posted. Returns the deleted webhook.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, NotFoundError
   */
  delete(options?: RequestOptions): Promise<Webhook>

  /**
   * Test the webhook. Posts a sample event now, signed like real ones, and responds after the webhook has accepted it.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, BlockedError
   */
  test(query: TestWebhookQuery, options?: RequestOptions): Promise<Success>

  /**
   * Enable the webhook. A webhook that accepts no post for three days is disabled; this starts it again. Events that were given up in between are not posted again, unless you call `webhook.replay` with `state: "given-up"`.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, BlockedError, ConflictError
   */
  enable(options?: RequestOptions): Promise<Webhook>

  /**
   * List webhook log entries. Newest first. `filter[state]=given-up` selects events that were never delivered. Entries are kept for 30 days unless the server is configured otherwise.
   *
   * Key scopes: `full`, `read`, `webhook`.
   * @throws AuthorizationError
   */
  log(query?: ListWebhookLogQuery, options?: RequestOptions): Pages<Page<WebhookLogEntry>>

  /**
   * Get a webhook log entry. Includes the event as it was posted.
   *
   * Key scopes: `full`, `read`, `webhook`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  logEntry(id: string, options?: RequestOptions): Promise<WebhookLoggedEvent>

  /**
   * Replay webhook events. Posts them under the same `webhook-id`, so that the receiver can recognise duplicates. Events that wait for their next attempt are posted immediately.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, BlockedError, ConflictError, PayloadTooLargeError
   */
  replay(body: ReplayEvents, options?: RequestOptions): Promise<ReplayedEvents>
}

/** The URLs that get the events of the project. */
export interface WebhooksCalls {
  /**
   * List webhooks. Includes the webhook of `…/webhook`, whose id is the project’s. Secrets are not shown. Keys that may not write see only the host of each URL.
   *
   * Key scopes: `full`, `read`, `webhook`.
   * @throws AuthorizationError
   */
  list(query?: ListWebhooksQuery, options?: RequestOptions): Pages<Page<WebhookEndpoint>>

  /**
   * Create a webhook. Every webhook gets each event of its `types`, signed with its own secret, and is retried, disabled and replayed on its own. Without a `secretKey`, one is generated; only this response shows it.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, ConflictError, PayloadTooLargeError
   */
  create(body: WebhookEndpointFields, options?: RequestOptions): Promise<WebhookEndpoint>

  /**
   * Get a webhook. Does not show the secret.
   *
   * Key scopes: `full`, `read`, `webhook`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  get(id: string, options?: RequestOptions): Promise<WebhookEndpoint>

  /**
   * Update a webhook. Only the given fields change. `enabled: true` starts a disabled webhook again; `secretKey: null` generates a new secret, which only this response shows. Waiting events of a type that it no longer gets are not posted.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, PayloadTooLargeError
   */
  update(id: string, body: WebhookEndpointChanges, options?: RequestOptions): Promise<WebhookEndpoint>

  /**
   * Delete a webhook. Drops the events that wait to be posted to it. Returns the deleted webhook.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  delete(id: string, options?: RequestOptions): Promise<WebhookEndpoint>

  /**
   * Test a webhook. Posts a sample event now, signed like real ones, and responds after the webhook has accepted it.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  test(id: string, body: TestWebhookEndpointBody, options?: RequestOptions): Promise<Success>

  /**
   * List log entries of a webhook. As `webhook.log`, for this webhook.
   *
   * Key scopes: `full`, `read`, `webhook`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  log(id: string, query?: ListWebhookEndpointLogQuery, options?: RequestOptions): Pages<Page<WebhookLogEntry>>

  /**
   * Get a log entry of a webhook. Includes the event as it was posted.
   *
   * Key scopes: `full`, `read`, `webhook`.
   * @param id Id of the record
   * @param entryId Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  logEntry(id: string, entryId: string, options?: RequestOptions): Promise<WebhookLoggedEvent>

  /**
   * Replay events of a webhook. As `webhook.replay`, to this webhook only.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError, PayloadTooLargeError
   */
  replay(id: string, body: ReplayEvents, options?: RequestOptions): Promise<ReplayedEvents>
}

/** Errors of an email in the last 30 days. */
export interface ErrorLogsCalls {
  /**
   * List email error logs. Errors of the last 30 days unless the server is configured otherwise, newest first. `unseenCount` is the number of errors since the log was last read.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  list(
    id: string,
    query?: ListEmailErrorLogsQuery,
    options?: RequestOptions,
  ): Pages<
    Page<EmailErrorLog> & {
      /** Number of errors since the log was last read */
      unseenCount: number
    }
  >
}

/** The From addresses of mails. */
export interface SenderIdentitiesCalls {
  /**
   * List sender identities. Returns all of them at once, the default first.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(query?: ListSenderIdentitiesQuery, options?: RequestOptions): Pages<Page<SenderIdentity>>

  /**
   * Create a sender identity. Its domain must be verified in that region, unless the server leaves this check to its relay.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, ConflictError, PayloadTooLargeError
   */
  create(body: SenderIdentityFields, options?: RequestOptions): Promise<SenderIdentity>

  /**
   * Set the default sender identity. Moves it to the front of the list. Emails without a sender use the first one.
   *
   * Key scopes: `full`.
   * @param identityId Id of the sender identity
   * @throws AuthorizationError, NotFoundError, ConflictError
   */
  setDefault(identityId: string, options?: RequestOptions): Promise<SenderIdentity>

  /**
   * Delete a sender identity. Refused for the last one while a campaign is scheduled.
   *
   * Key scopes: `full`.
   * @param identityId Id of the sender identity
   * @throws AuthorizationError, NotFoundError, BlockedError
   */
  delete(identityId: string, options?: RequestOptions): Promise<Removed>
}

/** The domains a project sends from, and the DNS records they need. */
export interface DomainsCalls {
  /**
   * List regions. Returns the regions of this server: the values that `region` of a domain or a sender identity may have.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  regions(options?: RequestOptions): Promise<Regions>

  /**
   * List domains. Returns all of them at once.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(query?: ListDomainsQuery, options?: RequestOptions): Pages<Page<Domain>>

  /**
   * Create a domain. Publish the DNS records in `requiredDns`, then call `domains.check`.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, BlockedError, ConflictError, PayloadTooLargeError
   */
  create(body: DomainFields, options?: RequestOptions): Promise<Domain>

  /**
   * Get a domain. Includes the DNS records that it needs, and those that were found.
   *
   * Key scopes: `full`, `read`.
   * @param domainId Id of the domain
   * @throws AuthorizationError, NotFoundError
   */
  get(domainId: string, options?: RequestOptions): Promise<Domain>

  /**
   * Update a domain. `requiredDns` then includes the CNAME of the tracking domain. Links in mails use it after a check has found it.
   *
   * Key scopes: `full`.
   * @param domainId Id of the domain
   * @throws AuthorizationError, NotFoundError, BlockedError, PayloadTooLargeError
   */
  update(domainId: string, body: DomainChanges, options?: RequestOptions): Promise<Domain>

  /**
   * Delete a domain. Refused while a sender identity uses it.
   *
   * Key scopes: `full`.
   * @param domainId Id of the domain
   * @throws AuthorizationError, NotFoundError, BlockedError
   */
  delete(domainId: string, options?: RequestOptions): Promise<Removed>

  /**
   * Check a domain. Reads its DNS records. The domain is verified when the DKIM records, and the ownership record if `requiredDns` has one, are published and the provider confirms them. The first time it adds the sender identity `no-reply@` the domain.
   *
   * Key scopes: `full`.
   * @param domainId Id of the domain
   * @throws AuthorizationError, NotFoundError, BlockedError, ConflictError
   */
  check(domainId: string, options?: RequestOptions): Promise<Domain>

  /**
   * Export DNS records of a domain. Returns the DNS records as CSV: type, name, value, priority.
   *
   * Key scopes: `full`, `read`.
   * @param domainId Id of the domain
   * @throws AuthorizationError
   */
  exportDns(domainId: string, options?: RequestOptions): Promise<DownloadedFile>
}

/** Colours, fonts and parts that visual emails share. */
export interface DesignSystemsCalls {
  /**
   * List design systems. Every project has one from the start.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  list(query?: ListDesignSystemsQuery, options?: RequestOptions): Pages<Page<DesignSystem>>

  /**
   * Update a design system. Values without an override come from the base design system; `resetOverrides` removes overrides.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, ConflictError, PayloadTooLargeError
   */
  update(id: string, body: DesignSystemChanges, options?: RequestOptions): Promise<DesignSystem>
}

/** Folders of the gallery. */
export interface GalleryFoldersCalls {
  /**
   * List gallery folders. Without `parentFolderId`, lists the top level including shared folders.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError, NotFoundError
   */
  list(
    query?: ListGalleryFoldersQuery,
    options?: RequestOptions,
  ): Pages<
    Page<GalleryFolder> & {
      /** Name of the gallery: that of the project */
      galleryName: string
    }
  >

  /**
   * Create a gallery folder. Creates it at the top level, or in `parentFolderId`.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, NotFoundError, ConflictError, PayloadTooLargeError
   */
  create(body: GalleryFolderFields, options?: RequestOptions): Promise<GalleryFolder>

  /**
   * Get a gallery folder. Returns its name and its parent folder.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  get(id: string, options?: RequestOptions): Promise<GalleryFolder>

  /**
   * Update a gallery folder. Renames it.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, PayloadTooLargeError
   */
  update(id: string, body: GalleryFolderChanges, options?: RequestOptions): Promise<GalleryFolder>

  /**
   * Delete a gallery folder. Also deletes everything in it.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  delete(id: string, options?: RequestOptions): Promise<GalleryFolder>
}

/** Images for mails, in folders, at public addresses. */
export interface GalleryImagesCalls {
  /**
   * List gallery images. Lists the images of one folder, or of the top level.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError, NotFoundError
   */
  list(
    query?: ListGalleryImagesQuery,
    options?: RequestOptions,
  ): Pages<
    Page<GalleryImage> & {
      /** Name of the gallery: that of the project */
      galleryName: string
    }
  >

  /**
   * Upload a gallery image. A multipart form with the file in the part `image`. Must be a JPEG, PNG or GIF; the type is detected from its bytes.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, NotFoundError, ConflictError, PayloadTooLargeError
   */
  upload(body: GalleryImageFields, options?: RequestOptions): Promise<GalleryImage>

  /**
   * Get a gallery image. Its `url` is public, so that mails can show it.
   *
   * Key scopes: `full`, `read`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  get(id: string, options?: RequestOptions): Promise<GalleryImage>

  /**
   * Update a gallery image. Renames it; its `url` does not change.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError, PayloadTooLargeError
   */
  update(id: string, body: GalleryImageChanges, options?: RequestOptions): Promise<GalleryImage>

  /**
   * Delete a gallery image. Mails that contain it no longer show it.
   *
   * Key scopes: `full`.
   * @param id Id of the record
   * @throws AuthorizationError, NotFoundError
   */
  delete(id: string, options?: RequestOptions): Promise<GalleryImage>
}

/** The settings of the project. */
export interface ApiKeyCalls {
  /**
   * Get the API key of the request. Returns its project and its scope, never the key itself. Keys of every scope may call it.
   *
   * Key scopes: `full`, `send`, `read`, `webhook`.
   * @throws AuthorizationError
   */
  get(options?: RequestOptions): Promise<OwnApiKey>
}

/** The settings of the project. */
export interface ProjectCalls {
  /**
   * Get a project. Returns its settings and what it may send.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  get(options?: RequestOptions): Promise<Project>

  /**
   * Update a project. Only the given fields change. Pages on the hosts in `whiteList` may call the endpoints that `browserAccess` opens to browsers.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, PayloadTooLargeError
   */
  update(body: UpdateProjectBody, options?: RequestOptions): Promise<Project>
}

/** Apply to leave the sandbox, or for a higher monthly limit. */
export interface ProductionAccessCalls {
  /**
   * Get production access. Returns the status of the project, its limits and its sending rates.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  get(options?: RequestOptions): Promise<ProductionAccess>

  /**
   * Apply for production access. The operator decides. Refused while an application is pending or approved.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, ConflictError, PayloadTooLargeError
   */
  apply(body: AccessApplication, options?: RequestOptions): Promise<AppliedForAccess>

  /**
   * Request a limit increase. For a project in production. The operator decides.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, ConflictError, PayloadTooLargeError
   */
  requestLimitIncrease(body: LimitIncreaseFields, options?: RequestOptions): Promise<ProductionAccess>
}

/** How close the project is to its limits and to a restriction. */
export interface DeliverabilityCalls {
  /**
   * Get sandbox deliverability. Rates in percent, and how much of the threshold they use.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  sandbox(options?: RequestOptions): Promise<SandboxDeliverability>

  /**
   * Get production deliverability. For the last 7, 30 and 90 days.
   *
   * Key scopes: `full`, `read`.
   * @throws AuthorizationError
   */
  production(options?: RequestOptions): Promise<ProductionDeliverability>
}

/** The project’s own cloud account for sending. */
export interface OwnCloudCalls {
  /**
   * Check a cloud account. Checks the stored account, or the given one. Stores nothing. The error says what is wrong.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError, ConflictError, PayloadTooLargeError
   */
  check(body?: CloudCheckFields, options?: RequestOptions): Promise<CloudChecked>

  /**
   * Get a cloud setup link. The page creates the role that sends for this project. The role must require the project’s external id.
   *
   * Key scopes: `full`.
   * @throws AuthorizationError
   */
  setupLink(options?: RequestOptions): Promise<SetupLink>
}

export interface ListCampaignsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?:
    | '_id'
    | 'name'
    | 'subject'
    | 'previewText'
    | 'senderIdentity'
    | 'replyTo'
    | 'type'
    | 'createdAt'
    | 'updatedAt'
    | 'excludeUnengaged'
    | 'status'
    | 'timeZone'
    | 'subscriberListId'
    | 'segmentId'
    | 'unopenedOf'
    | 'scheduledTo'
    | 'updatedBy'
    | 'errorMessage'
    | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Only campaigns whose name contains this text, in lower or upper case */
  find?: string | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        name?: string | undefined
        subject?: string | undefined
        previewText?: string | undefined
        senderIdentity?: string | undefined
        replyTo?: string | undefined
        type?: 'visual' | 'html' | 'text' | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
        excludeUnengaged?: boolean | undefined
        status?: 'draft' | 'archive' | 'scheduled' | 'being-sent' | 'sent' | 'error' | undefined
        timeZone?: string | undefined
        subscriberListId?: string | undefined
        segmentId?: string | undefined
        unopenedOf?: string | undefined
        scheduledTo?: string | undefined
        updatedBy?: string | undefined
        errorMessage?: string | undefined
      }
    | undefined
}

export interface UpdateCampaignBody {
  /** Name of the email; recipients do not see it */
  name?: string | undefined
  /** Subject, a template */
  subject?: string | undefined
  /** Preview text that mailboxes show after the subject; a template */
  previewText?: string | null | undefined
  /** Sender identity; absent: the project’s first */
  senderIdentity?: string | null | undefined
  /** Reply-To address; empty: the sender’s */
  replyTo?: string | null | undefined
  /** Omitted: a visual document */
  type?: 'visual' | 'html' | 'text' | null | undefined
  /** html and text: a template string; visual: the editor’s JSON */
  document?: unknown
  /** Feeds whose content the templates may use */
  feeds?: Feed[] | null | undefined
  /** Which events HTML mails are tracked for. A send inherits absent fields from its email, an email from its project */
  tracking?: TrackingFields | null | undefined
  /** Excludes contacts of the project’s unengagedContactSegment */
  excludeUnengaged?: boolean | null | undefined
  /** `scheduled` sends it at `scheduledTo`, which is then required; a past time means now */
  status?: 'draft' | 'archive' | 'scheduled' | null | undefined
  /** IANA time zone; reads a scheduledTo without an offset */
  timeZone?: string | undefined
  /** Identifier: 24 hexadecimal digits, increasing with time */
  subscriberListId?: string | undefined
  /** Narrows the list; an empty string removes it */
  segmentId?: string | null | undefined
  /** Id of a campaign that was sent to the list: only its recipients who neither opened nor clicked get this one. Not with a segment; an empty string removes it */
  unopenedOf?: string | null | undefined
  /** When to send; required for the status `scheduled`; a past time means now */
  scheduledTo?: string | null | undefined
  /** `updatedAt` of the version that was changed; 409 if another one has been stored since */
  basedOn?: string | undefined
}

export interface PreviewCampaignExclusionsQuery {
  /** Unsubscribed, paused and unverified ones only with `unopenedOf`, else they are in the list of subscribers. Default: `"suppressed"` */
  reason?: 'suppressed' | 'unengaged' | 'unsubscribed' | 'paused' | 'unverified' | undefined
  /** `next` of the page before */
  after?: string | undefined
}

/** The result */
export interface PreviewCampaignExclusionsResult {
  /** Addresses, in the order of the list */
  emails: string[]
  /** Absent on the last page; a page may be empty and have a next */
  next?: string | undefined
}

export interface GetCampaignReportLinkQuery {
  /** Number of days the link is valid; at most 365 */
  days?: string | undefined
}

export interface ListCampaignExclusionsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: 'createdAt' | 'email' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        email?: string | undefined
        reason?:
          | 'suppressed'
          | 'unengaged'
          | 'unsubscribed'
          | 'paused'
          | 'unverified'
          | 'not-subscribed'
          | 'invalid-address'
          | 'no-credit'
          | 'stopped'
          | undefined
      }
    | undefined
}

export interface ExportCampaignRecipientsQuery {
  /** CSV with a header, or one JSON object a line. Default: `"csv"` */
  format?: 'csv' | 'ndjson' | undefined
  /** Only recipients with this status; default: all, including excluded ones */
  status?: 'scheduled' | 'being-sent' | 'sent' | 'failed' | 'excluded' | undefined
}

export interface ListTriggeredEmailsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?:
    | '_id'
    | 'name'
    | 'subject'
    | 'previewText'
    | 'senderIdentity'
    | 'replyTo'
    | 'type'
    | 'createdAt'
    | 'updatedAt'
    | 'excludeUnengaged'
    | 'subscriberListId'
    | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        name?: string | undefined
        subject?: string | undefined
        previewText?: string | undefined
        senderIdentity?: string | undefined
        replyTo?: string | undefined
        type?: 'visual' | 'html' | 'text' | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
        excludeUnengaged?: boolean | undefined
        subscriberListId?: string | undefined
      }
    | undefined
}

export interface UpdateTriggeredEmailBody {
  /** Name of the email; recipients do not see it */
  name?: string | undefined
  /** Subject, a template */
  subject?: string | undefined
  /** Preview text that mailboxes show after the subject; a template */
  previewText?: string | null | undefined
  /** Sender identity; absent: the project’s first */
  senderIdentity?: string | null | undefined
  /** Reply-To address; empty: the sender’s */
  replyTo?: string | null | undefined
  /** Omitted: a visual document */
  type?: 'visual' | 'html' | 'text' | null | undefined
  /** html and text: a template string; visual: the editor’s JSON */
  document?: unknown
  /** Feeds whose content the templates may use */
  feeds?: Feed[] | null | undefined
  /** Which events HTML mails are tracked for. A send inherits absent fields from its email, an email from its project */
  tracking?: TrackingFields | null | undefined
  /** Excludes contacts of the project’s unengagedContactSegment */
  excludeUnengaged?: boolean | null | undefined
  /** Identifier: 24 hexadecimal digits, increasing with time */
  subscriberListId?: string | undefined
  /** `updatedAt` of the version that was changed; 409 if another one has been stored since */
  basedOn?: string | undefined
}

export interface ListTransactionalEmailsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?:
    | '_id'
    | 'name'
    | 'subject'
    | 'previewText'
    | 'senderIdentity'
    | 'replyTo'
    | 'type'
    | 'createdAt'
    | 'updatedAt'
    | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        name?: string | undefined
        subject?: string | undefined
        previewText?: string | undefined
        senderIdentity?: string | undefined
        replyTo?: string | undefined
        type?: 'visual' | 'html' | 'text' | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
      }
    | undefined
}

export interface UpdateTransactionalEmailBody {
  /** Name of the email; recipients do not see it */
  name?: string | undefined
  /** Subject, a template */
  subject?: string | undefined
  /** Preview text that mailboxes show after the subject; a template */
  previewText?: string | null | undefined
  /** Sender identity; absent: the project’s first */
  senderIdentity?: string | null | undefined
  /** Reply-To address; empty: the sender’s */
  replyTo?: string | null | undefined
  /** Omitted: a visual document */
  type?: 'visual' | 'html' | 'text' | null | undefined
  /** html and text: a template string; visual: the editor’s JSON */
  document?: unknown
  /** Feeds whose content the templates may use */
  feeds?: Feed[] | null | undefined
  /** Which events HTML mails are tracked for. A send inherits absent fields from its email, an email from its project */
  tracking?: TrackingFields | null | undefined
  /** `updatedAt` of the version that was changed; 409 if another one has been stored since */
  basedOn?: string | undefined
}

export interface ListTemplatesQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: '_id' | 'name' | 'subject' | 'previewText' | 'onProjectCreation' | 'createdAt' | 'updatedAt' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        name?: string | undefined
        subject?: string | undefined
        previewText?: string | undefined
        tags?: string | undefined
        onProjectCreation?: 'do-nothing' | 'set-as-transactional' | 'set-as-triggered' | 'set-as-campaign' | undefined
        usedVariables?: string | undefined
        usedComponents?: string | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
      }
    | undefined
}

export interface ListContactTagsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: '_id' | 'value' | 'createdAt' | 'updatedAt' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        value?: string | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
      }
    | undefined
}

export interface UpdateContactTagBody {
  /** The tag; kept in lower case */
  value?: string | undefined
}

export interface ListContactsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: string | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Only contacts whose address begins with this text, in lower or upper case */
  find?: string | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        email?: string | undefined
        name?: string | undefined
        tags?: string | undefined
        lastOpenDate?: string | undefined
        lastClickDate?: string | undefined
        lastReceiveDate?: string | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
        subscriberListId?: string | undefined
        subscriberStatus?: 'unverified' | 'active' | 'paused' | 'unsubscribed' | undefined
        segmentId?: string | undefined
        segment?: string | undefined
        _lists?: string | undefined
        /** Custom fields. */
        [field: string]: string | number | boolean | undefined
      }
    | undefined
}

export interface BulkContactsQuery {
  /** For contacts that exist: `update` changes the given fields, `skip` changes nothing. Default: `"update"` */
  existing?: 'update' | 'skip' | undefined
  /** Whether given tags replace those of a known contact, or are added to them. Default: `"replace"` */
  tags?: 'replace' | 'add' | undefined
}

export interface ExportContactsQuery {
  /** Format of the file. Default: `"csv"` */
  format?: 'csv' | 'ndjson' | undefined
  /** Only contacts whose address begins with this text, in lower or upper case */
  find?: string | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        email?: string | undefined
        name?: string | undefined
        tags?: string | undefined
        lastOpenDate?: string | undefined
        lastClickDate?: string | undefined
        lastReceiveDate?: string | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
        subscriberListId?: string | undefined
        subscriberStatus?: 'unverified' | 'active' | 'paused' | 'unsubscribed' | undefined
        segmentId?: string | undefined
        segment?: string | undefined
      }
    | undefined
}

export interface ListSubscriptionsQuery {
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
}

export interface ListImportsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?:
    | '_id'
    | 'fileName'
    | 'size'
    | 'state'
    | 'uploadedBy'
    | 'subscriberListId'
    | 'status'
    | 'consent'
    | 'progress'
    | 'errorMessage'
    | 'createdAt'
    | 'updatedAt'
    | 'finishedAt'
    | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        fileName?: string | undefined
        size?: number | undefined
        state?: 'uploaded' | 'running' | 'done' | 'cancelled' | 'failed' | undefined
        uploadedBy?: string | undefined
        subscriberListId?: string | undefined
        status?: 'active' | 'unverified' | undefined
        consent?: string | undefined
        progress?: number | undefined
        errorMessage?: string | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
        finishedAt?: string | undefined
      }
    | undefined
}

export interface PreviewImportQuery {
  /** Absent: recognised from the file */
  encoding?: 'utf-8' | 'windows-1252' | 'utf-16le' | 'utf-16be' | undefined
}

export interface ListSubscriberListsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: '_id' | 'name' | 'description' | 'private' | 'createdAt' | 'updatedAt' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        name?: string | undefined
        description?: string | undefined
        private?: boolean | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
      }
    | undefined
}

export interface GetSubscriberListStatsQuery {
  /** ISO date or date-time, from the beginning of its quarter of an hour */
  from?: string | undefined
  /** ISO date (to its end) or date-time (to the end of its quarter of an hour); default: now */
  to?: string | undefined
  /** Time zone of dates without an offset and of the start of days. Default: `"UTC"` */
  timeZone?: string | undefined
}

export interface ListSubscribersQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: 'status' | 'pausedUntil' | 'createdAt' | 'email' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        status?: 'unverified' | 'active' | 'paused' | 'unsubscribed' | undefined
        pausedUntil?: string | undefined
        createdAt?: string | undefined
        email?: string | undefined
      }
    | undefined
}

export interface BulkSubscribeQuery {
  /** For contacts that exist: `update` changes the given fields, `skip` changes nothing. Default: `"update"` */
  existing?: 'update' | 'skip' | undefined
  /** Whether given tags replace those of a known contact, or are added to them. Default: `"replace"` */
  tags?: 'replace' | 'add' | undefined
}

export interface UnsubscribeQuery {
  /** The signed token of the unsubscribe link */
  token: string
}

export interface ListSegmentsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: '_id' | 'name' | 'createdAt' | 'updatedAt' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        name?: string | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
      }
    | undefined
}

export interface ListSignupFormsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?:
    | '_id'
    | 'name'
    | 'formLayout'
    | 'showCaptcha'
    | 'captchaType'
    | 'challengeSiteKey'
    | 'challengeTheme'
    | 'challengeSize'
    | 'challengeAppearance'
    | 'emailPlaceholder'
    | 'captchaPlaceholder'
    | 'formFontStyle'
    | 'formFontColor'
    | 'formFontSize'
    | 'btnLabel'
    | 'btnFont'
    | 'btnFontColor'
    | 'btnColor'
    | 'btnFontSize'
    | 'successMessage'
    | 'successFont'
    | 'successFontColor'
    | 'successFontSize'
    | 'redirectLink'
    | 'challengeSecretKeyHint'
    | 'createdAt'
    | 'updatedAt'
    | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        name?: string | undefined
        subscriberListIds?: string | undefined
        formLayout?: string | undefined
        showCaptcha?: boolean | undefined
        captchaType?: 'none' | 'svg' | 'challenge' | undefined
        challengeSiteKey?: string | undefined
        challengeTheme?: 'light' | 'dark' | 'auto' | undefined
        challengeSize?: 'normal' | 'compact' | 'flexible' | undefined
        challengeAppearance?: 'always' | 'execute' | 'interaction-only' | undefined
        emailPlaceholder?: string | undefined
        captchaPlaceholder?: string | undefined
        formFontStyle?: string | undefined
        formFontColor?: string | undefined
        formFontSize?: string | undefined
        btnLabel?: string | undefined
        btnFont?: string | undefined
        btnFontColor?: string | undefined
        btnColor?: string | undefined
        btnFontSize?: string | undefined
        successMessage?: string | undefined
        successFont?: string | undefined
        successFontColor?: string | undefined
        successFontSize?: string | undefined
        redirectLink?: string | undefined
        challengeSecretKeyHint?: string | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
      }
    | undefined
}

export interface GetChallengeQuery {
  /** The form that the solution is for; not valid for others */
  signupFormId: string
}

export interface ListSuppressionsQuery {
  /** Number of items; at most 30 are returned; `unlimited` returns all of them, oldest first. Default: `10` */
  limit?: number | 'unlimited' | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: '_id' | 'email' | 'reason' | 'createdAt' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        email?: string | undefined
        reason?: string | undefined
        createdAt?: string | undefined
      }
    | undefined
}

export interface ListMailHistoriesQuery {
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Recipient of the mails, in any spelling of upper and lower case */
  email: string
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        status?: 'scheduled' | 'being-sent' | 'sent' | 'failed' | 'excluded' | undefined
        dispatchId?: string | undefined
        kind?: 'campaign' | 'triggered' | 'transactional' | 'direct' | 'test' | undefined
      }
    | undefined
}

export interface TestWebhookQuery {
  /** The type of the sample event; `subscription` posts a `subscribe` */
  type:
    | 'sent'
    | 'failed'
    | 'open'
    | 'click'
    | 'bounce'
    | 'complaint'
    | 'subscribe'
    | 'unsubscribe'
    | 'resubscribe'
    | 'pause-subscription'
    | 'subscription'
}

export interface ListWebhookLogQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: '_id' | 'type' | 'state' | 'createdAt' | 'updatedAt' | 'nextAt' | 'reason' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        type?:
          | 'sent'
          | 'failed'
          | 'open'
          | 'click'
          | 'bounce'
          | 'complaint'
          | 'subscribe'
          | 'unsubscribe'
          | 'resubscribe'
          | 'pause-subscription'
          | undefined
        state?: 'pending' | 'delivered' | 'given-up' | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
        nextAt?: string | undefined
        reason?: string | undefined
      }
    | undefined
}

export interface ListWebhooksQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: '_id' | 'url' | 'secretKey' | 'description' | 'batches' | 'enabled' | 'createdAt' | 'updatedAt' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        url?: string | undefined
        secretKey?: string | undefined
        description?: string | undefined
        types?:
          | 'sent'
          | 'failed'
          | 'open'
          | 'click'
          | 'bounce'
          | 'complaint'
          | 'subscribe'
          | 'unsubscribe'
          | 'resubscribe'
          | 'pause-subscription'
          | undefined
        batches?: boolean | undefined
        enabled?: boolean | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
      }
    | undefined
}

export interface TestWebhookEndpointBody {
  /** The type of the sample event; `subscription` posts a `subscribe` */
  type:
    | 'sent'
    | 'failed'
    | 'open'
    | 'click'
    | 'bounce'
    | 'complaint'
    | 'subscribe'
    | 'unsubscribe'
    | 'resubscribe'
    | 'pause-subscription'
    | 'subscription'
}

export interface ListWebhookEndpointLogQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: '_id' | 'type' | 'state' | 'createdAt' | 'updatedAt' | 'nextAt' | 'reason' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        type?:
          | 'sent'
          | 'failed'
          | 'open'
          | 'click'
          | 'bounce'
          | 'complaint'
          | 'subscribe'
          | 'unsubscribe'
          | 'resubscribe'
          | 'pause-subscription'
          | undefined
        state?: 'pending' | 'delivered' | 'given-up' | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
        nextAt?: string | undefined
        reason?: string | undefined
      }
    | undefined
}

export interface GetCampaignStatsQuery {
  /** ISO date or date-time, from the beginning of its quarter of an hour */
  from?: string | undefined
  /** ISO date (to its end) or date-time (to the end of its quarter of an hour); default: now */
  to?: string | undefined
  /** Time zone of dates without an offset and of the start of days. Default: `"UTC"` */
  timeZone?: string | undefined
  /** Returns a series; requires `metric` */
  interval?: 'hourly' | 'daily' | 'weekly' | 'monthly' | undefined
  /** Metric of the series; requires `interval` */
  metric?:
    | 'sent'
    | 'failed'
    | 'bounces'
    | 'complaints'
    | 'opens'
    | 'uniqueOpens'
    | 'clicks'
    | 'uniqueClicks'
    | 'machineOpens'
    | 'machineClicks'
    | 'subscribe'
    | 'unsubscribe'
    | 'resubscribe'
    | 'pause-subscription'
    | 'unpause-subscription'
    | 'clicksPerUniqueOpens'
    | 'uniqueClicksPerUniqueOpens'
    | 'unsubscribePerUniqueOpens'
    | undefined
}

export interface ListCampaignRecipientsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: 'createdAt' | 'sentAt' | 'email' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        email?: string | undefined
        dispatchId?: string | undefined
        deliveryId?: string | undefined
        status?: 'scheduled' | 'being-sent' | 'sent' | 'failed' | 'excluded' | undefined
        createdAt?: string | undefined
        sentAt?: string | undefined
        tags?: string | undefined
        opens?: number | undefined
        clicks?: number | undefined
        bounced?: boolean | undefined
        complained?: boolean | undefined
        unsubscribed?: boolean | undefined
        paused?: boolean | undefined
        subscribed?: boolean | undefined
        resubscribed?: boolean | undefined
        opened?: boolean | undefined
        clicked?: boolean | undefined
      }
    | undefined
}

export interface GetTriggeredEmailStatsQuery {
  /** ISO date or date-time, from the beginning of its quarter of an hour */
  from?: string | undefined
  /** ISO date (to its end) or date-time (to the end of its quarter of an hour); default: now */
  to?: string | undefined
  /** Time zone of dates without an offset and of the start of days. Default: `"UTC"` */
  timeZone?: string | undefined
  /** Returns a series; requires `metric` */
  interval?: 'hourly' | 'daily' | 'weekly' | 'monthly' | undefined
  /** Metric of the series; requires `interval` */
  metric?:
    | 'sent'
    | 'failed'
    | 'bounces'
    | 'complaints'
    | 'opens'
    | 'uniqueOpens'
    | 'clicks'
    | 'uniqueClicks'
    | 'machineOpens'
    | 'machineClicks'
    | 'subscribe'
    | 'unsubscribe'
    | 'resubscribe'
    | 'pause-subscription'
    | 'unpause-subscription'
    | 'clicksPerUniqueOpens'
    | 'uniqueClicksPerUniqueOpens'
    | 'unsubscribePerUniqueOpens'
    | undefined
}

export interface ListTriggeredEmailRecipientsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: 'createdAt' | 'sentAt' | 'email' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        email?: string | undefined
        dispatchId?: string | undefined
        deliveryId?: string | undefined
        status?: 'scheduled' | 'being-sent' | 'sent' | 'failed' | 'excluded' | undefined
        createdAt?: string | undefined
        sentAt?: string | undefined
        tags?: string | undefined
        opens?: number | undefined
        clicks?: number | undefined
        bounced?: boolean | undefined
        complained?: boolean | undefined
        unsubscribed?: boolean | undefined
        paused?: boolean | undefined
        subscribed?: boolean | undefined
        resubscribed?: boolean | undefined
        opened?: boolean | undefined
        clicked?: boolean | undefined
      }
    | undefined
}

export interface GetTransactionalEmailStatsQuery {
  /** ISO date or date-time, from the beginning of its quarter of an hour */
  from?: string | undefined
  /** ISO date (to its end) or date-time (to the end of its quarter of an hour); default: now */
  to?: string | undefined
  /** Time zone of dates without an offset and of the start of days. Default: `"UTC"` */
  timeZone?: string | undefined
  /** Returns a series; requires `metric` */
  interval?: 'hourly' | 'daily' | 'weekly' | 'monthly' | undefined
  /** Metric of the series; requires `interval` */
  metric?:
    | 'sent'
    | 'failed'
    | 'bounces'
    | 'complaints'
    | 'opens'
    | 'uniqueOpens'
    | 'clicks'
    | 'uniqueClicks'
    | 'machineOpens'
    | 'machineClicks'
    | 'subscribe'
    | 'unsubscribe'
    | 'resubscribe'
    | 'pause-subscription'
    | 'unpause-subscription'
    | 'clicksPerUniqueOpens'
    | 'uniqueClicksPerUniqueOpens'
    | 'unsubscribePerUniqueOpens'
    | undefined
}

export interface ListTransactionalEmailRecipientsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: 'createdAt' | 'sentAt' | 'email' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        email?: string | undefined
        dispatchId?: string | undefined
        deliveryId?: string | undefined
        status?: 'scheduled' | 'being-sent' | 'sent' | 'failed' | 'excluded' | undefined
        createdAt?: string | undefined
        sentAt?: string | undefined
        tags?: string | undefined
        opens?: number | undefined
        clicks?: number | undefined
        bounced?: boolean | undefined
        complained?: boolean | undefined
        unsubscribed?: boolean | undefined
        paused?: boolean | undefined
        subscribed?: boolean | undefined
        resubscribed?: boolean | undefined
        opened?: boolean | undefined
        clicked?: boolean | undefined
      }
    | undefined
}

export interface GetSendStatsQuery {
  /** ISO date or date-time, from the beginning of its quarter of an hour */
  from?: string | undefined
  /** ISO date (to its end) or date-time (to the end of its quarter of an hour); default: now */
  to?: string | undefined
  /** Time zone of dates without an offset and of the start of days. Default: `"UTC"` */
  timeZone?: string | undefined
  /** Returns a series; requires `metric` */
  interval?: 'hourly' | 'daily' | 'weekly' | 'monthly' | undefined
  /** Metric of the series; requires `interval` */
  metric?:
    | 'sent'
    | 'failed'
    | 'bounces'
    | 'complaints'
    | 'opens'
    | 'uniqueOpens'
    | 'clicks'
    | 'uniqueClicks'
    | 'machineOpens'
    | 'machineClicks'
    | 'subscribe'
    | 'unsubscribe'
    | 'resubscribe'
    | 'pause-subscription'
    | 'unpause-subscription'
    | 'clicksPerUniqueOpens'
    | 'uniqueClicksPerUniqueOpens'
    | 'unsubscribePerUniqueOpens'
    | undefined
}

export interface ListSendRecipientsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: 'createdAt' | 'sentAt' | 'email' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        email?: string | undefined
        dispatchId?: string | undefined
        deliveryId?: string | undefined
        status?: 'scheduled' | 'being-sent' | 'sent' | 'failed' | 'excluded' | undefined
        createdAt?: string | undefined
        sentAt?: string | undefined
        tags?: string | undefined
        opens?: number | undefined
        clicks?: number | undefined
        bounced?: boolean | undefined
        complained?: boolean | undefined
        unsubscribed?: boolean | undefined
        paused?: boolean | undefined
        subscribed?: boolean | undefined
        resubscribed?: boolean | undefined
        opened?: boolean | undefined
        clicked?: boolean | undefined
      }
    | undefined
}

export interface ListEmailErrorLogsQuery {
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
}

export interface ListSenderIdentitiesQuery {
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        email?: string | undefined
        name?: string | undefined
        region?: string | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
      }
    | undefined
}

export interface ListDomainsQuery {
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        domain?: string | undefined
        region?: string | undefined
        trackingDomain?: string | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
      }
    | undefined
}

export interface ListDesignSystemsQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt`. Default: `"updatedAt"` */
  sort?: 'name' | 'updatedAt' | 'createdAt' | undefined
  /** The sort order; default `desc`. Default: `"desc"` */
  order?: 'asc' | 'desc' | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        name?: string | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
      }
    | undefined
}

export interface ListGalleryFoldersQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: '_id' | 'name' | 'parentFolderId' | 'createdAt' | 'updatedAt' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** The folder whose content is listed; absent: the top level, where the shared folders are listed too */
  parentFolderId?: string | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        name?: string | undefined
        parentFolderId?: string | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
      }
    | undefined
}

export interface ListGalleryImagesQuery {
  /** Number of items; at most 30 are returned. Default: `10` */
  limit?: number | undefined
  /** Number of items to skip. Default: `0` */
  skip?: number | undefined
  /** The field to sort by; default `createdAt` */
  sort?: '_id' | 'name' | 'url' | 'parentFolderId' | 'createdAt' | 'updatedAt' | undefined
  /** The sort order; default `desc` */
  order?: 'asc' | 'desc' | undefined
  /** The folder whose content is listed; absent: the top level, where the shared folders are listed too */
  parentFolderId?: string | undefined
  /** Items whose fields equal these values, or contain them if they are lists; all must hold */
  filter?:
    | {
        _id?: string | undefined
        name?: string | undefined
        url?: string | undefined
        parentFolderId?: string | undefined
        createdAt?: string | undefined
        updatedAt?: string | undefined
      }
    | undefined
}

export interface UpdateProjectBody {
  /** What the project is called */
  name?: string | undefined
  /** null or an empty string removes the logo */
  logoUrl?: string | null | undefined
  /** Who counts as unengaged */
  unengagedContactSegment?:
    | {
        /** OR-ed groups of AND-ed conditions; without groups no contact matches; a group without conditions matches all */
        groups: SegmentGroup[]
      }
    | null
    | undefined
  /** Given values are merged into the stored ones; null removes a stored value */
  cloudConfig?: CloudConfigFields | null | undefined
  /** Only byoCloudSes is accepted, with an account in cloudConfig that sends; any other value is ignored */
  status?: unknown
  /** What a permanent bounce or a complaint does to the contact’s memberships; the suppression list has the address in any case */
  autoRemoveFromList?: AutoRemoveFromList | null | undefined
  /** Host names whose pages may call the endpoints that are open to browsers */
  whiteList?: string[] | null | undefined
  /** What pages of a whitelisted Origin may do. full: all that is open to them; subscribe-only: create a contact, subscribe and submit forms; none: nothing */
  browserAccess?: 'full' | 'subscribe-only' | 'none' | null | undefined
  /** Which events HTML mails are tracked for. A send inherits absent fields from its email, an email from its project */
  tracking?: TrackingFields | null | undefined
  /** Of the pages that recipients see and of signup forms, where a reader’s own is not known or not spoken here */
  language?: 'en' | 'de' | 'fr' | 'es' | 'it' | 'nl' | 'pt' | 'pl' | null | undefined
  /** Where unsubscribe and pause links lead instead of Posthorn’s own page, with the address and a token; null or an empty string removes it */
  customSubscriptionPreferencesUrl?: string | null | undefined
}

export interface CampaignFields {
  /** Name of the email; recipients do not see it */
  name: string
  /** Subject, a template */
  subject: string
  /** Preview text that mailboxes show after the subject; a template */
  previewText?: string | undefined
  /** Sender identity; absent: the project’s first */
  senderIdentity?: string | undefined
  /** Reply-To address; empty: the sender’s */
  replyTo?: string | undefined
  /** Omitted: a visual document */
  type?: 'visual' | 'html' | 'text' | undefined
  /** html and text: a template string; visual: the editor’s JSON */
  document?: unknown
  /** Feeds whose content the templates may use */
  feeds?: Feed[] | undefined
  tracking?: TrackingFields | undefined
  /** Excludes contacts of the project’s unengagedContactSegment. Default: `false` */
  excludeUnengaged?: boolean | undefined
  /** `scheduled` sends it at `scheduledTo`, which is then required; a past time means now. Default: `"draft"` */
  status?: 'draft' | 'archive' | 'scheduled' | undefined
  /** IANA time zone; reads a scheduledTo without an offset */
  timeZone: string
  /** Identifier: 24 hexadecimal digits, increasing with time */
  subscriberListId: string
  /** Narrows the list; an empty string removes it */
  segmentId?: string | undefined
  /** Id of a campaign that was sent to the list: only its recipients who neither opened nor clicked get this one. Not with a segment; an empty string removes it */
  unopenedOf?: string | undefined
  /** When to send; required for the status `scheduled`; a past time means now */
  scheduledTo?: string | undefined
}

/** A feed fetched once per sending; RSS gives <variableName>.item, Atom .entry, JSON itself */
export interface Feed {
  /** URL of the feed */
  url: string
  /** Format of the feed */
  feedType: 'rss-xml' | 'json'
  /** The top-level template variable that carries the feed */
  variableName: string
  /** Informational only */
  maxItems?: number | undefined
  /** A required feed that fails stops the sending */
  required?: boolean | undefined
  /** Informational only */
  availableFields?: string[] | undefined
}

/** Which events HTML mails are tracked for. A send inherits absent fields from its email, an email from its project */
export interface TrackingFields {
  /** Whether HTML mails contain a pixel that records opens */
  opens?: boolean | undefined
  /** Whether links in HTML mails lead through this server, which records clicks */
  clicks?: boolean | undefined
}

export interface RetryFields {
  /** Only mails that failed for these reasons, as `failures` of the report has them */
  reasons?:
    | {
        /** Kind of the error, or the code of the relay */
        name: string
        /** Response of the relay, or error of the renderer */
        message: string
      }[]
    | undefined
  /** Only this mail of the last run, as the list of recipients names it */
  deliveryId?: string | undefined
}

export interface TriggeredEmailFields {
  /** Name of the email; recipients do not see it */
  name: string
  /** Subject, a template */
  subject: string
  /** Preview text that mailboxes show after the subject; a template */
  previewText?: string | undefined
  /** Sender identity; absent: the project’s first */
  senderIdentity?: string | undefined
  /** Reply-To address; empty: the sender’s */
  replyTo?: string | undefined
  /** Omitted: a visual document */
  type?: 'visual' | 'html' | 'text' | undefined
  /** html and text: a template string; visual: the editor’s JSON */
  document?: unknown
  /** Feeds whose content the templates may use */
  feeds?: Feed[] | undefined
  tracking?: TrackingFields | undefined
  /** Excludes contacts of the project’s unengagedContactSegment. Default: `false` */
  excludeUnengaged?: boolean | undefined
  /** Identifier: 24 hexadecimal digits, increasing with time */
  subscriberListId: string
}

export interface TransactionalEmailFields {
  /** Name of the email; recipients do not see it */
  name: string
  /** Subject, a template */
  subject: string
  /** Preview text that mailboxes show after the subject; a template */
  previewText?: string | undefined
  /** Sender identity; absent: the project’s first */
  senderIdentity?: string | undefined
  /** Reply-To address; empty: the sender’s */
  replyTo?: string | undefined
  /** Omitted: a visual document */
  type?: 'visual' | 'html' | 'text' | undefined
  /** html and text: a template string; visual: the editor’s JSON */
  document?: unknown
  /** Feeds whose content the templates may use */
  feeds?: Feed[] | undefined
  tracking?: TrackingFields | undefined
}

export interface DirectSend {
  /** An address, or up to 50; each gets a mail of its own */
  to: string | string[]
  /** Subject, a template; with `template`, in place of the stored subject */
  subject?: string | undefined
  /** HTML, a template */
  html?: string | undefined
  /** Plain text, a template; absent: made from the HTML */
  text?: string | undefined
  /** Id of a template or transactional email, whose content is sent instead of html and text */
  template?: string | undefined
  /** Subject, html and text are no templates: `{{` is sent as it is, and nothing is tracked unless `tracking` says so */
  raw?: boolean | undefined
  /** Merged into the top level of the template context */
  data?: Record<string, unknown> | null | undefined
  /** Id or address of a sender identity; absent: the template’s, else the project’s first */
  from?: string | undefined
  /** Reply-To address */
  replyTo?: string | undefined
  /** Files attached to every mail; by default at most 50 files and 25 MB together */
  attachments?: DirectAttachment[] | undefined
  /** Further headers, as they are: names that begin with X-, In-Reply-To, References, List-*, Auto-Submitted, Precedence, Importance, Priority, Sensitivity, Organization, Keywords, Comments */
  headers?: Record<string, string> | undefined
  /** Texts by which webhooks and lists of deliveries name the mail */
  tags?: string[] | undefined
  tracking?: TrackingFields | undefined
  /** When to send, in UTC without an offset: in the future, at most 30 days ahead; absent: at once */
  sendAt?: string | undefined
}

export interface DirectAttachment {
  /** Name; its extension, if it has one, decides the content type */
  filename?: string | undefined
  /** Another spelling of `filename` */
  fileName?: string | undefined
  /** The bytes in base64; line breaks are left out */
  content: string
  /** The HTML shows the file where it refers to `cid:` and this; absent: the file is attached */
  contentId?: string | undefined
}

export interface SendTransactional {
  /** E-mail address; its domain may be given in Unicode and is kept in ASCII; else kept as it is spelled, found in any spelling of upper and lower case */
  email: string
  /** The transactional email to send */
  transactionalId: string
  /** Merged into the top level of the template context */
  data?: Record<string, unknown> | null | undefined
  /** Files attached to every mail; by default at most 50 files and 25 MB together */
  attachments?: Attachment[] | undefined
  tracking?: TrackingFields | undefined
}

export interface Attachment {
  /** Name with an extension, which decides the content type */
  filename?: string | undefined
  /** Another spelling of `filename` */
  fileName?: string | undefined
  /** The bytes in base64; line breaks are left out */
  content: string
  /** The HTML shows the file where it refers to `cid:` and this; absent: the file is attached */
  contentId?: string | undefined
}

export interface SendBatch {
  /** The transactional email of mails that name none */
  transactionalId?: string | undefined
  /** Up to 500 mails, each accepted or rejected by itself */
  mails: BatchMail[]
}

export interface BatchMail {
  /** E-mail address; its domain may be given in Unicode and is kept in ASCII; else kept as it is spelled, found in any spelling of upper and lower case */
  email: string
  /** The transactional email to send; absent: the one of the batch */
  transactionalId?: string | undefined
  /** Merged into the top level of the template context */
  data?: Record<string, unknown> | null | undefined
  /** Files attached to every mail; by default at most 50 files and 25 MB together */
  attachments?: Attachment[] | undefined
  tracking?: TrackingFields | undefined
}

export interface SendTriggered {
  /** The triggered email to send */
  triggeredId: string
  /** Absent: every active subscriber of the email’s list */
  emails?: string[] | undefined
  /** Merged into the top level of the template context */
  data?: Record<string, unknown> | null | undefined
  /** Files attached to every mail; by default at most 50 files and 25 MB together */
  attachments?: Attachment[] | undefined
  tracking?: TrackingFields | undefined
}

export interface TestEmail {
  /** What kind of email the id names */
  type: 'campaign' | 'triggered' | 'transactional'
  /** Either this or a list is given */
  email?: string | undefined
  /** A private list: its active subscribers get the test */
  subscriberListId?: string | undefined
  /** Merged into the top level of the template context */
  data?: Record<string, unknown> | null | undefined
}

export interface RenderPreview {
  /** Kind of the email; absent: any */
  type?: 'campaign' | 'triggered' | 'transactional' | 'template' | undefined
  /** Recipient: id or address of a contact, or its fields; absent: no contact */
  contact?: string | PreviewedContact | undefined
  /** Merged into the top level of the template context */
  data?: Record<string, unknown> | null | undefined
}

/** Custom-field values are flat top-level keys */
export type PreviewedContact = {
  /** As {{contact.email}} prints it. Default: `""` */
  email?: string | undefined
  /** As {{contact.name}} prints it. Default: `""` */
  name?: string | undefined
  /** As {{contact.tags}} has them. Default: `[]` */
  tags?: string[] | undefined
} & Record<string, string | number | boolean | null>

export interface TemplateFields {
  /** Name of the template */
  name: string
  /** Subject of emails created from it */
  subject: string
  /** An empty string removes it */
  previewText?: string | undefined
  /** JSON of the visual editor, stored unchanged and never returned */
  document: unknown
  /** Replaces all tags. Default: `[]` */
  tags?: string[] | undefined
  /** Email created from it when the operator copies the project to a new one. Default: `"do-nothing"` */
  onProjectCreation?: 'do-nothing' | 'set-as-transactional' | 'set-as-triggered' | 'set-as-campaign' | undefined
}

export interface TemplateChanges {
  /** Name of the template */
  name?: string | undefined
  /** Subject of emails created from it */
  subject?: string | undefined
  /** An empty string removes it */
  previewText?: string | null | undefined
  /** JSON of the visual editor, stored unchanged and never returned */
  document?: unknown
  /** Replaces all tags */
  tags?: string[] | null | undefined
  /** Email created from it when the operator copies the project to a new one */
  onProjectCreation?: 'do-nothing' | 'set-as-transactional' | 'set-as-triggered' | 'set-as-campaign' | null | undefined
  /** `updatedAt` of the version that was changed; 409 if another one has been stored since */
  basedOn?: string | undefined
}

export interface CustomFieldFields {
  /** Becomes its API name: Favorite Color is favoriteColor */
  name: string
  /** Type of the values */
  type: 'string' | 'number' | 'boolean' | 'date'
}

export interface ContactTagFields {
  /** The tag; kept in lower case */
  value: string
}

/** Custom-field values are flat top-level keys; null clears one */
export interface ContactFields {
  /** Address, as it was spelled */
  email: string
  /** Name of the person */
  name?: string | undefined
  /** Kept in lower case; unknown ones are created; replaces the set */
  tags?: string[] | undefined
  /** Legacy place for custom-field values, by API name */
  data?: Record<string, unknown> | undefined
  [key: string]: unknown
}

export interface BulkContacts {
  /** In order */
  contacts: ContactFields[]
}

/** Fields to change; custom-field values are flat top-level keys; null clears one */
export interface ContactChanges {
  /** E-mail address; its domain may be given in Unicode and is kept in ASCII; else kept as it is spelled, found in any spelling of upper and lower case */
  email?: string | undefined
  /** Name of the person; null clears it */
  name?: string | null | undefined
  /** Kept in lower case; unknown ones are created; replaces the set; null empties it */
  tags?: string[] | null | undefined
  /** Legacy place for custom-field values, by API name */
  data?: Record<string, unknown> | undefined
  [key: string]: unknown
}

export interface ImportFields {
  /** CSV with a header, or NDJSON, of at most 200 MB unless the server is set otherwise */
  file: FileInput
}

export interface ImportStart {
  /** One for each column of the preview, in order */
  columns: {
    /** API name of the field; null ignores the column */
    field: string | null
    /** Creates the field, with this type */
    type?: 'string' | 'number' | 'boolean' | 'date' | undefined
  }[]
  /** Absent: recognised from the file */
  encoding?: 'utf-8' | 'windows-1252' | 'utf-16le' | 'utf-16be' | undefined
  /** List that the contacts are added to */
  subscriberListId?: string | undefined
  /** Status of a subscriber that new members of the list get. Default: `"active"` */
  status?: 'active' | 'unverified' | undefined
  /** How these people agreed to get mail */
  consent: string
}

export interface SubscriberListFields {
  /** What the list is called */
  name: string
  /** What the list is about, for its subscribers. Default: `""` */
  description?: string | undefined
  /** Shown to nobody but those who are on it. Default: `false` */
  private?: boolean | undefined
  /** Replaced whole */
  doubleOptIn?: DoubleOptIn | undefined
  /** Replaced whole. Default: `{"showCaptcha":true}` */
  signupForm?: ListSignupForm | undefined
}

export interface DoubleOptIn {
  /** Whether new subscribers are asked to confirm. Default: `false` */
  active?: boolean | undefined
  /** Where a visitor lands after the confirmation link. Default: `""` */
  redirectLink?: string | undefined
  /** Transactional email whose content includes {{verifyLink}}. Default: `""` */
  emailId?: string | undefined
  /** Title of the page after confirming; unchanged or empty, it is in the reader’s language. Default: `"Your subscription is confirmed"` */
  confirmationTitle?: string | undefined
  /** Text of the page after confirming; unchanged or empty, it is in the reader’s language. Default: `"Thank you. You can close this page."` */
  confirmationMessage?: string | undefined
}

export interface ListSignupForm {
  /** How the fields stand to each other */
  formLayout?: string | undefined
  /** false is how a list disables the CAPTCHA. Default: `true` */
  showCaptcha?: boolean | undefined
  /** Text in the empty field of the address */
  emailPlaceholder?: string | undefined
  /** Text in the empty field of the CAPTCHA */
  captchaPlaceholder?: string | undefined
  /** Font of the form */
  formFontStyle?: string | undefined
  /** Colour of the form’s text */
  formFontColor?: string | undefined
  /** Size of the form’s text */
  formFontSize?: string | undefined
  /** Text of the button */
  btnLabel?: string | undefined
  /** Font of the button */
  btnFont?: string | undefined
  /** Colour of the button’s text */
  btnFontColor?: string | undefined
  /** Colour of the button */
  btnColor?: string | undefined
  /** Size of the button’s text */
  btnFontSize?: string | undefined
  /** What is shown after subscribing */
  successMessage?: string | undefined
  /** Font of that message */
  successFont?: string | undefined
  /** Colour of that message */
  successFontColor?: string | undefined
  /** Size of that message */
  successFontSize?: string | undefined
  /** Style of the fields for properties */
  propertiesStyle?: Record<string, unknown> | undefined
}

export interface SubscriberListChanges {
  /** What the list is called */
  name?: string | undefined
  /** What the list is about, for its subscribers */
  description?: string | null | undefined
  /** Shown to nobody but those who are on it */
  private?: boolean | null | undefined
  /** Replaced whole */
  doubleOptIn?: DoubleOptIn | null | undefined
  /** Replaced whole */
  signupForm?: ListSignupForm | null | undefined
}

/** Custom-field values are flat top-level keys */
export interface SubscribeFields {
  /** Address, as it was spelled */
  email: string
  /** Name of the person */
  name?: string | undefined
  /** Kept in lower case; unknown ones are created; replaces the set */
  tags?: string[] | undefined
  /** Legacy place for custom-field values, by API name */
  data?: Record<string, unknown> | undefined
  /** Absent: unverified where the list has a double opt-in, else active; active skips it, but not in a browser */
  status?: 'unverified' | 'active' | undefined
  [key: string]: unknown
}

export interface BulkSubscribers {
  /** In order */
  subscribers: SubscribeFields[]
}

/** Custom-field values are flat top-level keys; null clears one */
export interface SubscriberChanges {
  /** E-mail address; its domain may be given in Unicode and is kept in ASCII; else kept as it is spelled, found in any spelling of upper and lower case */
  email?: string | undefined
  /** Name of the person; null clears it */
  name?: string | null | undefined
  /** Kept in lower case; unknown ones are created; replaces the set; null empties it */
  tags?: string[] | null | undefined
  /** Legacy place for custom-field values, by API name */
  data?: Record<string, unknown> | undefined
  /** New status of the subscription */
  status?: 'active' | 'paused' | 'unsubscribed' | undefined
  /** An instant in the future: needed to pause; without a status it moves the end of a pause that is on */
  pausedUntil?: string | undefined
  [key: string]: unknown
}

/** Custom-field values are flat top-level keys */
export interface OpenSubscribeFields {
  /** Address, as it was spelled */
  email: string
  /** Name of the person */
  name?: string | undefined
  /** Kept in lower case; unknown ones are created; replaces the set */
  tags?: string[] | undefined
  /** Legacy place for custom-field values, by API name */
  data?: Record<string, unknown> | undefined
  /** Absent: unverified where the list has a double opt-in, else active; active skips it, but not in a browser */
  status?: 'unverified' | 'active' | undefined
  /** The text in the CAPTCHA image, in upper or lower case; required from a browser */
  captchaText?: string | undefined
  /** The probe that came with the picture */
  captchaProbe?: string | undefined
  [key: string]: unknown
}

export interface SegmentFields {
  /** What the segment is called */
  name: string
  /** OR-ed groups of AND-ed conditions; without groups no contact matches; a group without conditions matches all. Default: `[]` */
  groups?: SegmentGroup[] | undefined
}

export interface SegmentGroup {
  /** AND-ed; without conditions all contacts match. Default: `[]` */
  conditions?: SegmentCondition[] | undefined
}

/** One condition; the conditions of a group are AND-ed */
export interface SegmentCondition {
  /** What is looked at: a property of the contact, or what the contact did with mails. Default: `"contact-property"` */
  category?: 'contact-property' | 'engagement' | undefined
  /** A custom field, or createdAt, email, name; needed unless the operator is any or about tags or engagement */
  property?: string | undefined
  /** How property and value are compared. Default: `"any"` */
  operator?:
    | 'any'
    | 'equals'
    | 'does-not-equal'
    | 'contains'
    | 'does-not-contain'
    | 'is-empty'
    | 'is-not-empty'
    | 'is-true'
    | 'is-false'
    | 'greater-than'
    | 'greater-than-or-equal'
    | 'less-than'
    | 'less-than-or-equal'
    | 'has-tag'
    | 'does-not-have-tag'
    | 'opened'
    | 'not-opened'
    | 'clicked'
    | 'not-clicked'
    | 'received'
    | 'not-received'
    | 'date-equals'
    | 'date-before'
    | 'date-after'
    | 'date-in-last'
    | 'date-more-than'
    | undefined
  /** A text, number, boolean, ISO date or number of days, as operator and property ask */
  value?: string | number | boolean | undefined
}

export interface SegmentChanges {
  /** What the segment is called */
  name?: string | undefined
  /** OR-ed groups of AND-ed conditions; without groups no contact matches; a group without conditions matches all */
  groups?: SegmentGroup[] | null | undefined
}

export interface SignupFormFields {
  /** What the form is called */
  name: string
  /** Lists of the project that the form subscribes to; one that is removed is passed over. Default: `[]` */
  subscriberListIds?: string[] | undefined
  /** `horizontal` sets the fields side by side where there is room; anything else one below the other. Default: `"vertical"` */
  formLayout?: string | undefined
  /** Counts only while there is no captchaType. Default: `true` */
  showCaptcha?: boolean | undefined
  /** Absent: svg, unless showCaptcha is false. `challenge` is recommended: without a challengeSiteKey and a challengeSecretKey, a proof of work that the visitor’s browser does by itself; with both, the Turnstile-style widget of a provider */
  captchaType?: 'none' | 'svg' | 'challenge' | undefined
  /** Site key of the challenge’s provider; without a provider, empty. Default: `""` */
  challengeSiteKey?: string | undefined
  /** Colours of the challenge’s widget. Default: `"auto"` */
  challengeTheme?: 'light' | 'dark' | 'auto' | undefined
  /** Size of the challenge’s widget. Default: `"flexible"` */
  challengeSize?: 'normal' | 'compact' | 'flexible' | undefined
  /** When the challenge’s widget is seen. Default: `"always"` */
  challengeAppearance?: 'always' | 'execute' | 'interaction-only' | undefined
  /** Text in the empty field of the address. Default: `"Your email address"` */
  emailPlaceholder?: string | undefined
  /** Text in the empty field of the CAPTCHA. Default: `"Characters in the image"` */
  captchaPlaceholder?: string | undefined
  /** CSS font families; an empty one is system-ui, sans-serif. Default: `"system-ui, sans-serif"` */
  formFontStyle?: string | undefined
  /** A CSS colour; an empty one is #1d2430. Default: `"#1d2430"` */
  formFontColor?: string | undefined
  /** A CSS font size; a bare number counts as px; an empty one is 16px. Default: `"16px"` */
  formFontSize?: string | undefined
  /** Text of the button. Default: `"Subscribe"` */
  btnLabel?: string | undefined
  /** CSS font families; an empty one is system-ui, sans-serif. Default: `"system-ui, sans-serif"` */
  btnFont?: string | undefined
  /** A CSS colour; an empty one is #ffffff. Default: `"#ffffff"` */
  btnFontColor?: string | undefined
  /** A CSS colour; an empty one is #1f5fa8. Default: `"#1f5fa8"` */
  btnColor?: string | undefined
  /** A CSS font size; a bare number counts as px; an empty one is 16px. Default: `"16px"` */
  btnFontSize?: string | undefined
  /** What is shown after submitting. Default: `"Thank you for signing up."` */
  successMessage?: string | undefined
  /** CSS font families; an empty one is system-ui, sans-serif. Default: `"system-ui, sans-serif"` */
  successFont?: string | undefined
  /** A CSS colour; an empty one is #17663c. Default: `"#17663c"` */
  successFontColor?: string | undefined
  /** A CSS font size; a bare number counts as px; an empty one is 18px. Default: `"18px"` */
  successFontSize?: string | undefined
  /** Where a visitor lands right after submitting. Default: `""` */
  redirectLink?: string | undefined
  /** PATCH merges it key by key */
  termsAndConditions?: TermsAndConditions | undefined
  /** Keyed by the API name of a custom field, or by `name`. Replaced whole. Default: `{}` */
  propertiesStyle?: Record<string, PropertyStyle> | undefined
  /** Write-only, encrypted at rest; an empty string removes it */
  challengeSecretKey?: string | undefined
  /** Replaced whole: what is left out gets its default. Without the `_id` that is read back */
  doubleOptIn?: DoubleOptIn | undefined
}

export interface TermsAndConditions {
  /** Shown terms have to be accepted. Default: `false` */
  show?: boolean | undefined
  /** Stands before the link. Default: `"I accept the"` */
  label?: string | undefined
  /** The words of the link. Default: `"terms and conditions"` */
  linkLabel?: string | undefined
  /** Without one, the words are no link. Default: `""` */
  link?: string | undefined
}

export interface PropertyStyle {
  /** Whether the property is asked for. Default: `true` */
  show?: boolean | undefined
  /** A shown property that has to be filled in; a boolean one has to be true. Default: `false` */
  required?: boolean | undefined
  /** Its label, too; without one, the name of the field is. Default: `""` */
  placeholder?: string | undefined
  /** The smallest comes first; properties of one order by their name. Default: `0` */
  order?: number | undefined
}

export interface SignupFormChanges {
  /** What the form is called */
  name?: string | undefined
  /** Lists of the project that the form subscribes to; one that is removed is passed over */
  subscriberListIds?: string[] | null | undefined
  /** `horizontal` sets the fields side by side where there is room; anything else one below the other */
  formLayout?: string | null | undefined
  /** Counts only while there is no captchaType */
  showCaptcha?: boolean | null | undefined
  /** Absent: svg, unless showCaptcha is false. `challenge` is recommended: without a challengeSiteKey and a challengeSecretKey, a proof of work that the visitor’s browser does by itself; with both, the Turnstile-style widget of a provider */
  captchaType?: 'none' | 'svg' | 'challenge' | null | undefined
  /** Site key of the challenge’s provider; without a provider, empty */
  challengeSiteKey?: string | null | undefined
  /** Colours of the challenge’s widget */
  challengeTheme?: 'light' | 'dark' | 'auto' | null | undefined
  /** Size of the challenge’s widget */
  challengeSize?: 'normal' | 'compact' | 'flexible' | null | undefined
  /** When the challenge’s widget is seen */
  challengeAppearance?: 'always' | 'execute' | 'interaction-only' | null | undefined
  /** Text in the empty field of the address */
  emailPlaceholder?: string | null | undefined
  /** Text in the empty field of the CAPTCHA */
  captchaPlaceholder?: string | null | undefined
  /** CSS font families; an empty one is system-ui, sans-serif */
  formFontStyle?: string | null | undefined
  /** A CSS colour; an empty one is #1d2430 */
  formFontColor?: string | null | undefined
  /** A CSS font size; a bare number counts as px; an empty one is 16px */
  formFontSize?: string | null | undefined
  /** Text of the button */
  btnLabel?: string | null | undefined
  /** CSS font families; an empty one is system-ui, sans-serif */
  btnFont?: string | null | undefined
  /** A CSS colour; an empty one is #ffffff */
  btnFontColor?: string | null | undefined
  /** A CSS colour; an empty one is #1f5fa8 */
  btnColor?: string | null | undefined
  /** A CSS font size; a bare number counts as px; an empty one is 16px */
  btnFontSize?: string | null | undefined
  /** What is shown after submitting */
  successMessage?: string | null | undefined
  /** CSS font families; an empty one is system-ui, sans-serif */
  successFont?: string | null | undefined
  /** A CSS colour; an empty one is #17663c */
  successFontColor?: string | null | undefined
  /** A CSS font size; a bare number counts as px; an empty one is 18px */
  successFontSize?: string | null | undefined
  /** Where a visitor lands right after submitting */
  redirectLink?: string | null | undefined
  /** Merged key by key; null brings back the defaults */
  termsAndConditions?:
    | {
        /** Shown terms have to be accepted */
        show?: boolean | null | undefined
        /** Stands before the link */
        label?: string | null | undefined
        /** The words of the link */
        linkLabel?: string | null | undefined
        /** Without one, the words are no link */
        link?: string | null | undefined
      }
    | null
    | undefined
  /** Keyed by the API name of a custom field, or by `name`. Replaced whole */
  propertiesStyle?: Record<string, PropertyStyle> | null | undefined
  /** Write-only, encrypted at rest; an empty string removes it */
  challengeSecretKey?: string | null | undefined
  /** Replaced whole: what is left out gets its default. Without the `_id` that is read back */
  doubleOptIn?: DoubleOptIn | null | undefined
  /** `updatedAt` of the version that was changed; 409 if another one has been stored since */
  basedOn?: string | undefined
}

/** Custom-field values are flat top-level keys */
export interface SignupSubmission {
  /** Address, as it was spelled */
  email: string
  /** Name of the person */
  name?: string | undefined
  /** The text in the CAPTCHA image, in upper or lower case; required from a browser */
  captchaText?: string | undefined
  /** The probe that came with the picture */
  captchaProbe?: string | undefined
  /** The solution of a `GET /v1/challenge`, or what the provider’s widget gave */
  challengeToken?: string | undefined
  /** Has to be true where the form shows terms */
  termsAccepted?: boolean | undefined
  [key: string]: unknown
}

export interface SuppressionFields {
  /** Address that gets no mail */
  email: string
  /** Free text; bounce and complaint are the service’s own. Default: `""` */
  reason?: string | undefined
}

export interface WebhookFields {
  /** Where events are posted to */
  url: string
  /** A secret of the webhook’s own, `whsec_` and the base64 of 24 bytes or more, which signs and is never sent; or an API key of the project with the scope `webhook` or `full`: sent as bearer, and the key of the signature */
  secretKey: string
  /** Post bounces. Default: `false` */
  bounce?: boolean | undefined
  /** Post complaints. Default: `false` */
  complaint?: boolean | undefined
  /** Post clicks. Default: `false` */
  click?: boolean | undefined
  /** Post opens. Default: `false` */
  open?: boolean | undefined
  /** Post mails that were sent. Default: `false` */
  sent?: boolean | undefined
  /** Post mails that failed. Default: `false` */
  failed?: boolean | undefined
  /** Post what people do to their subscriptions. Default: `false` */
  subscription?: boolean | undefined
  /** Post events together, up to 100 in one `{ "events": [...] }`, each with its `id`, instead of one by one. Default: `false` */
  batches?: boolean | undefined
}

export interface ReplayEvents {
  /** Events by their `_id` in the log */
  ids?: string[] | undefined
  /** Events in this state: given up, delivered or pending */
  state?: 'pending' | 'delivered' | 'given-up' | undefined
  /** Events of this type */
  type?:
    | 'sent'
    | 'failed'
    | 'open'
    | 'click'
    | 'bounce'
    | 'complaint'
    | 'subscribe'
    | 'unsubscribe'
    | 'resubscribe'
    | 'pause-subscription'
    | undefined
  /** Those told then or later */
  since?: string | undefined
  /** Those told before */
  until?: string | undefined
  /** The `next` of the previous response, to continue from there */
  after?: string | undefined
}

export interface WebhookEndpointFields {
  /** Where events are posted to */
  url: string
  /** Signs the posts: `whsec_` and the base64 of 24 bytes or more, which is never sent; or an API key of the project with the scope `webhook` or `full`, which is also sent as bearer. Absent, or null in a change: a `whsec_` secret is generated */
  secretKey?: string | undefined
  /** What the endpoint is for, at most 500 characters; for people only. Default: `""` */
  description?: string | undefined
  /** Types of the events to post; absent: all of them */
  types?:
    | (
        | 'sent'
        | 'failed'
        | 'open'
        | 'click'
        | 'bounce'
        | 'complaint'
        | 'subscribe'
        | 'unsubscribe'
        | 'resubscribe'
        | 'pause-subscription'
      )[]
    | undefined
  /** Post events together, up to 100 in one `{ "events": [...] }`, each with its `id`, instead of one by one. Default: `false` */
  batches?: boolean | undefined
  /** Whether events are posted. Default: `true` */
  enabled?: boolean | undefined
}

export interface WebhookEndpointChanges {
  /** Where events are posted to */
  url?: string | undefined
  /** Signs the posts: `whsec_` and the base64 of 24 bytes or more, which is never sent; or an API key of the project with the scope `webhook` or `full`, which is also sent as bearer. Absent, or null in a change: a `whsec_` secret is generated */
  secretKey?: string | null | undefined
  /** What the endpoint is for, at most 500 characters; for people only */
  description?: string | null | undefined
  /** Types of the events to post; absent: all of them */
  types?:
    | (
        | 'sent'
        | 'failed'
        | 'open'
        | 'click'
        | 'bounce'
        | 'complaint'
        | 'subscribe'
        | 'unsubscribe'
        | 'resubscribe'
        | 'pause-subscription'
      )[]
    | null
    | undefined
  /** Post events together, up to 100 in one `{ "events": [...] }`, each with its `id`, instead of one by one */
  batches?: boolean | null | undefined
  /** Whether events are posted */
  enabled?: boolean | null | undefined
}

export interface SenderIdentityFields {
  /** Its domain must be verified in the region */
  email: string
  /** Shown beside the address. Default: `""` */
  name?: string | undefined
  /** One of the regions of this server */
  region: string
}

export interface DomainFields {
  /** A host name with a dot, at most 200 characters; kept in lower-case ASCII */
  domain: string
  /** One of the regions of this server */
  region: string
  /** A name below the domain, such as links.example.com, that links of its mails lead by once its CNAME is there */
  trackingDomain?: string | undefined
}

export interface DomainChanges {
  /** null takes it away */
  trackingDomain?: string | null | undefined
}

export interface DesignSystemChanges {
  /** Values that replace the base’s */
  setOverrides?: SetOverride[] | undefined
  /** Entries to reset to the base */
  resetOverrides?: ResetOverride[] | undefined
  /** `updatedAt` of the version that was changed; 409 if another one has been stored since */
  basedOn?: string | undefined
}

/** A value that replaces the base’s; fonts may be added */
export interface SetOverride {
  /** Part of the design system */
  category: 'variables' | 'font' | 'components'
  /** variables: colors, fontStacks, images, links, texts; font: resources, stacks; components: buttons, texts, images, dividers */
  key: 'colors' | 'fontStacks' | 'images' | 'links' | 'texts' | 'resources' | 'stacks' | 'buttons' | 'dividers'
  /** Name of the entry; `font` accepts new names */
  name: string
  /** colors: #rrggbb; stacks: a font stack; images, links, resources: a URL; texts: a text, or for components a style */
  value: unknown
  /** Makes it the main entry of its group, instead of another */
  main?: boolean | undefined
  /** Absent: the description of the base */
  description?: string | undefined
}

/** An entry to reset to the base */
export interface ResetOverride {
  /** Part of the design system */
  category: 'variables' | 'font' | 'components'
  /** variables: colors, fontStacks, images, links, texts; font: resources, stacks; components: buttons, texts, images, dividers */
  key: 'colors' | 'fontStacks' | 'images' | 'links' | 'texts' | 'resources' | 'stacks' | 'buttons' | 'dividers'
  /** Name of the entry; `font` accepts new names */
  name: string
}

export interface GalleryFolderFields {
  /** What the folder is called */
  name: string
  /** A folder of the project, or a shared one; absent or empty: the top of the project’s own tree. Default: `null` */
  parentFolderId?: string | null | undefined
}

export interface GalleryFolderChanges {
  /** What the folder is called */
  name: string
}

export interface GalleryImageFields {
  /** The file: a JPEG, PNG or GIF by its bytes, of at most 10 MB unless the server is set otherwise */
  image: FileInput
  /** Absent: the file’s name */
  name?: string | undefined
  /** A folder of the project, or a shared one; absent or empty: the top of the project’s own tree. Default: `null` */
  parentFolderId?: string | null | undefined
}

export interface GalleryImageChanges {
  /** What the image is called */
  name: string
}

/** Given values are merged into the stored ones; null removes a stored value */
export interface CloudConfigFields {
  /** The role that sends; encrypted at rest. Never together with an access key */
  roleArn?: string | null | undefined
  /** Goes with secretAccessKey; encrypted at rest */
  accessKeyId?: string | null | undefined
  /** Write-only, encrypted at rest */
  secretAccessKey?: string | null | undefined
  /** A region of the cloud account, such as eu-west-1 */
  region?: string | null | undefined
  /** Mails per second */
  limit?: number | null | undefined
  /** Senders of the account */
  senderIdentities?: CloudSender[] | null | undefined
  /** Removes the role or access key before merging the given values */
  removeCredentials?: 'role' | 'keys' | undefined
}

/** A From address that the project’s own account sends from */
export interface CloudSender {
  /** Shown beside the address */
  name: string
  /** E-mail address; its domain may be given in Unicode and is kept in ASCII; else kept as it is spelled, found in any spelling of upper and lower case */
  email: string
  /** Absent: the region of the account */
  region?: string | undefined
}

/** What a permanent bounce or a complaint does to the contact’s memberships; the suppression list has the address in any case */
export interface AutoRemoveFromList {
  /** What a permanent bounce does. Default: `"removeFromLists"` */
  bounce?: 'off' | 'removeFromLists' | 'deleteContact' | undefined
  /** What a complaint does. Default: `"removeFromLists"` */
  complaint?: 'off' | 'removeFromLists' | 'deleteContact' | undefined
}

/** An application for production access */
export interface AccessApplication {
  /** Expected mails per month */
  volume: number
  /** Why this service */
  whyBluefox: string
  /** What kinds of mail are to be sent */
  typeOfEmails: string
  /** Where the contacts come from */
  contactsSource: string
  /** What the product is */
  productDescription: string
  /** An http or https URL; without a scheme, https is meant */
  website: string
}

/** A request for a higher monthly limit */
export interface LimitIncreaseFields {
  /** Mails per month, more than now; 0 = unlimited */
  monthlyLimit: number
  /** At least 10 characters */
  reason: string
}

/** Given values are checked instead of the stored ones */
export interface CloudCheckFields {
  /** The role that sends; encrypted at rest. Never together with an access key */
  roleArn?: string | undefined
  /** Goes with secretAccessKey; encrypted at rest */
  accessKeyId?: string | undefined
  /** Write-only, encrypted at rest */
  secretAccessKey?: string | undefined
  /** A region of the cloud account, such as eu-west-1 */
  region?: string | undefined
  /** Mails per second */
  limit?: number | undefined
  /** Senders whose domains are checked */
  senderIdentities?:
    | {
        /** Not checked */
        _id?: string | undefined
        /** Not checked */
        name?: string | undefined
        /** E-mail address; its domain may be given in Unicode and is kept in ASCII; else kept as it is spelled, found in any spelling of upper and lower case */
        email: string
        /** Absent: the region of the account */
        region?: string | undefined
      }[]
    | undefined
}

/** An event of a mail or subscription of the project */
export type WebhookEvent =
  | WebhookMailEvent
  | WebhookBounceEvent
  | WebhookFailedEvent
  | WebhookOpenEvent
  | WebhookClickEvent
  | WebhookSubscriptionEvent

/** A mail was sent, or was reported as spam */
export interface WebhookMailEvent {
  /** What happened to the mail */
  type: 'sent' | 'complaint'
  account: WebhookAccount
  project: WebhookProject
  /** When it happened */
  createdAt: string
  emailData: WebhookEmailData
}

/** The account of the project */
export interface WebhookAccount {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** What the account is called */
  name: string
  /** Its name as a part of a URL */
  urlFriendlyName: string
}

/** The project in which it happened */
export interface WebhookProject {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** What the project is called */
  name: string
}

/** The mail that the event is about */
export interface WebhookEmailData {
  /** Of the campaign, the triggered or the transactional email; of mails without one, the same id in all of the project */
  _id: string
  /** Id of the send, as in its response */
  dispatchId: string
  /** Of the mail to that one recipient */
  deliveryId: string
  /** Time of sending, or of the last attempt if it failed */
  sentAt?: string | undefined
  /** The recipient’s address */
  to: string
  /** What kind of email it is */
  type: 'campaign' | 'triggered' | 'transactional' | 'direct' | 'test'
  /** As given in the send */
  tags?: string[] | undefined
  /** As rendered for that recipient; as stored, with its merge tags, where no mail could be made */
  subject: string
}

/** A mail bounced permanently */
export interface WebhookBounceEvent {
  /** What happened to the mail */
  type: 'bounce'
  account: WebhookAccount
  project: WebhookProject
  /** When it happened */
  createdAt: string
  emailData: WebhookEmailData
  /** Reply of the server, or what the mail provider reported */
  reason: string
  /** Enhanced status (RFC 3463), such as `5.1.1`; absent if the server gave none */
  status?: string | undefined
}

/** A mail could not be sent */
export interface WebhookFailedEvent {
  /** What happened to the mail */
  type: 'failed'
  account: WebhookAccount
  project: WebhookProject
  /** When it happened */
  createdAt: string
  emailData: WebhookEmailData
  /** Why it failed */
  errors: {
    /** Kind of the error, or the code of the relay */
    name: string
    /** What is known of the error */
    message: string
  }[]
}

/** A mail was opened */
export interface WebhookOpenEvent {
  /** What happened to the mail */
  type: 'open'
  account: WebhookAccount
  project: WebhookProject
  /** When it happened */
  createdAt: string
  emailData: WebhookEmailData
  /** As reported by the recipient’s program */
  userAgent?: string | undefined
  /** As reported by the recipient’s program */
  referer?: string | undefined
  /** Address that the request came from */
  ipAddress?: string | undefined
}

/** A link of a mail was followed */
export interface WebhookClickEvent {
  /** What happened to the mail */
  type: 'click'
  account: WebhookAccount
  project: WebhookProject
  /** When it happened */
  createdAt: string
  emailData: WebhookEmailData
  /** As reported by the recipient’s program */
  userAgent?: string | undefined
  /** As reported by the recipient’s program */
  referer?: string | undefined
  /** Address that the request came from */
  ipAddress?: string | undefined
  /** Where it leads */
  link?: string | undefined
  /** Position of the link in a visual document */
  blockPosition?: string | undefined
  /** The block of a visual document that contains the link */
  blockName?: string | undefined
}

/** A subscription began, ended or was paused */
export interface WebhookSubscriptionEvent {
  /** What happened to the subscription */
  type: 'subscribe' | 'unsubscribe' | 'resubscribe' | 'pause-subscription'
  account: WebhookAccount
  project: WebhookProject
  /** When it happened */
  createdAt: string
  subscription: WebhookSubscription
}

/** The membership that the event is about */
export interface WebhookSubscription {
  /** Of the membership */
  _id: string
  /** The contact’s name; may be empty */
  name: string
  /** Address of the subscriber */
  email: string
  /** Afterwards */
  status: 'unverified' | 'active' | 'paused' | 'unsubscribed'
  /** The list */
  subscriberList: {
    /** Identifier: 24 hexadecimal digits, increasing with time */
    _id: string
    /** What the list is called */
    name: string
    /** Whether only those who are on it see it */
    private: boolean
  }
}

/** Several events in one post, if the webhook has `batches` enabled */
export interface WebhookBatch {
  /** The events. If you have seen an `id` before, it is the same event */
  events: (
    | WebhookMailEventInBatch
    | WebhookBounceEventInBatch
    | WebhookFailedEventInBatch
    | WebhookOpenEventInBatch
    | WebhookClickEventInBatch
    | WebhookSubscriptionEventInBatch
  )[]
}

/** A mail was sent, or was reported as spam */
export interface WebhookMailEventInBatch {
  /** What happened to the mail */
  type: 'sent' | 'complaint'
  account: WebhookAccount
  project: WebhookProject
  /** When it happened */
  createdAt: string
  emailData: WebhookEmailData
  /** The `webhook-id` that the event has if it is posted alone */
  id: string
}

/** A mail bounced permanently */
export interface WebhookBounceEventInBatch {
  /** What happened to the mail */
  type: 'bounce'
  account: WebhookAccount
  project: WebhookProject
  /** When it happened */
  createdAt: string
  emailData: WebhookEmailData
  /** Reply of the server, or what the mail provider reported */
  reason: string
  /** Enhanced status (RFC 3463), such as `5.1.1`; absent if the server gave none */
  status?: string | undefined
  /** The `webhook-id` that the event has if it is posted alone */
  id: string
}

/** A mail could not be sent */
export interface WebhookFailedEventInBatch {
  /** What happened to the mail */
  type: 'failed'
  account: WebhookAccount
  project: WebhookProject
  /** When it happened */
  createdAt: string
  emailData: WebhookEmailData
  /** Why it failed */
  errors: {
    /** Kind of the error, or the code of the relay */
    name: string
    /** What is known of the error */
    message: string
  }[]
  /** The `webhook-id` that the event has if it is posted alone */
  id: string
}

/** A mail was opened */
export interface WebhookOpenEventInBatch {
  /** What happened to the mail */
  type: 'open'
  account: WebhookAccount
  project: WebhookProject
  /** When it happened */
  createdAt: string
  emailData: WebhookEmailData
  /** As reported by the recipient’s program */
  userAgent?: string | undefined
  /** As reported by the recipient’s program */
  referer?: string | undefined
  /** Address that the request came from */
  ipAddress?: string | undefined
  /** The `webhook-id` that the event has if it is posted alone */
  id: string
}

/** A link of a mail was followed */
export interface WebhookClickEventInBatch {
  /** What happened to the mail */
  type: 'click'
  account: WebhookAccount
  project: WebhookProject
  /** When it happened */
  createdAt: string
  emailData: WebhookEmailData
  /** As reported by the recipient’s program */
  userAgent?: string | undefined
  /** As reported by the recipient’s program */
  referer?: string | undefined
  /** Address that the request came from */
  ipAddress?: string | undefined
  /** Where it leads */
  link?: string | undefined
  /** Position of the link in a visual document */
  blockPosition?: string | undefined
  /** The block of a visual document that contains the link */
  blockName?: string | undefined
  /** The `webhook-id` that the event has if it is posted alone */
  id: string
}

/** A subscription began, ended or was paused */
export interface WebhookSubscriptionEventInBatch {
  /** What happened to the subscription */
  type: 'subscribe' | 'unsubscribe' | 'resubscribe' | 'pause-subscription'
  account: WebhookAccount
  project: WebhookProject
  /** When it happened */
  createdAt: string
  subscription: WebhookSubscription
  /** The `webhook-id` that the event has if it is posted alone */
  id: string
}

/** An email to a subscriber list, sent now or at a given time */
export interface Campaign {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** Name of the email; recipients do not see it */
  name: string
  /** Subject, a template */
  subject: string
  /** Preview text that mailboxes show after the subject; a template */
  previewText?: string | undefined
  /** Identifier: 24 hexadecimal digits, increasing with time */
  senderIdentity?: string | undefined
  /** Reply-To address; empty: the sender’s */
  replyTo?: string | undefined
  /** Type of the document */
  type: 'visual' | 'html' | 'text'
  /** html and text: a template; visual: the editor’s JSON */
  document?: unknown
  /** Feeds whose content the templates may use */
  feeds: Feed[]
  tracking?: TrackingFields | undefined
  /** Merge tags without a value; only in responses to creating, changing and testing, if there are any */
  warnings?: string[] | undefined
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
  /** Whether the project’s unengaged contacts are excluded */
  excludeUnengaged: boolean
  /** Status of the campaign */
  status: 'draft' | 'archive' | 'scheduled' | 'being-sent' | 'sent' | 'error'
  /** IANA zone of a `scheduledTo` without an offset */
  timeZone: string
  /** Identifier: 24 hexadecimal digits, increasing with time */
  subscriberListId: string
  /** Identifier: 24 hexadecimal digits, increasing with time */
  segmentId?: string | undefined
  /** Identifier: 24 hexadecimal digits, increasing with time */
  unopenedOf?: string | undefined
  /** Instant in ISO 8601, UTC, with milliseconds */
  scheduledTo?: string | undefined
  /** Person who changed it last; absent for a key */
  updatedBy?: string | undefined
  /** Why the campaign failed */
  errorMessage?: string | undefined
}

export interface AudiencePreview {
  /** Of the list, in any status, or of those who did not open; the sum of the three that follow */
  subscribers: number
  /** Contacts who would get the mail */
  recipients: number
  /** Active subscribers whom the segment does not contain */
  outsideSegment: number
  /** Contacts who would be excluded, by reason */
  excluded: Partial<
    Record<
      | 'suppressed'
      | 'unengaged'
      | 'unsubscribed'
      | 'paused'
      | 'unverified'
      | 'not-subscribed'
      | 'invalid-address'
      | 'no-credit'
      | 'stopped',
      number
    >
  >
  /** What the recipients are charged to */
  limits: {
    /** Credit of the account, or mails per UTC day or month */
    name: 'credit' | 'sandbox-day' | 'month'
    /** Mails that may still be sent; absent if unlimited */
    left?: number | undefined
  }[]
  /** Merge tags of the contact, and how many recipients have no value for them: all for a field that does not exist */
  emptyTags: {
    /** Such as contact.city */
    tag: string
    /** Recipients without a value */
    recipients: number
  }[]
  /** Why the campaign cannot be sent; absent if it can */
  problem?: string | undefined
}

export interface CampaignProgress {
  /** Of the campaign */
  status: 'draft' | 'archive' | 'scheduled' | 'being-sent' | 'sent' | 'error'
  /** Why it ended in error */
  errorMessage?: string | undefined
  /** Why sending is waiting; it continues by itself */
  waitsFor?: string | undefined
  /** Number of recipients by delivery status */
  deliveries: Record<'queued' | 'sending' | 'uncertain' | 'sent' | 'failed' | 'excluded', number>
  /** Number of excluded recipients by reason */
  excluded: Partial<
    Record<
      | 'suppressed'
      | 'unengaged'
      | 'unsubscribed'
      | 'paused'
      | 'unverified'
      | 'not-subscribed'
      | 'invalid-address'
      | 'no-credit'
      | 'stopped',
      number
    >
  >
  /** Whether recipients are still to be added */
  expanding: boolean
  /** Whether it was stopped and can be continued */
  canContinue: boolean
  /** When its recipients were deleted; the numbers are from that time */
  recipientsRemovedAt?: string | undefined
}

export interface CampaignReport {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  campaignId: string
  /** Name of the campaign; recipients do not see it */
  name: string
  /** As stored, with its merge tags */
  subject: string
  /** While `being-sent`, recipients are still added */
  status: 'draft' | 'archive' | 'scheduled' | 'being-sent' | 'sent' | 'error'
  /** Why its status is error */
  errorMessage?: string | undefined
  /** All recipients: sent, failed, excluded and waiting */
  recipients: number
  /** Mails that the provider accepted */
  sent: number
  /** Mails that could not be sent; `failures` says why */
  failed: number
  /** Recipients who get no mail; `exclusions` says why */
  excluded: number
  /** Mails that are queued, or whose outcome is not known yet */
  waiting: number
  /** Permanent bounces, also those refused at once, which count as failed too */
  bounced: number
  /** Mails that were reported as spam */
  complained: number
  /** Number of opens */
  opens: number
  /** Mails opened at least once */
  uniqueOpens: number
  /** Number of clicks */
  clicks: number
  /** Mails with at least one click */
  uniqueClicks: number
  /** Recipients who unsubscribed through a link in the mail */
  unsubscribed: number
  /** Recipients who paused through a link in the mail */
  paused: number
  /** Why mails failed, the most frequent reason first; at most 50 */
  failures: {
    /** Kind of the error, or the code of the relay */
    name: string
    /** Response of the relay, with its reply code, or error of the renderer; 550 and 554 are separate reasons */
    message: string
    /** Mails that failed for this reason */
    count: number
  }[]
  /** Why recipients were excluded, the most frequent reason first */
  exclusions: {
    /** Reason */
    reason:
      | 'suppressed'
      | 'unengaged'
      | 'unsubscribed'
      | 'paused'
      | 'unverified'
      | 'not-subscribed'
      | 'invalid-address'
      | 'no-credit'
      | 'stopped'
    /** Recipients excluded for this reason */
    count: number
  }[]
  /** Clicked links, the most clicked first; at most 100 */
  links: {
    /** As in the email, without the values of merge tags */
    link: string
    /** Position in the document */
    blockPosition?: string | undefined
    /** Name of the block that contains it */
    blockName?: string | undefined
    /** Number of clicks on it */
    clicks: number
    /** Mails in which it was clicked at least once */
    uniqueClicks: number
  }[]
  /** Clicks on all other links */
  otherClicks: number
  /** Mails with a click on one of those */
  otherUniqueClicks: number
  /** When removal of its recipients began; the numbers are from then */
  recipientsRemovedAt?: string | undefined
}

export interface ReportLink {
  /** Opens the report in a browser without a key. It shows numbers and no addresses */
  url: string
  /** The link stops working then */
  expiresAt: string
}

export interface ExcludedRecipient {
  /** Address of the excluded recipient */
  email: string
  /** Why */
  reason:
    | 'suppressed'
    | 'unengaged'
    | 'unsubscribed'
    | 'paused'
    | 'unverified'
    | 'not-subscribed'
    | 'invalid-address'
    | 'no-credit'
    | 'stopped'
  /** Id of the dispatch */
  dispatchId: string
  /** Id of the mail that was not sent */
  deliveryId: string
  /** When it became a recipient */
  createdAt: string
}

export interface RetriedMails {
  /** Failed mails that are sent again */
  again: number
}

export interface RetryPreview {
  /** Mails of the last run that failed and are chosen */
  failed: number
  /** Contacts who would get the mail now */
  recipients: number
  /** Contacts who would be excluded now, by reason */
  excluded: Partial<
    Record<
      | 'suppressed'
      | 'unengaged'
      | 'unsubscribed'
      | 'paused'
      | 'unverified'
      | 'not-subscribed'
      | 'invalid-address'
      | 'no-credit'
      | 'stopped',
      number
    >
  >
  /** False if there are more: 20000 mails are looked at */
  isComplete: boolean
}

/** An email to active subscribers of a list, sent on request */
export interface TriggeredEmail {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** Name of the email; recipients do not see it */
  name: string
  /** Subject, a template */
  subject: string
  /** Preview text that mailboxes show after the subject; a template */
  previewText?: string | undefined
  /** Identifier: 24 hexadecimal digits, increasing with time */
  senderIdentity?: string | undefined
  /** Reply-To address; empty: the sender’s */
  replyTo?: string | undefined
  /** Type of the document */
  type: 'visual' | 'html' | 'text'
  /** html and text: a template; visual: the editor’s JSON */
  document?: unknown
  /** Feeds whose content the templates may use */
  feeds: Feed[]
  tracking?: TrackingFields | undefined
  /** Merge tags without a value; only in responses to creating, changing and testing, if there are any */
  warnings?: string[] | undefined
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
  /** Whether the project’s unengaged contacts are excluded */
  excludeUnengaged: boolean
  /** Identifier: 24 hexadecimal digits, increasing with time */
  subscriberListId: string
}

/** An email to one address, with the caller’s data */
export interface TransactionalEmail {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** Name of the email; recipients do not see it */
  name: string
  /** Subject, a template */
  subject: string
  /** Preview text that mailboxes show after the subject; a template */
  previewText?: string | undefined
  /** Identifier: 24 hexadecimal digits, increasing with time */
  senderIdentity?: string | undefined
  /** Reply-To address; empty: the sender’s */
  replyTo?: string | undefined
  /** Type of the document */
  type: 'visual' | 'html' | 'text'
  /** html and text: a template; visual: the editor’s JSON */
  document?: unknown
  /** Feeds whose content the templates may use */
  feeds: Feed[]
  tracking?: TrackingFields | undefined
  /** Merge tags without a value; only in responses to creating, changing and testing, if there are any */
  warnings?: string[] | undefined
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
}

export interface DirectSendAnswer {
  /** The request is queued durably */
  success: true
  /** Of this sending */
  dispatchId: string
  /** When the mails are due, if they were scheduled */
  sendAt?: string | undefined
  /** One per address, in order */
  deliveries: DirectDelivery[]
}

export interface DirectDelivery {
  /** The address */
  email: string
  /** Of the mail, as in webhooks and lists of deliveries */
  deliveryId: string
  /** Whether the mail is queued durably */
  accepted: boolean
  /** Why the address gets nothing */
  reason?:
    | 'suppressed'
    | 'unengaged'
    | 'unsubscribed'
    | 'paused'
    | 'unverified'
    | 'not-subscribed'
    | 'invalid-address'
    | 'no-credit'
    | 'stopped'
    | undefined
}

export interface CancelAnswer {
  /** The request is queued durably */
  success: true
  /** Of the sending */
  dispatchId: string
  /** Number of mails that are not sent; their credit is returned */
  cancelled: number
  /** One per address, in order */
  deliveries: {
    /** The address */
    email: string
    /** Of the mail */
    deliveryId: string
    /** False: it was sent, is being sent, or could not be sent */
    cancelled: boolean
  }[]
}

export interface SendAnswer {
  /** The request is queued durably */
  success: true
  /** Of this sending, to one or to many */
  dispatchId: string
  /** Of the mail, where it is sent to one address */
  deliveryId?: string | undefined
  /** Of send-triggered: how many addresses get the mail */
  accepted?: number | undefined
  /** Of send-triggered: the given addresses that get nothing, and why; 100 at most, and none where it goes to the list */
  excluded?:
    | {
        /** The address */
        email: string
        /** Why it gets nothing */
        reason:
          | 'suppressed'
          | 'unengaged'
          | 'unsubscribed'
          | 'paused'
          | 'unverified'
          | 'not-subscribed'
          | 'invalid-address'
          | 'no-credit'
          | 'stopped'
      }[]
    | undefined
  /** Number of excluded addresses, if more than `excluded` lists */
  excludedCount?: number | undefined
}

export interface BatchAnswer {
  /** The request is queued durably */
  success: true
  /** Number of accepted mails */
  accepted: number
  /** One per mail, in order */
  results: BatchResult[]
}

export interface BatchResult {
  /** The address as given; empty if there was none */
  email: string
  /** Whether the mail is queued durably */
  accepted: boolean
  /** Of the sending, if it was accepted */
  dispatchId?: string | undefined
  /** Of the mail, if it was accepted */
  deliveryId?: string | undefined
  /** If it was rejected */
  error?:
    | {
        /** As in the error response of a single send */
        name: string
        /** Why it was rejected */
        message: string
      }
    | undefined
}

export interface TestSent {
  /** The request is queued durably */
  success: true
  /** Of this sending, to one or to many */
  dispatchId: string
  /** Of the mail, where it is sent to one address */
  deliveryId?: string | undefined
  /** Of send-triggered: how many addresses get the mail */
  accepted?: number | undefined
  /** Of send-triggered: the given addresses that get nothing, and why; 100 at most, and none where it goes to the list */
  excluded?:
    | {
        /** The address */
        email: string
        /** Why it gets nothing */
        reason:
          | 'suppressed'
          | 'unengaged'
          | 'unsubscribed'
          | 'paused'
          | 'unverified'
          | 'not-subscribed'
          | 'invalid-address'
          | 'no-credit'
          | 'stopped'
      }[]
    | undefined
  /** Number of excluded addresses, if more than `excluded` lists */
  excludedCount?: number | undefined
  /** Merge tags without a value; only in responses to creating, changing and testing, if there are any */
  warnings?: string[] | undefined
}

export interface RenderedPreview {
  /** Subject as in its header, in one line */
  subject: string
  /** Empty for an email of plain text */
  html: string
  /** Plain-text part, or the whole of a text email */
  text: string
  /** Merge tags without a value */
  warnings: string[]
}

/** A visual document to create emails from */
export interface Template {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** Name of the template */
  name: string
  /** Subject of emails created from it */
  subject: string
  /** What mailboxes show after the subject */
  previewText?: string | undefined
  /** Tags to find the template by */
  tags: string[]
  /** Email created from it when the operator copies the project to a new one */
  onProjectCreation: 'do-nothing' | 'set-as-transactional' | 'set-as-triggered' | 'set-as-campaign'
  /** Merge tags of the document, such as contact.name or design.colors.primary */
  usedVariables: string[]
  /** Components of the document, such as mj-button */
  usedComponents: string[]
  /** Merge tags without a value; only in responses to creating, changing and testing, if there are any */
  warnings?: string[] | undefined
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
}

/** A contact field of the project’s own; name is its API name */
export interface CustomField {
  /** Its API name */
  name: string
  /** Type of the values */
  type: 'string' | 'number' | 'boolean' | 'date'
}

/** A tag that contacts may carry, in lower case */
export interface ContactTag {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** The tag, in lower case */
  value: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
}

/** A person the project may write to; custom-field values are flat top-level keys */
export type Contact = {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** Address, as it was spelled */
  email: string
  /** Name of the person */
  name: string
  /** Tags, in lower case */
  tags: string[]
  /** Names of the subscriber lists the contact belongs to */
  _lists: string[]
  /** Instant in ISO 8601, UTC, with milliseconds */
  lastOpenDate?: string | undefined
  /** Instant in ISO 8601, UTC, with milliseconds */
  lastClickDate?: string | undefined
  /** Instant in ISO 8601, UTC, with milliseconds */
  lastReceiveDate?: string | undefined
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
} & Record<string, string | number | boolean>

export interface BulkAnswer {
  counts: RowCounts
  /** One for each row, in order */
  results: {
    /** The address as the row has it; empty if it has none */
    email: string
    /** unchanged: the row is stored already */
    status: 'created' | 'updated' | 'unchanged' | 'failed'
    /** Of the contact, unless the row failed */
    _id?: string | undefined
    /** Why the row failed */
    violations?: string[] | undefined
  }[]
}

/** Rows by what became of them */
export interface RowCounts {
  /** Rows that created a contact */
  created: number
  /** Rows that changed a contact, or added it to the list */
  updated: number
  /** Rows that were stored already */
  unchanged: number
  /** Rows that were refused */
  failed: number
}

/** A list that a contact is on, or has left, by the id of the list */
export interface Subscription {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** Name of the list */
  name: string
  /** A pause that is over counts as active */
  status: 'unverified' | 'active' | 'paused' | 'unsubscribed'
  /** Present while paused */
  pausedUntil?: string | undefined
  /** When they joined, or last came back after leaving */
  joinedAt: string
  /** When they joined, or their status or pause last changed */
  changedAt: string
  /** What took them off the list, at `changedAt`; `status` is then `unsubscribed` */
  endedBy?: 'bounce' | 'complaint' | undefined
  /** Form through which they joined; absent if it was deleted */
  signupForm?:
    | {
        /** Identifier: 24 hexadecimal digits, increasing with time */
        _id: string
        /** Name of the form */
        name: string
      }
    | undefined
  /** Import that added them */
  import?:
    | {
        /** Identifier: 24 hexadecimal digits, increasing with time */
        _id: string
        /** Name of the uploaded file */
        fileName: string
        /** How the people in the file agreed to get mail */
        consent?: string | undefined
      }
    | undefined
  /** How they agreed, as the system that they were migrated from recorded it */
  consent?: string | undefined
}

export interface Import {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** Name of the uploaded file */
  fileName: string
  /** In bytes */
  size: number
  /** How far the import is (`status` is that of subscribers). `uploaded`: waits to be started; `failed`: the import itself, not a row */
  state: 'uploaded' | 'running' | 'done' | 'cancelled' | 'failed'
  /** Name of the person */
  uploadedBy?: string | undefined
  /** List that the contacts are added to */
  subscriberListId?: string | undefined
  /** Status of a subscriber that new members of the list get; how far the import is says `state` */
  status?: 'active' | 'unverified' | undefined
  /** How these people agreed to get mail */
  consent?: string | undefined
  counts: RowCounts
  /** Part of the file that is imported */
  progress: number
  /** Why the import failed */
  errorMessage?: string | undefined
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  finishedAt?: string | undefined
}

export interface ImportPreview {
  /** Encoding that the file is read in */
  encoding: string
  /** Places that are not valid UTF-8, although the rest is */
  damage?:
    | {
        /** Number of places */
        places: number
        /** Line of the first place */
        firstLine: number
      }
    | undefined
  /** In the order of the file */
  columns: {
    /** Heading of a CSV file, key of an NDJSON file */
    heading: string
    /** API name of the field that the heading names */
    field: string | null
    /** API name that a new field would get; empty if it cannot have one */
    newField: string
    /** Type of the values in the first rows */
    type: 'string' | 'number' | 'boolean' | 'date'
  }[]
  /** Cells of the first rows, shortened */
  rows: string[][]
}

/** The first 20 failed rows of an import */
export interface ImportFailedRows {
  /** Headings of the file, for the cells */
  headings: string[]
  /** In the order of the file */
  items: {
    /** Line in the file */
    line: number
    /** Why the row was not imported */
    reason: string
    /** As the file has them */
    cells: string[]
  }[]
}

/** A list that contacts subscribe to */
export interface SubscriberList {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** What the list is called */
  name: string
  /** What the list is about, for its subscribers */
  description: string
  /** Shown to nobody but those who are on it */
  private: boolean
  /** Replaced whole */
  doubleOptIn: DoubleOptInOutput
  /** Replaced whole */
  signupForm: ListSignupFormOutput
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
}

export interface ListStats {
  /** People, as are the three that follow */
  active: number
  /** Those who paused the subscription */
  paused: number
  /** Those who left */
  unsubscribed: number
  /** Those who have not confirmed */
  unverified: number
  /** How often somebody came, or came back; imports do not count */
  subscribed: number
  /** How often somebody left */
  unsubscribedEvents: number
  /** How often somebody paused */
  pausedEvents: number
  /** How often a pause ended */
  unpausedEvents: number
  /** Permanent ones, of mails to the list */
  bounce: number
  /** Of mails to the list */
  complaint: number
}

/** A list that a person may join, or is on */
export interface ListPreference {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** What the list is called */
  name: string
  /** What the list is about */
  description: string
  /** Whether only those who are on it see it */
  private: boolean
  /** Absent: not on the list */
  status?: 'unverified' | 'active' | 'paused' | 'unsubscribed' | undefined
  /** Instant in ISO 8601, UTC, with milliseconds */
  pausedUntil?: string | undefined
}

/** A contact on a list */
export interface Subscriber {
  /** Address of the subscriber */
  email: string
  /** A pause that is over counts as active */
  status: 'unverified' | 'active' | 'paused' | 'unsubscribed'
  /** Present while paused */
  pausedUntil?: string | undefined
  /** By API name */
  customFields: Record<string, string | number | boolean>
}

export interface Subscribed {
  /** A pause that is over counts as active */
  status: 'unverified' | 'active' | 'paused' | 'unsubscribed'
  /** Address of the subscriber */
  email: string
}

export interface BulkSubscribed {
  counts: RowCounts
  /** One for each row, in order */
  results: {
    /** The address as the row has it; empty if it has none */
    email: string
    /** unchanged: the row is stored already */
    status: 'created' | 'updated' | 'unchanged' | 'failed'
    /** Of the contact, unless the row failed */
    _id?: string | undefined
    /** Why the row failed */
    violations?: string[] | undefined
    /** On the list, unless the row failed */
    subscriberStatus?: 'unverified' | 'active' | 'paused' | 'unsubscribed' | undefined
  }[]
}

export interface Success {
  /** The request is queued durably */
  success: true
}

/** A part of the contacts, described by conditions */
export interface Segment {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** What the segment is called */
  name: string
  /** OR-ed groups of AND-ed conditions; without groups no contact matches; a group without conditions matches all */
  groups: SegmentGroupOutput[]
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
  /** Conditions that match no contact because their custom field was deleted or has another type now; absent if there are none */
  warnings?: string[] | undefined
}

/** A form with which visitors of a website subscribe */
export interface SignupForm {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** What the form is called */
  name: string
  /** Lists of the project that the form subscribes to; one that is removed is passed over */
  subscriberListIds: string[]
  /** `horizontal` sets the fields side by side where there is room; anything else one below the other */
  formLayout: string
  /** Counts only while there is no captchaType */
  showCaptcha: boolean
  /** Absent: svg, unless showCaptcha is false. `challenge` is recommended: without a challengeSiteKey and a challengeSecretKey, a proof of work that the visitor’s browser does by itself; with both, the Turnstile-style widget of a provider */
  captchaType?: 'none' | 'svg' | 'challenge' | undefined
  /** Site key of the challenge’s provider; without a provider, empty */
  challengeSiteKey: string
  /** Colours of the challenge’s widget */
  challengeTheme: 'light' | 'dark' | 'auto'
  /** Size of the challenge’s widget */
  challengeSize: 'normal' | 'compact' | 'flexible'
  /** When the challenge’s widget is seen */
  challengeAppearance: 'always' | 'execute' | 'interaction-only'
  /** Text in the empty field of the address */
  emailPlaceholder: string
  /** Text in the empty field of the CAPTCHA */
  captchaPlaceholder: string
  /** CSS font families; an empty one is system-ui, sans-serif */
  formFontStyle: string
  /** A CSS colour; an empty one is #1d2430 */
  formFontColor: string
  /** A CSS font size; a bare number counts as px; an empty one is 16px */
  formFontSize: string
  /** Text of the button */
  btnLabel: string
  /** CSS font families; an empty one is system-ui, sans-serif */
  btnFont: string
  /** A CSS colour; an empty one is #ffffff */
  btnFontColor: string
  /** A CSS colour; an empty one is #1f5fa8 */
  btnColor: string
  /** A CSS font size; a bare number counts as px; an empty one is 16px */
  btnFontSize: string
  /** What is shown after submitting */
  successMessage: string
  /** CSS font families; an empty one is system-ui, sans-serif */
  successFont: string
  /** A CSS colour; an empty one is #17663c */
  successFontColor: string
  /** A CSS font size; a bare number counts as px; an empty one is 18px */
  successFontSize: string
  /** Where a visitor lands right after submitting */
  redirectLink: string
  /** PATCH merges it key by key */
  termsAndConditions: TermsAndConditionsOutput
  /** Keyed by the API name of a custom field, or by `name`. Replaced whole */
  propertiesStyle: Record<string, PropertyStyleOutput>
  /** Present while a challengeSecretKey is set */
  challengeSecretKeyHint?: string | undefined
  doubleOptIn: SignupFormDoubleOptIn
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
  /** Why visitors get no confirmation: an email of a double opt-in was deleted; only where one form is read */
  warnings?: string[] | undefined
}

export interface SignupFormDoubleOptIn {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** Whether new subscribers are asked to confirm */
  active: boolean
  /** Where a visitor lands after the confirmation link */
  redirectLink: string
  /** Transactional email whose content includes {{verifyLink}} */
  emailId: string
  /** Title of the page after confirming; unchanged or empty, it is in the reader’s language */
  confirmationTitle: string
  /** Text of the page after confirming; unchanged or empty, it is in the reader’s language */
  confirmationMessage: string
}

export interface SignedUp {
  /** true for every address: nobody is told whether it is known, on the list or suppressed */
  success: boolean
  /** Where the visitor is to go now; empty: nowhere */
  redirectTo: string
}

/** A CAPTCHA to solve */
export interface Captcha {
  /** The picture: an SVG document */
  data: string
  /** Return it with the text; valid for five minutes and one answer */
  probe: string
}

/** A proof of work: find the number for which SHA-256 of salt and number is `challenge`, and send base64 of `{ algorithm, challenge, number, salt, signature }` as `challengeToken`. Good for ten minutes, for one form and for one answer */
export interface Challenge {
  /** Salt of the challenge */
  algorithm: 'SHA-256'
  /** SHA-256 of the salt and the number, in hexadecimal */
  challenge: string
  /** The number is from 0 to this */
  maxnumber: number
  /** What the number is appended to, in decimal */
  salt: string
  /** Return it with the number */
  signature: string
}

/** An address that gets no mail of the project */
export interface Suppression {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** Address that gets no mail */
  email: string
  /** bounce and complaint are the service’s own */
  reason: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
}

/** A mail to one recipient, and what happened to it */
export interface MailHistory {
  /** Address of the recipient */
  email: string
  /** Id of the dispatch */
  dispatchId: string
  /** Id of the mail, as in webhook events */
  deliveryId: string
  /** excluded: gets no mail; `errors` says why */
  status: 'scheduled' | 'being-sent' | 'sent' | 'failed' | 'excluded'
  /** When it became a recipient */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  sentAt?: string | undefined
  /** As given in the send */
  tags?: string[] | undefined
  /** Number of opens */
  opens: number
  /** Number of clicks */
  clicks: number
  /** Whether the mail bounced permanently */
  bounced: boolean
  /** Whether the recipient reported it as spam */
  complained: boolean
  /** Whether the recipient unsubscribed through a link in the mail */
  unsubscribed: boolean
  /** Whether the recipient paused through a link in the mail */
  paused: boolean
  /** Whether the recipient subscribed through a link in the mail */
  subscribed: boolean
  /** Whether the recipient resubscribed through a link in the mail */
  resubscribed: boolean
  /** Why it was not sent, or bounced */
  errors: {
    /** Kind of the error, or the code of the relay */
    name: string
    /** Error message */
    message: string
  }[]
  /** What kind of email it is */
  kind: 'campaign' | 'triggered' | 'transactional' | 'direct' | 'test'
  /** Id of the campaign, the triggered or the transactional email */
  emailId: string
  /** Name of that email; empty if it was deleted */
  name: string
  /** Subject of this mail, if it differs from the email’s; else the email’s */
  subject: string
  /** Id of the contact; absent for a mail to an address */
  contactId?: string | undefined
  /** From the provider’s reply to the accepted mail: its queue id or message id */
  providerMessageId?: string | undefined
  /** Oldest first. Of opens, clicks and the like, the latest 32 are kept */
  events: MailHistoryEvent[]
  /** Events about this mail for webhooks, the newest first; at most 200 in a response */
  webhooks: MailWebhookPosts[]
}

export interface MailHistoryEvent {
  /** accepted: by this server; put-off: it is tried again; uncertain: no reply was recorded, as the connection broke or the process ended; sent: the provider accepted it; excluded: it is not sent; all others: what happened to the sent mail */
  type:
    | 'accepted'
    | 'excluded'
    | 'put-off'
    | 'uncertain'
    | 'sent'
    | 'failed'
    | 'open'
    | 'click'
    | 'bounce'
    | 'complaint'
    | 'subscribe'
    | 'resubscribe'
    | 'unsubscribe'
    | 'pause'
  /** When */
  at: string
  /** Number of attempts so far; for put-off, uncertain, sent, failed */
  attempts?: number | undefined
  /** For put-off and uncertain: earliest time of the next attempt */
  until?: string | undefined
  /** Why it was put off, failed or bounced */
  reply?: MailReply | undefined
  /** For excluded: why */
  reason?:
    | 'suppressed'
    | 'unengaged'
    | 'unsubscribed'
    | 'paused'
    | 'unverified'
    | 'not-subscribed'
    | 'invalid-address'
    | 'no-credit'
    | 'stopped'
    | undefined
  /** For open and click: who, as far as it is known */
  by?: 'person' | 'machine' | undefined
  /** For click: the link as it is written in the email, if known */
  link?: string | undefined
}

export interface MailReply {
  /** Kind of the error, or the code of the reply */
  name: string
  /** Text of the reply or error */
  message: string
}

export interface MailWebhookPosts {
  /** Id of the entry in the log of the webhook */
  _id: string
  /** Id of the webhook */
  webhookId: string
  /** What was posted */
  type:
    | 'sent'
    | 'failed'
    | 'open'
    | 'click'
    | 'bounce'
    | 'complaint'
    | 'subscribe'
    | 'unsubscribe'
    | 'resubscribe'
    | 'pause-subscription'
  /** Whether it is pending, delivered or given up */
  state: 'pending' | 'delivered' | 'given-up'
  /** When the event was queued */
  createdAt: string
  /** Number of attempts since it was queued, or queued again */
  attempts: number
  /** The latest attempt; absent before the first */
  lastAttempt?:
    | {
        /** When it was posted */
        at: string
        /** What the receiver answered */
        status?: number | undefined
        /** Why there was no answer */
        reason?: string | undefined
      }
    | undefined
  /** When the receiver took it */
  deliveredAt?: string | undefined
  /** Why it was given up */
  reason?: string | undefined
}

/** From when on the history is complete */
export interface KeptSince {
  /** Of mails that ended before, nothing is left; null: all are kept */
  mails: string | null
  /** Events for webhooks that were queued before are removed */
  webhookEvents: string
}

export interface KeptMailHistory {
  /** Address of the recipient */
  email: string
  /** Id of the dispatch */
  dispatchId: string
  /** Id of the mail, as in webhook events */
  deliveryId: string
  /** excluded: gets no mail; `errors` says why */
  status: 'scheduled' | 'being-sent' | 'sent' | 'failed' | 'excluded'
  /** When it became a recipient */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  sentAt?: string | undefined
  /** As given in the send */
  tags?: string[] | undefined
  /** Number of opens */
  opens: number
  /** Number of clicks */
  clicks: number
  /** Whether the mail bounced permanently */
  bounced: boolean
  /** Whether the recipient reported it as spam */
  complained: boolean
  /** Whether the recipient unsubscribed through a link in the mail */
  unsubscribed: boolean
  /** Whether the recipient paused through a link in the mail */
  paused: boolean
  /** Whether the recipient subscribed through a link in the mail */
  subscribed: boolean
  /** Whether the recipient resubscribed through a link in the mail */
  resubscribed: boolean
  /** Why it was not sent, or bounced */
  errors: {
    /** Kind of the error, or the code of the relay */
    name: string
    /** Error message */
    message: string
  }[]
  /** What kind of email it is */
  kind: 'campaign' | 'triggered' | 'transactional' | 'direct' | 'test'
  /** Id of the campaign, the triggered or the transactional email */
  emailId: string
  /** Name of that email; empty if it was deleted */
  name: string
  /** Subject of this mail, if it differs from the email’s; else the email’s */
  subject: string
  /** Id of the contact; absent for a mail to an address */
  contactId?: string | undefined
  /** From the provider’s reply to the accepted mail: its queue id or message id */
  providerMessageId?: string | undefined
  /** Oldest first. Of opens, clicks and the like, the latest 32 are kept */
  events: MailHistoryEvent[]
  /** Events about this mail for webhooks, the newest first; at most 200 in a response */
  webhooks: MailWebhookPosts[]
  keptSince: KeptSince
}

/** The URL for the project’s events, and the events to post */
export interface Webhook {
  /** Where events are posted to; without path and query for a key that may not read the secret, as these often hold a secret of the receiver */
  url: string
  /** Absent for keys that may not read it: those with the scope `read`, and other keys with `webhook` */
  secretKey?: string | undefined
  /** Post bounces */
  bounce: boolean
  /** Post complaints */
  complaint: boolean
  /** Post clicks */
  click: boolean
  /** Post opens */
  open: boolean
  /** Post mails that were sent */
  sent: boolean
  /** Post mails that failed */
  failed: boolean
  /** Post what people do to their subscriptions */
  subscription: boolean
  /** Post events together, up to 100 in one `{ "events": [...] }`, each with its `id`, instead of one by one */
  batches: boolean
  /** Present while nothing is posted: the key that is its secret was revoked, no post was taken for three days, or a request switched it off */
  disabled?:
    | {
        /** What switched it off */
        reason: string
        /** When */
        since: string
      }
    | undefined
  /** Present while all posts fail */
  failing?:
    | {
        /** When the first post failed */
        since: string
        /** Why the last was not */
        reason: string
      }
    | undefined
}

/** An event for the webhook, and its outcome */
export interface WebhookLogEntry {
  /** The `webhook-id` that it is posted under, and its `id` in a batch */
  _id: string
  /** What happened */
  type:
    | 'sent'
    | 'failed'
    | 'open'
    | 'click'
    | 'bounce'
    | 'complaint'
    | 'subscribe'
    | 'unsubscribe'
    | 'resubscribe'
    | 'pause-subscription'
  /** Whether it is pending, delivered or given up */
  state: 'pending' | 'delivered' | 'given-up'
  /** When the event was queued */
  createdAt: string
  /** When its state last changed */
  updatedAt: string
  /** While pending: earliest time of the next post */
  nextAt?: string | undefined
  /** Why it was given up */
  reason?: string | undefined
  /** The last nine attempts, the newest last */
  attempts: {
    /** When it was posted */
    at: string
    /** What the receiver answered */
    status?: number | undefined
    /** Why there was no answer */
    reason?: string | undefined
  }[]
}

/** An event of the log with its posted body */
export interface WebhookLoggedEvent {
  /** The `webhook-id` that it is posted under, and its `id` in a batch */
  _id: string
  /** What happened */
  type:
    | 'sent'
    | 'failed'
    | 'open'
    | 'click'
    | 'bounce'
    | 'complaint'
    | 'subscribe'
    | 'unsubscribe'
    | 'resubscribe'
    | 'pause-subscription'
  /** Whether it is pending, delivered or given up */
  state: 'pending' | 'delivered' | 'given-up'
  /** When the event was queued */
  createdAt: string
  /** When its state last changed */
  updatedAt: string
  /** While pending: earliest time of the next post */
  nextAt?: string | undefined
  /** Why it was given up */
  reason?: string | undefined
  /** The last nine attempts, the newest last */
  attempts: {
    /** When it was posted */
    at: string
    /** What the receiver answered */
    status?: number | undefined
    /** Why there was no answer */
    reason?: string | undefined
  }[]
  event: WebhookEvent
}

export interface ReplayedEvents {
  /** Number of events queued again */
  replayed: number
  /** What the next call has as `after`; null where all are */
  next: string | null
}

/** An address that events of the project are posted to */
export interface WebhookEndpoint {
  /** Of the webhook; the id of the one at `…/webhook` is the project’s */
  _id: string
  /** Where events are posted to; without path and query for a key that may not read the secret, as these often hold a secret of the receiver */
  url: string
  /** Only in the response to the request that generated or set it: it is not shown again */
  secretKey?: string | undefined
  /** What the endpoint is for, at most 500 characters; for people only */
  description: string
  /** Types of the events that are posted */
  types: (
    | 'sent'
    | 'failed'
    | 'open'
    | 'click'
    | 'bounce'
    | 'complaint'
    | 'subscribe'
    | 'unsubscribe'
    | 'resubscribe'
    | 'pause-subscription'
  )[]
  /** Post events together, up to 100 in one `{ "events": [...] }`, each with its `id`, instead of one by one */
  batches: boolean
  /** Whether events are posted; if not, `disabled` says why */
  enabled: boolean
  /** Present while nothing is posted: the key that is its secret was revoked, no post was taken for three days, or a request switched it off */
  disabled?:
    | {
        /** What switched it off */
        reason: string
        /** When */
        since: string
      }
    | undefined
  /** Present while all posts fail */
  failing?:
    | {
        /** When the first post failed */
        since: string
        /** Why the last was not */
        reason: string
      }
    | undefined
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
}

export interface EmailTotals {
  /** Number of opens */
  opens: number
  /** Number of clicks */
  clicks: number
  /** Mails opened at least once */
  uniqueOpens: number
  /** Mails with at least one click */
  uniqueClicks: number
  /** Image requests by machines; not counted as opens */
  machineOpens: number
  /** Link requests by machines; not counted as clicks */
  machineClicks: number
  /** Mails that the provider accepted */
  sent: number
  /** Mails that could not be sent */
  failed: number
  /** Permanent bounces */
  bounce: number
  /** Spam complaints */
  complaint: number
}

export interface EmailSeries {
  /** Length of a period */
  interval: 'hourly' | 'daily' | 'weekly' | 'monthly'
  /** Metric of the series */
  metric:
    | 'sent'
    | 'failed'
    | 'bounces'
    | 'complaints'
    | 'opens'
    | 'uniqueOpens'
    | 'clicks'
    | 'uniqueClicks'
    | 'machineOpens'
    | 'machineClicks'
    | 'subscribe'
    | 'unsubscribe'
    | 'resubscribe'
    | 'pause-subscription'
    | 'unpause-subscription'
    | 'clicksPerUniqueOpens'
    | 'uniqueClicksPerUniqueOpens'
    | 'unsubscribePerUniqueOpens'
  /** Start of the range */
  from: string
  /** End of the range */
  to: string
  /** Zone in which days, weeks and months begin */
  timeZone: string
  /** One for each period, in order */
  buckets: {
    /** 2026-01-06T13:00 by the hour, 2026-01-06 by the day, its Monday by the week, 2026-01 by the month */
    period: string
    /** For counted metrics */
    count?: number | undefined
    /** For metrics that are ratios; 0 if nothing was opened */
    rate?: number | undefined
  }[]
}

export interface EmailRecipient {
  /** Address of the recipient */
  email: string
  /** Id of the dispatch */
  dispatchId: string
  /** Id of the mail, as in webhook events */
  deliveryId: string
  /** excluded: gets no mail; `errors` says why */
  status: 'scheduled' | 'being-sent' | 'sent' | 'failed' | 'excluded'
  /** When it became a recipient */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  sentAt?: string | undefined
  /** As given in the send */
  tags?: string[] | undefined
  /** Number of opens */
  opens: number
  /** Number of clicks */
  clicks: number
  /** Whether the mail bounced permanently */
  bounced: boolean
  /** Whether the recipient reported it as spam */
  complained: boolean
  /** Whether the recipient unsubscribed through a link in the mail */
  unsubscribed: boolean
  /** Whether the recipient paused through a link in the mail */
  paused: boolean
  /** Whether the recipient subscribed through a link in the mail */
  subscribed: boolean
  /** Whether the recipient resubscribed through a link in the mail */
  resubscribed: boolean
  /** Why it was not sent, or bounced */
  errors: {
    /** Kind of the error, or the code of the relay */
    name: string
    /** Error message */
    message: string
  }[]
}

export interface EmailErrorLog {
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** processing: the mail could not be built; delivery: the provider did not accept it */
  source: 'processing' | 'delivery'
  /** Recipient; empty if the whole dispatch failed */
  recipient: string
  /** Kind of the error, or the code of the relay */
  errorName: string
  /** Error message */
  errorMessage: string
}

/** A From address; the first of the list is the default */
export interface SenderIdentity {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** Address that recipients see */
  email: string
  /** Display name for recipients */
  name: string
  /** Region in which its domain is verified */
  region: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
}

export interface Removed {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
}

export interface Regions {
  /** Regions that a domain or sender may have */
  regions: string[]
}

/** A domain that the project sends from, in one region */
export interface Domain {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** In lower-case ASCII */
  domain: string
  /** Region in which the domain sends */
  region: string
  tenant: Tenant
  /** Host of the links in its mails, once verified */
  trackingDomain?: string | undefined
  requiredDns: RequiredDns
  observed: ObservedDns
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
  /** That its records or links lead to localhost; that the DKIM it had is missing, and until when it may be sent from; that DNS has to say, or says, whose it is; absent while all is well */
  warnings?: string[] | undefined
}

/** The project’s own resources at the mail provider */
export interface Tenant {
  /** Name of the tenant at the provider */
  name: string
  /** The provider’s configuration set for its mail */
  configurationSet: string
}

/** The records that the owner of the domain has to add */
export interface RequiredDns {
  /** Location of the DKIM keys */
  dkimCNAMEs: {
    /** Type of the DNS record */
    type: 'CNAME'
    /** Full name of the record */
    name: string
    /** What it says */
    value: string
  }[]
  /** Receives the bounces of the MAIL FROM sub-domain */
  mx: {
    /** Type of the DNS record */
    type: 'MX'
    /** Full name of the record */
    name: string
    /** What it says */
    value: string
    /** Preference of this mail server; the lowest comes first */
    priority: string
  }
  /** Who may send for the MAIL FROM sub-domain */
  spf: {
    /** Type of the DNS record */
    type: 'TXT'
    /** Full name of the record */
    name: string
    /** What it says */
    value: string
  }
  /** Policy for mail that fails authentication */
  dmarc: {
    /** Type of the DNS record */
    type: 'TXT'
    /** Full name of the record */
    name: string
    /** What it says */
    value: string
  }
  /** Points the trackingDomain to this server */
  tracking?:
    | {
        /** Type of the DNS record */
        type: 'CNAME'
        /** Full name of the record */
        name: string
        /** What it says */
        value: string
      }
    | undefined
  /** Says which account the owner means; there where another account has added the domain, too, or its DKIM records were in DNS before */
  ownership?:
    | {
        /** Type of the DNS record */
        type: 'TXT'
        /** Full name of the record */
        name: string
        /** What it says */
        value: string
      }
    | undefined
}

/** The records as the last check saw them */
export interface ObservedDns {
  spf: DnsReading
  dmarc: DnsReading
  mx: DnsReading
  /** Absent where none is required */
  ownership?: DnsReading | undefined
  /** The keys that sign its mail */
  dkim: {
    /** Those with a correct record */
    selectors: string[]
    /** All are in place, the ownership record as well where one is required, and the sending provider confirms it */
    allOk: boolean
    /** Time of the last DNS response; empty before the first */
    checkedAt: string
  }
  /** With a trackingDomain; not required for verification */
  tracking?: DnsReading | undefined
  /** SPF, DMARC, MX and DKIM alike */
  allOk: boolean
}

/** A record as it was last seen */
export interface DnsReading {
  /** Whether DNS has this record */
  present: boolean
  /** The record as found; where it does not fit, what stands there instead, a line each; cut where it is long */
  raw: string
  /** Time of the last DNS response; empty before the first */
  checkedAt: string
}

/** Colors, fonts, texts and styles of the project’s mails */
export interface DesignSystem {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** Name of the design system */
  name: string
  /** Values that templates and components refer to */
  variables: {
    /** As #rrggbb */
    colors: DesignEntry[]
    /** Font families by their role */
    fontStacks: DesignEntry[]
    /** URLs of images */
    images: DesignEntry[]
    /** URLs of pages */
    links: DesignEntry[]
    /** Texts that mails share */
    texts: DesignEntry[]
  }
  /** Web fonts and font families */
  font: {
    /** URLs of web-font style sheets */
    resources: DesignEntry[]
    /** Font families to choose from */
    stacks: DesignEntry[]
  }
  /** Styles of components */
  components: {
    /** Styles of buttons */
    buttons: DesignComponent[]
    /** Styles of texts */
    texts: DesignComponent[]
    /** Styles of images */
    images: DesignComponent[]
    /** Styles of dividers */
    dividers: DesignComponent[]
  }
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
}

/** A named value of the design system */
export interface DesignEntry {
  /** Name of the entry */
  name: string
  /** A color, font stack, URL or text, by its group */
  value: string
  /** Default entry of its group; at most one */
  main?: boolean | undefined
  /** What it is for */
  description?: string | undefined
  /** True if the project overrides it */
  overridden?: boolean | undefined
}

/** A named style of the design system */
export interface DesignComponent {
  /** Name of the entry */
  name: string
  /** CSS-like properties, as the editor names them */
  value: Record<string, string | number | boolean>
  /** Default entry of its group; at most one */
  main?: boolean | undefined
  /** What it is for */
  description?: string | undefined
  /** True if the project overrides it */
  overridden?: boolean | undefined
}

/** A folder of the gallery: the project’s own, or shared by the account */
export interface GalleryFolder {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** What the folder is called */
  name: string
  /** null at the top of the project’s own tree, and for a folder that the account’s projects share */
  parentFolderId: string | null
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
}

/** An image for mails, at a public address */
export interface GalleryImage {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** What the image is called */
  name: string
  /** Public URL of the image, until it is removed from the gallery */
  url: string
  /** null at the top of the project’s own tree, and for a folder that the account’s projects share */
  parentFolderId: string | null
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
}

/** The API key of the request */
export interface OwnApiKey {
  /** Id of the project that the key belongs to */
  projectId: string
  /** What the key may do */
  scope: 'full' | 'send' | 'read' | 'webhook'
}

/** The unit of scoping */
export interface Project {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** What the project is called */
  name: string
  /** Address of an image; empty where there is none */
  logoUrl?: string | undefined
  /** Identifier: 24 hexadecimal digits, increasing with time */
  designSystemId: string
  /** sandbox: few mails a day; production: reviewed; revoked: production was taken back */
  status: 'sandbox' | 'production' | 'byoCloudSes'
  /** Whether sending is stopped, for bounces, complaints or by the operator */
  restricted: boolean
  /** Present only while restricted */
  restrictedReason?: string | undefined
  /** Who counts as unengaged */
  unengagedContactSegment: {
    /** OR-ed groups of AND-ed conditions; without groups no contact matches; a group without conditions matches all */
    groups: SegmentGroupOutput[]
  }
  cloudConfig?: CloudConfig | undefined
  /** Mails per month; 0 = unlimited */
  monthlyLimit: number
  autoRemoveFromList: AutoRemoveFromListOutput
  /** Host names whose pages may call the endpoints that are open to browsers */
  whiteList: string[]
  /** What pages of a whitelisted Origin may do. full: all that is open to them; subscribe-only: create a contact, subscribe and submit forms; none: nothing */
  browserAccess: 'full' | 'subscribe-only' | 'none'
  tracking: Tracking
  /** Of the pages that recipients see and of signup forms, where a reader’s own is not known or not spoken here */
  language: 'en' | 'de' | 'fr' | 'es' | 'it' | 'nl' | 'pt' | 'pl'
  /** Where preference and unsubscribe links lead instead of the server’s own page; an empty text clears it */
  customSubscriptionPreferencesUrl?: string | undefined
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
  /** Instant in ISO 8601, UTC, with milliseconds */
  updatedAt: string
}

/** The project’s own sending account; credentials are shown as hints only */
export interface CloudConfig {
  /** First and last characters of the role’s ARN */
  roleArnHint?: string | undefined
  /** First and last characters, such as AKI…X */
  accessKeyIdHint?: string | undefined
  /** First and last characters */
  secretAccessKeyHint?: string | undefined
  /** Region of the account */
  region?: string | undefined
  /** Mails per second */
  limit?: number | undefined
  /** Senders of the account */
  senderIdentities?: CloudSender[] | undefined
}

/** Which events HTML mails are tracked for */
export interface Tracking {
  /** Whether HTML mails contain a pixel that records opens */
  opens: boolean
  /** Whether links in HTML mails lead through this server, which records clicks */
  clicks: boolean
}

/** Status of a project’s production access, and its limits */
export interface ProductionAccess {
  /** none: no request has been submitted */
  requestStatus: 'none' | 'pending' | 'approved' | 'declined' | 'revoked'
  /** What the operator wrote about the last decision */
  answer?: string | undefined
  /** none: no domain; verified: at least one is */
  domainStatus: 'none' | 'pending' | 'verified'
  /** Empty where none is verified */
  verifiedDomain: string
  /** Mails per month; 0 = unlimited */
  monthlyLimit: number
  /** One per region; of a project that sends through its own account, per region in which it has senders */
  sendingRates: SendingRate[]
  /** The newest last */
  limitIncreases: LimitIncrease[]
  /** Whether the project may not send at all */
  restricted: boolean
  /** Present only while restricted */
  restrictedReason?: string | undefined
}

/** How fast the project may send in a region */
export interface SendingRate {
  /** Region in which it sends */
  region: string
  /** Mails per second; 0: sending is not possible; 10000: no known limit */
  ratePerSecond: number
  /** Why nothing can be sent now; absent if sending is possible or the project is restricted */
  reason?: string | undefined
}

/** A request for a higher monthly limit, and its outcome */
export interface LimitIncrease {
  /** Mails per month; 0 = unlimited */
  requestedLimit: number
  /** The approved limit, which may be lower; 0 = unlimited */
  approvedLimit?: number | undefined
  /** As the project gave it */
  reason: string
  /** What became of it */
  status: 'pending' | 'approved' | 'declined'
  /** What the operator wrote about the decision */
  answer?: string | undefined
  /** Instant in ISO 8601, UTC, with milliseconds */
  createdAt: string
}

/** A request that is now waiting for its review */
export interface AppliedForAccess {
  /** Identifier: 24 hexadecimal digits, increasing with time */
  _id: string
  /** It waits for its review */
  status: 'pending'
}

/** Deliverability of a sandbox project */
export interface SandboxDeliverability {
  /** Mails of this UTC day that count towards the sandbox’s daily limit */
  sentCount: number
  /** none: no request has been submitted */
  productionAccessReqStatus: 'none' | 'pending' | 'approved' | 'declined' | 'revoked'
  bounce: DeliverabilityRate
  complaint: DeliverabilityRate
}

/** The worst rate over the last 7, 30 and 90 days */
export interface DeliverabilityRate {
  /** Percent of the mails sent; 0 if none was sent */
  rate: number
  /** The rate as a percentage of the threshold above which a project is restricted */
  pct: number
}

/** Deliverability of a production project */
export interface ProductionDeliverability {
  bounce: DeliverabilityWindow
  complaint: DeliverabilityWindow
  /** The verified domains, with their numbers of the last 90 days */
  domains: DomainDeliverability[]
  /** How much of the monthly limit is used */
  monthly: {
    /** Mails of this UTC month that count towards the monthly limit */
    sent: number
    /** 0 = unlimited */
    limit: number
  }
}

/** The worst rate over the last 7, 30 and 90 days, and its window */
export interface DeliverabilityWindow {
  /** Percent of the mails sent; 0 if none was sent */
  rate: number
  /** The rate as a percentage of the threshold above which a project is restricted */
  pct: number
  /** The window with that rate; the shortest if several have it */
  windowLabel: 'last 7 days' | 'last 30 days' | 'last 90 days'
}

/** Mails sent from a domain, with bounces and complaints */
export interface DomainDeliverability {
  /** In lower-case ASCII */
  domain: string
  /** Region it sends from */
  region: string
  /** Mails sent */
  sent: number
  /** Permanent bounces */
  bounces: number
  /** Spam complaints */
  complaints: number
}

export interface CloudChecked {
  /** Whether mails can be sent by the account */
  success: true
  /** What does not keep the account from sending: that its bounces are not heard of. Absent while all is well */
  warnings?: string[] | undefined
  /** The warnings, in the same order, for programs */
  warningDetails?: CloudWarning[] | undefined
}

/** Why events of an own account do not arrive, and what to do; the account still sends */
export interface CloudWarning {
  /** For programs; later versions may add codes */
  code:
    | 'no-public-url'
    | 'events-unknown'
    | 'events-check-not-allowed'
    | 'no-configuration-set'
    | 'no-topic'
    | 'events-not-published'
    | 'topic-not-subscribed'
  /** The sentence in `warnings` */
  message: string
  /** What the message names, where it does: region, configurationSet, topic, eventsUrl, and events separated by commas */
  values: Record<string, string>
}

export interface SetupLink {
  /** Page on which the owner of a cloud account creates the role for sending */
  link: string
  /** The condition sts:ExternalId that the role’s trust policy must have; the link fills it in */
  externalId: string
}

export interface DoubleOptInOutput {
  /** Whether new subscribers are asked to confirm */
  active: boolean
  /** Where a visitor lands after the confirmation link */
  redirectLink: string
  /** Transactional email whose content includes {{verifyLink}} */
  emailId: string
  /** Title of the page after confirming; unchanged or empty, it is in the reader’s language */
  confirmationTitle: string
  /** Text of the page after confirming; unchanged or empty, it is in the reader’s language */
  confirmationMessage: string
}

export interface ListSignupFormOutput {
  /** How the fields stand to each other */
  formLayout?: string | undefined
  /** false is how a list disables the CAPTCHA */
  showCaptcha: boolean
  /** Text in the empty field of the address */
  emailPlaceholder?: string | undefined
  /** Text in the empty field of the CAPTCHA */
  captchaPlaceholder?: string | undefined
  /** Font of the form */
  formFontStyle?: string | undefined
  /** Colour of the form’s text */
  formFontColor?: string | undefined
  /** Size of the form’s text */
  formFontSize?: string | undefined
  /** Text of the button */
  btnLabel?: string | undefined
  /** Font of the button */
  btnFont?: string | undefined
  /** Colour of the button’s text */
  btnFontColor?: string | undefined
  /** Colour of the button */
  btnColor?: string | undefined
  /** Size of the button’s text */
  btnFontSize?: string | undefined
  /** What is shown after subscribing */
  successMessage?: string | undefined
  /** Font of that message */
  successFont?: string | undefined
  /** Colour of that message */
  successFontColor?: string | undefined
  /** Size of that message */
  successFontSize?: string | undefined
  /** Style of the fields for properties */
  propertiesStyle?: Record<string, unknown> | undefined
}

export interface SegmentGroupOutput {
  /** AND-ed; without conditions all contacts match */
  conditions: SegmentConditionOutput[]
}

/** One condition; the conditions of a group are AND-ed */
export interface SegmentConditionOutput {
  /** What is looked at: a property of the contact, or what the contact did with mails */
  category: 'contact-property' | 'engagement'
  /** A custom field, or createdAt, email, name; needed unless the operator is any or about tags or engagement */
  property?: string | undefined
  /** How property and value are compared */
  operator:
    | 'any'
    | 'equals'
    | 'does-not-equal'
    | 'contains'
    | 'does-not-contain'
    | 'is-empty'
    | 'is-not-empty'
    | 'is-true'
    | 'is-false'
    | 'greater-than'
    | 'greater-than-or-equal'
    | 'less-than'
    | 'less-than-or-equal'
    | 'has-tag'
    | 'does-not-have-tag'
    | 'opened'
    | 'not-opened'
    | 'clicked'
    | 'not-clicked'
    | 'received'
    | 'not-received'
    | 'date-equals'
    | 'date-before'
    | 'date-after'
    | 'date-in-last'
    | 'date-more-than'
  /** A text, number, boolean, ISO date or number of days, as operator and property ask */
  value?: string | number | boolean | undefined
}

export interface TermsAndConditionsOutput {
  /** Shown terms have to be accepted */
  show: boolean
  /** Stands before the link */
  label: string
  /** The words of the link */
  linkLabel: string
  /** Without one, the words are no link */
  link: string
}

export interface PropertyStyleOutput {
  /** Whether the property is asked for */
  show: boolean
  /** A shown property that has to be filled in; a boolean one has to be true */
  required: boolean
  /** Its label, too; without one, the name of the field is */
  placeholder: string
  /** The smallest comes first; properties of one order by their name */
  order: number
}

/** What a permanent bounce or a complaint does to the contact’s memberships; the suppression list has the address in any case */
export interface AutoRemoveFromListOutput {
  /** What a permanent bounce does */
  bounce: 'off' | 'removeFromLists' | 'deleteContact'
  /** What a complaint does */
  complaint: 'off' | 'removeFromLists' | 'deleteContact'
}

/**
 * Method, path and what the call takes and returns. A path that does not begin with `/v1` is below the project. `limit`: the query has the
 * size of a page.
 */
export const endpoints = {
  campaigns: {
    list: ['GET', '/campaigns', 'query', 'pages', 'limit'],
    create: ['POST', '/campaigns', 'body'],
    get: ['GET', '/campaigns/{id}'],
    update: ['PATCH', '/campaigns/{id}', 'body'],
    delete: ['DELETE', '/campaigns/{id}'],
    previewAudience: ['GET', '/campaigns/{id}/audience'],
    previewExclusions: ['GET', '/campaigns/{id}/audience/excluded', 'query'],
    progress: ['GET', '/campaigns/{id}/progress'],
    stop: ['POST', '/campaigns/{id}/stop'],
    continue: ['POST', '/campaigns/{id}/continue'],
    report: ['GET', '/campaigns/{id}/report'],
    reportLink: ['GET', '/campaigns/{id}/report-link', 'query'],
    exclusions: ['GET', '/campaigns/{id}/exclusions', 'query', 'pages', 'limit'],
    exportRecipients: ['GET', '/campaigns/{id}/recipients/export', 'query', 'file'],
    retryFailed: ['POST', '/campaigns/{id}/retry-failed', 'body'],
    previewRetry: ['POST', '/campaigns/{id}/retry-failed/preview', 'body'],
    stats: ['GET', '/campaigns/{id}/stats', 'query'],
    recipients: ['GET', '/campaigns/{id}/recipients', 'query', 'pages', 'limit'],
  },
  triggeredEmails: {
    list: ['GET', '/triggered-emails', 'query', 'pages', 'limit'],
    create: ['POST', '/triggered-emails', 'body'],
    get: ['GET', '/triggered-emails/{id}'],
    update: ['PATCH', '/triggered-emails/{id}', 'body'],
    delete: ['DELETE', '/triggered-emails/{id}'],
    stats: ['GET', '/triggered-emails/{id}/stats', 'query'],
    recipients: ['GET', '/triggered-emails/{id}/recipients', 'query', 'pages', 'limit'],
  },
  transactionalEmails: {
    list: ['GET', '/transactional-emails', 'query', 'pages', 'limit'],
    create: ['POST', '/transactional-emails', 'body'],
    get: ['GET', '/transactional-emails/{id}'],
    update: ['PATCH', '/transactional-emails/{id}', 'body'],
    delete: ['DELETE', '/transactional-emails/{id}'],
    stats: ['GET', '/transactional-emails/{id}/stats', 'query'],
    recipients: ['GET', '/transactional-emails/{id}/recipients', 'query', 'pages', 'limit'],
  },
  sends: {
    mail: ['POST', '/send', 'body'],
    cancel: ['POST', '/send/{dispatchId}/cancel'],
    transactional: ['POST', '/send-transactional', 'body'],
    batch: ['POST', '/send-transactional/batch', 'body'],
    triggered: ['POST', '/send-triggered', 'body'],
    test: ['POST', '/test-email/{id}', 'body'],
    preview: ['POST', '/render-preview/{id}', 'body'],
    stats: ['GET', '/send/stats', 'query'],
    recipients: ['GET', '/send/recipients', 'query', 'pages', 'limit'],
  },
  templates: {
    list: ['GET', '/templates', 'query', 'pages', 'limit'],
    create: ['POST', '/templates', 'body'],
    get: ['GET', '/templates/{id}'],
    update: ['PATCH', '/templates/{id}', 'body'],
    delete: ['DELETE', '/templates/{id}'],
  },
  customFields: {
    list: ['GET', '/contacts/fields', 'pages'],
    create: ['POST', '/contacts/fields', 'body'],
    delete: ['DELETE', '/contacts/fields/{name}'],
  },
  contactTags: {
    list: ['GET', '/contacts/tags', 'query', 'pages', 'limit'],
    create: ['POST', '/contacts/tags', 'body'],
    get: ['GET', '/contacts/tags/{id}'],
    update: ['PATCH', '/contacts/tags/{id}', 'body'],
    delete: ['DELETE', '/contacts/tags/{id}'],
  },
  contacts: {
    list: ['GET', '/contacts', 'query', 'pages', 'limit'],
    create: ['POST', '/contacts', 'body'],
    bulk: ['POST', '/contacts/bulk', 'body', 'query'],
    export: ['GET', '/contacts/export', 'query', 'file'],
    get: ['GET', '/contacts/{email}'],
    update: ['PATCH', '/contacts/{email}', 'body'],
    delete: ['DELETE', '/contacts/{email}'],
    subscriptions: ['GET', '/contacts/{email}/subscriptions', 'query', 'pages', 'limit'],
  },
  imports: {
    list: ['GET', '/imports', 'query', 'pages', 'limit'],
    upload: ['POST', '/imports', 'form'],
    get: ['GET', '/imports/{id}'],
    preview: ['GET', '/imports/{id}/preview', 'query'],
    start: ['POST', '/imports/{id}/start', 'body'],
    cancel: ['POST', '/imports/{id}/cancel'],
    failedRows: ['GET', '/imports/{id}/failed-rows'],
    exportErrors: ['GET', '/imports/{id}/errors', 'file'],
  },
  subscriberLists: {
    list: ['GET', '/subscriber-lists', 'query', 'pages', 'limit'],
    create: ['POST', '/subscriber-lists', 'body'],
    get: ['GET', '/subscriber-lists/{id}'],
    update: ['PATCH', '/subscriber-lists/{id}', 'body'],
    delete: ['DELETE', '/subscriber-lists/{id}'],
    stats: ['GET', '/subscriber-lists/{id}/stats', 'query'],
    publicLists: ['GET', '/subscriber-lists/public/{email}', 'pages'],
    subscribers: ['GET', '/subscriber-lists/{id}/subscribers', 'query', 'pages', 'limit'],
    subscribe: ['POST', '/subscriber-lists/{id}/subscribers', 'body'],
    bulkSubscribe: ['POST', '/subscriber-lists/{id}/subscribers/bulk', 'body', 'query'],
    getSubscriber: ['GET', '/subscriber-lists/{id}/subscribers/{email}'],
    updateSubscriber: ['PATCH', '/subscriber-lists/{id}/subscribers/{email}', 'body'],
    resendVerificationEmail: [
      'POST',
      '/subscriber-lists/{subscriberListId}/contacts/{email}/resend-verification-email',
    ],
  },
  visitors: {
    subscribe: ['POST', '/v1/subscriber-lists/{id}', 'body'],
    getSubscriber: ['GET', '/v1/subscriber-lists/{id}/{email}'],
    updateSubscriber: ['PATCH', '/v1/subscriber-lists/{id}/{email}', 'body'],
    unsubscribe: ['POST', '/v1/subscriber-lists/{id}/{email}/unsubscribe', 'query'],
    submitForm: ['POST', '/v1/signup-forms/{id}', 'body'],
    captcha: ['GET', '/v1/captcha'],
    challenge: ['GET', '/v1/challenge', 'query'],
  },
  segments: {
    list: ['GET', '/segments', 'query', 'pages', 'limit'],
    create: ['POST', '/segments', 'body'],
    get: ['GET', '/segments/{id}'],
    update: ['PATCH', '/segments/{id}', 'body'],
    delete: ['DELETE', '/segments/{id}'],
  },
  signupForms: {
    list: ['GET', '/signup-forms', 'query', 'pages', 'limit'],
    create: ['POST', '/signup-forms', 'body'],
    get: ['GET', '/signup-forms/{id}'],
    update: ['PATCH', '/signup-forms/{id}', 'body'],
    delete: ['DELETE', '/signup-forms/{id}'],
    embed: ['GET', '/signup-forms/{id}/embed', 'file'],
  },
  suppressions: {
    list: ['GET', '/suppression-list', 'query', 'pages', 'limit'],
    create: ['POST', '/suppression-list', 'body'],
    delete: ['DELETE', '/suppression-list/{id}'],
  },
  deliveries: {
    list: ['GET', '/deliveries', 'query', 'pages', 'limit'],
    get: ['GET', '/deliveries/{id}'],
  },
  webhook: {
    get: ['GET', '/webhook'],
    set: ['PATCH', '/webhook', 'body'],
    delete: ['DELETE', '/webhook'],
    test: ['GET', '/test-webhook', 'query', 'effect'],
    enable: ['POST', '/webhook/enable'],
    log: ['GET', '/webhook/log', 'query', 'pages', 'limit'],
    logEntry: ['GET', '/webhook/log/{id}'],
    replay: ['POST', '/webhook/replay', 'body'],
  },
  webhooks: {
    list: ['GET', '/webhooks', 'query', 'pages', 'limit'],
    create: ['POST', '/webhooks', 'body'],
    get: ['GET', '/webhooks/{id}'],
    update: ['PATCH', '/webhooks/{id}', 'body'],
    delete: ['DELETE', '/webhooks/{id}'],
    test: ['POST', '/webhooks/{id}/test', 'body'],
    log: ['GET', '/webhooks/{id}/log', 'query', 'pages', 'limit'],
    logEntry: ['GET', '/webhooks/{id}/log/{entryId}'],
    replay: ['POST', '/webhooks/{id}/replay', 'body'],
  },
  errorLogs: {
    list: ['GET', '/related-to/{id}/email-error-logs', 'query', 'pages', 'limit'],
  },
  senderIdentities: {
    list: ['GET', '/sender-identities', 'query', 'pages'],
    create: ['POST', '/sender-identities', 'body'],
    setDefault: ['POST', '/sender-identities/{identityId}/set-default'],
    delete: ['DELETE', '/sender-identities/{identityId}'],
  },
  domains: {
    regions: ['GET', '/regions'],
    list: ['GET', '/domains', 'query', 'pages'],
    create: ['POST', '/domains', 'body'],
    get: ['GET', '/domains/{domainId}'],
    update: ['PATCH', '/domains/{domainId}', 'body'],
    delete: ['DELETE', '/domains/{domainId}'],
    check: ['POST', '/domains/{domainId}/check'],
    exportDns: ['GET', '/domains/{domainId}/export/csv', 'file'],
  },
  designSystems: {
    list: ['GET', '/design-systems', 'query', 'pages', 'limit'],
    update: ['PATCH', '/design-systems/{id}', 'body'],
  },
  galleryFolders: {
    list: ['GET', '/gallery/folders', 'query', 'pages', 'limit'],
    create: ['POST', '/gallery/folders', 'body'],
    get: ['GET', '/gallery/folders/{id}'],
    update: ['PATCH', '/gallery/folders/{id}', 'body'],
    delete: ['DELETE', '/gallery/folders/{id}'],
  },
  galleryImages: {
    list: ['GET', '/gallery/images', 'query', 'pages', 'limit'],
    upload: ['POST', '/gallery/images', 'form'],
    get: ['GET', '/gallery/images/{id}'],
    update: ['PATCH', '/gallery/images/{id}', 'body'],
    delete: ['DELETE', '/gallery/images/{id}'],
  },
  apiKey: {
    get: ['GET', '/v1/api-key'],
  },
  project: {
    get: ['GET', ''],
    update: ['PATCH', '', 'body'],
  },
  productionAccess: {
    get: ['GET', '/production-access'],
    apply: ['POST', '/production-access', 'body'],
    requestLimitIncrease: ['POST', '/production-access/limit-increase', 'body'],
  },
  deliverability: {
    sandbox: ['GET', '/sandbox/deliverability'],
    production: ['GET', '/production/deliverability'],
  },
  ownCloud: {
    check: ['POST', '/cloud-check', 'body'],
    setupLink: ['GET', '/setup-link'],
  },
} as const
