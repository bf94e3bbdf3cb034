import { requestAuthorization } from './access/access.js'
import { apiKeyUseCases } from './access/api-keys.js'
import { accountUseCases } from './accounts/accounts.js'
import { audiencePreviews } from './campaigns/audience-preview.js'
import { campaignUseCases } from './campaigns/campaigns.js'
import { campaignCreditReservations } from './campaigns/held-credit.js'
import { restoredSends } from './campaigns/restored-sends.js'
import { retryPreviews } from './campaigns/retry-preview.js'
import { campaignRunner } from './campaigns/runs.js'
import { captchas, type DrawCaptcha } from './captcha/captchas.js'
import { proofOfWork } from './captcha/proof-of-work.js'
import { cachedFieldDefinitions } from './contacts/custom-field.js'
import { fieldAndTagChanges, fieldAndTagChangesJobName } from './contacts/directory/contact-changes.js'
import { contactDirectory as contactDirectoryOf } from './contacts/directory/contact-directory.js'
import { batchUpsert } from './contacts/directory/contact-upserts.js'
import { contactUseCases } from './contacts/directory/contacts.js'
import { contactTagUseCases, customFieldUseCases } from './contacts/directory/fields-and-tags.js'
import { importUseCases } from './contacts/imports/imports.js'
import type { CoreSettings } from './core-settings.js'
import { designSystemUseCases } from './design-systems/design-systems.js'
import type { IsDomainVerified } from './domains/domain-check.js'
import { domainUseCases } from './domains/domains.js'
import type { DnsLookup, DomainIdentities } from './domains/ports.js'
import { templateUseCases } from './emails/templates.js'
import { transactionalEmailUseCases } from './emails/transactional-emails.js'
import { triggeredEmailUseCases } from './emails/triggered-emails.js'
import { signupFormUseCases } from './forms/signup-forms.js'
import type { ChallengeVerifier } from './forms/submission.js'
import { galleryFolderUseCases, sharedGalleryFolderUseCases } from './gallery/folders.js'
import { imageUses } from './gallery/image-uses.js'
import { galleryImageUseCases } from './gallery/images.js'
import { idempotencyUseCases } from './idempotency/idempotent-requests.js'
import { clockChecker } from './kernel/clock-check.js'
import { cooperativeQueue } from './kernel/cooperative-queue.js'
import type { MonotonicClock, Runtime } from './kernel/ports.js'
import { referenceGuard } from './kernel/references.js'
import { retryUntilDone } from './kernel/retry.js'
import { wakeUpSignal as wakeUpOf } from './kernel/wake-up.js'
import { contactSubscriptionUseCases } from './lists/subscriptions/contact-subscriptions.js'
import { listJoiner as joinsOf } from './lists/subscriptions/join.js'
import { orphanMembershipRemoval } from './lists/subscriptions/membership-sweep.js'
import { contactOwnLists as ownListsOf } from './lists/subscriptions/own-lists.js'
import { reconfirmationActions as reconfirmationOf } from './lists/subscriptions/reconfirmation.js'
import { subscriberListUseCases } from './lists/subscriptions/subscriber-lists.js'
import { subscriberUseCases } from './lists/subscriptions/subscribers.js'
import { subscriptionRecorder as subscriptionRecorderOf } from './lists/subscriptions/subscription-recorder.js'
import { feedLoader as feedLoaderOf } from './mail/feeds.js'
import { emailTemplateChecks as emailTemplatesOf } from './mail/plain-text.js'
import type { FeedReader, PlainTextConverter, VisualRenderer } from './mail/ports.js'
import { mailHistoryUseCases } from './mail-history/mail-histories.js'
import { noticeSettingsUseCases } from './notices/notice-settings.js'
import { noticeSender } from './notices/notices.js'
import { projectProblems } from './notices/problems.js'
import { operatorUseCases, type ServerReports } from './operator/operator.js'
import type { CloudAccount } from './own-cloud/cloud-check.js'
import { ownCloudUseCases } from './own-cloud/own-cloud.js'
import { auditDays } from './people/audit.js'
import { peopleUseCases } from './people/people.js'
import type { CredentialHasher, IdentityProvider } from './people/ports.js'
import { savedViewUseCases } from './people/saved-views.js'
import { productionAccessUseCases } from './production-access/access-requests.js'
import { accessReviews } from './production-access/access-reviews.js'
import { accountLookup, type Project } from './projects/project.js'
import { projectUseCases } from './projects/projects.js'
import { campaignReports } from './reporting/campaign-reports.js'
import { deliverabilityUseCases } from './reporting/deliverability.js'
import { statisticsUseCases } from './reporting/email-statistics.js'
import { overviews } from './reporting/overview.js'
import { mailboxProviderReports } from './reporting/provider-report.js'
import { linkPruning, type RetentionView, retentionPruning } from './retention/retention.js'
import { segmentUseCases } from './segments/segments.js'
import { senderIdentityAdding, senderIdentityUseCases } from './sender-identities/sender-identities.js'
import { dispatchAcceptor, localWorkerRegistration } from './sending/acceptance/acceptance.js'
import { dispatchAddressStorage } from './sending/audience/audience.js'
import { audienceRecipients as recipientsOf } from './sending/audience/recipients.js'
import { sendingChannelStates } from './sending/channels/channel-states.js'
import type { Mailers } from './sending/channels/mailer.js'
import { channelRateLimiter as rateLimiterOf } from './sending/channels/rate-limiter.js'
import { sendPermits } from './sending/channels/send-permits.js'
import { dispatchCompiler } from './sending/engine/compile.js'
import { dispatchCompleter as completionOf } from './sending/engine/complete.js'
import { dispatchChannelWaitCheck } from './sending/engine/progress.js'
import type { MailMetrics } from './sending/engine/record.js'
import { type RenderAndSend, renderingAndSending } from './sending/engine/render-and-send.js'
import { sendingWorker } from './sending/engine/worker.js'
import { attributionOfDelivery } from './sending/ledger/attribution.js'
import { restrictions } from './sending/restriction/restriction.js'
import { batchSendUseCases } from './sends/batch-sends.js'
import { directSendUseCases } from './sends/direct-sends.js'
import { pageReaderLookup } from './sends/page-readers.js'
import { linkMails, personMails } from './sends/person-mails.js'
import { previewUseCases } from './sends/previews.js'
import { sendUseCases } from './sends/sends.js'
import { smtpSubmissionUseCases } from './sends/submission.js'
import { testEmailUseCases } from './sends/test-emails.js'
import { starterContent } from './starter-content/starter-content.js'
import type { StorePorts } from './store-ports.js'
import { suppressionUseCases } from './suppressions/suppressions.js'
import { deliveryEventRecorder } from './tracking/delivery-events.js'
import type { HitJournal, HitMeter } from './tracking/hit-ports.js'
import { delayedHitRecorder } from './tracking/hits.js'
import { linkResolver } from './tracking/links.js'
import { returnedMail } from './tracking/returned-mail.js'
import { unreadableProviderEvents } from './tracking/unread-events.js'
import { eventOutbox } from './webhooks/event-outbox.js'
import type { EventPoster } from './webhooks/ports.js'
import { projectWebhookLookup } from './webhooks/targets.js'
import { webhookPosting } from './webhooks/webhook-worker.js'
import { webhookUseCases } from './webhooks/webhooks.js'

/** The testkit has in-memory versions, the adapter packages the real ones. */
export type CorePorts = StorePorts &
  Runtime & {
    /** If absent, jumps of the clock are not logged on a store without a clock. */
    readonly uptime?: MonotonicClock | undefined
    /** Renders and transmits mails, for example in other threads; by default in the calling thread. */
    readonly renderAndSend?: RenderAndSend | undefined
    readonly meter?: MailMetrics | undefined
    /** Without it, a killed process loses the opens and clicks of the last ten seconds. */
    readonly hitJournal?: HitJournal | undefined
    readonly hitMeter?: HitMeter | undefined
    /** `serverMailer` builds them from one mailer. */
    readonly mailers: Mailers
    readonly feedReader: FeedReader
    readonly plainText: PlainTextConverter
    readonly drawCaptcha: DrawCaptcha
    readonly eventPoster: EventPoster
    /** If absent, visual documents are stored but cannot be sent. */
    readonly visualRenderer?: VisualRenderer | undefined
    readonly dns: DnsLookup
    readonly identities: DomainIdentities
    /** By default, the last domain check decides; `allowAnySenderDomain` leaves it to the mailer's relay. */
    readonly domainVerified?: IsDomainVerified | undefined
    /** If absent, no project's own cloud account can be checked. */
    readonly cloudAccount?: CloudAccount | undefined
    readonly verifyChallenge: ChallengeVerifier
    readonly credentials: CredentialHasher
    /** Signs people of the console in, by `settings.identityProvider`. */
    readonly identityProvider?: IdentityProvider | undefined
    /** For the operator's pages of the console. */
    readonly serverReports?: ServerReports | undefined
    readonly settings: CoreSettings
  }

const maintenance = 'maintenance'
const orphanJob = 'orphans'
const retention = 'retention'
const noticeJob = 'notices'

/** Builds all use cases, by feature. */
export const createCore = (given: CorePorts) => {
  const { counters, jobs, clock } = given
  const ports = {
    ...given,
    contactChanges: fieldAndTagChanges(given),
    references: referenceGuard(given),
    fieldsOf: cachedFieldDefinitions(given),
  }

  const accountOf = accountLookup(ports.repositories.projects)
  const feedLoader = feedLoaderOf({ ...ports, accountOf })
  const large = cooperativeQueue(ports.sleep)
  const clocks = clockChecker(ports)
  const wakeUp = wakeUpOf()
  const { wake } = wakeUp
  const captcha = captchas(ports)
  const work = proofOfWork(ports)
  const addSenderIdentity = senderIdentityAdding(ports)
  const emailTemplates = emailTemplatesOf(ports)
  const idempotency = idempotencyUseCases(ports)
  const contactDirectory = contactDirectoryOf(ports)
  const upsert = batchUpsert({ ...ports, contactDirectory })
  const bulk = { idempotency, large, upsert }
  const eventsAdded = wakeUpOf()
  const targets = projectWebhookLookup(ports)
  const publish = eventOutbox({ ...ports, targets, added: eventsAdded.wake })

  const states = sendingChannelStates(ports)
  const rateLimiter = rateLimiterOf({ ...ports, states, throttled: ports.meter?.throttled })
  const recipients = recipientsOf(ports)
  const addresses = dispatchAddressStorage(ports)
  const restriction = restrictions(ports)
  const mailEvents = deliveryEventRecorder({ ...ports, publish, restriction })
  const unread = unreadableProviderEvents(ports)
  const pruneLinks = linkPruning(ports)
  const trackingHits = delayedHitRecorder({ ...ports, report: mailEvents.record })
  const localWorker = localWorkerRegistration()
  const acceptor = dispatchAcceptor({ ...ports, emailTemplates, large, states, localWorker, wake })
  const runs = campaignRunner({ ...ports, acceptor, recipients, isClockRight: clocks.look })
  const credit = campaignCreditReservations({ ...ports, acceptor, recipients })
  const completion = completionOf({ ...ports, onEnd: runs.ended })
  const worker = sendingWorker({
    ...ports,
    clocks,
    publish,
    recipients,
    states,
    rateLimiter,
    permits: sendPermits({ ...ports, rateLimiter }),
    compiler: dispatchCompiler({ ...ports, feedLoader, emailTemplates }),
    completion,
    waitsForChannel: dispatchChannelWaitCheck({ ...ports, rateLimiter }),
    renderAndSend: ports.renderAndSend ?? renderingAndSending(ports),
    attributionOfDelivery: attributionOfDelivery(ports),
    bounced: ({ delivery: { _id: deliveryId }, subject, error: refusal }) =>
      mailEvents.record({ deliveryId, type: 'bounce', subject, refusal }),
    localWorker,
    wakeUp,
  })
  const sends = {
    ...sendUseCases({ ...ports, acceptor, recipients, addresses, large }),
    ...directSendUseCases({ ...ports, acceptor, emailTemplates, large }),
    ...batchSendUseCases({ ...ports, acceptor, large }),
    ...testEmailUseCases({ ...ports, acceptor, recipients }),
    ...previewUseCases({ ...ports, acceptor, feedLoader, emailTemplates }),
  }

  const access = requestAuthorization(ports)
  const subscriptionRecorder = subscriptionRecorderOf({ ...ports, publish })
  const joins = joinsOf({ ...ports, contactDirectory, subscriptionRecorder, sends })
  const reconfirmation = reconfirmationOf({ ...ports, contactDirectory, subscriptionRecorder, joins })
  const ownLists = ownListsOf({ ...ports, subscriptionRecorder, joins, reconfirmation })
  const subscribing = { contactDirectory, subscriptionRecorder, joins, reconfirmation, ownLists }
  const subscribers = subscriberUseCases({ ...ports, ...subscribing, ...bulk, captchas: captcha })
  const orphans = orphanMembershipRemoval(ports)
  const posting = webhookPosting({ ...ports, accountOf, targets, wakeUp: eventsAdded })
  const pruning = retentionPruning(ports)
  const contacts = contactUseCases({
    ...ports,
    ...bulk,
    contactDirectory,
    changeForStranger: reconfirmation.changeForStranger,
  })
  const customFields = customFieldUseCases(ports)
  const imports = importUseCases({ ...ports, createField: customFields.create, importBatches: contacts.importBatches })
  const mail = personMails({ ...ports, acceptor })
  const people = peopleUseCases({ ...ports, accountOf, mailLink: linkMails({ ...ports, mail }) })
  const reports = campaignReports(ports)
  const summaries = overviews(ports)
  const overviewOf = ({ _id: projectId }: Project) =>
    summaries.get({ projectId, caller: 'operator' }, { timeZone: 'UTC' })
  const noticeRuns = noticeSender({
    ...ports,
    scopeIn: people.scopeIn,
    projectsOf: people.projectsOf,
    results: reports.results,
    problemsIn: projectProblems({ ...ports, overviewOf }),
    mail,
  })

  const maintain = async (): Promise<void> => {
    await runs.sweep()
    await credit.sweep()
    await worker.sweep()
    await subscriptionRecorder.settleLeft()
    await subscribers.resumePauses()
    await posting.prune()
    await idempotency.prune()
    await unread.prune()
    await people.prune()
    await addresses.prune()
    await ports.contactChanges.finishLeft()
    await imports.sweep()
    await pruneLinks()
    await counters.prune(clock())
  }
  /** Skips the job while this process's clock is wrong, so that nothing is removed too early. */
  const byRightClock = (job: () => Promise<void>) => async () => {
    if (await clocks.look()) await job()
  }
  jobs.handle(maintenance, byRightClock(maintain))
  jobs.handle(orphanJob, orphans.run)
  jobs.handle(noticeJob, byRightClock(noticeRuns.run))
  jobs.handle(retention, byRightClock(pruning.run))
  jobs.handle(fieldAndTagChangesJobName, ({ projectId = '' }) => ports.contactChanges.finish(projectId))

  let starting: AbortController | undefined
  const plan = async (): Promise<void> => {
    await clocks.look()
    await jobs.every(60, maintenance)
    if (pruning.isNeeded) await jobs.every(60, retention)
    if (ports.settings.mailsLinks) await jobs.every(300, noticeJob)
    if (orphans.isNeeded) await jobs.at(clock(), orphanJob, { name: orphanJob, data: {} })
    await jobs.start()
  }

  const notReady = (): string | undefined =>
    clocks.problem() ?? (starting && 'The worker has not started yet: it waits for the database.')
  const accounts = accountUseCases(ports)
  const ownCloud = ownCloudUseCases(ports)
  const campaigns = campaignUseCases({ ...ports, acceptor, completion, recipients, credit, runs, wake })
  return {
    /** Why this process is not ready, for the operator. */
    notReady,
    /** For processes that only answer requests. */
    clocks: { start: clocks.start, stop: clocks.stop },

    accounts,
    accountOf,
    projects: projectUseCases({
      ...ports,
      copyContent: starterContent(ports),
      ownCloudViolations: ownCloud.violationsOf,
    }),
    designSystems: designSystemUseCases(ports),
    apiKeys: apiKeyUseCases(ports),
    access,
    people,
    savedViews: savedViewUseCases(ports),
    noticeSettings: noticeSettingsUseCases(ports),
    retention: { ...ports.settings.retention, audit: auditDays } satisfies RetentionView,
    productionAccess: productionAccessUseCases({ ...ports, rateLimiter }),
    accessReviews: accessReviews(ports),
    operator: operatorUseCases({ ...ports, accounts, rateLimiter, worker, notReady }),
    restriction,
    captchas: captcha,
    proofOfWork: work,

    contacts,
    imports,
    customFields,
    contactTags: contactTagUseCases(ports),
    subscriberLists: subscriberListUseCases(ports),
    subscribers,
    subscriptions: contactSubscriptionUseCases(ports),
    signupForms: signupFormUseCases({ ...ports, contactDirectory, joins, captchas: captcha, proofOfWork: work }),
    segments: segmentUseCases(ports),
    suppressions: suppressionUseCases(ports),

    domains: domainUseCases({ ...ports, addSenderIdentity }),
    senderIdentities: senderIdentityUseCases({ ...ports, addSenderIdentity }),
    ownCloud,
    campaigns: {
      ...campaigns,
      ...audiencePreviews({ ...ports, acceptor, recipients }),
      ...retryPreviews({ ...ports, recipients }),
    },
    /** For an operator who restores a backup. */
    restoredSends: restoredSends({ ...ports, acceptor, completion, campaignUseCases: campaigns }),
    triggeredEmails: triggeredEmailUseCases(ports),
    transactionalEmails: transactionalEmailUseCases(ports),
    templates: templateUseCases(ports),
    sends,
    submission: smtpSubmissionUseCases({ ...ports, access, acceptor, sends }),
    pageReaders: pageReaderLookup(ports),
    idempotency,
    statistics: statisticsUseCases(ports),
    campaignReports: reports,
    reports: deliverabilityUseCases(ports),
    providerReports: mailboxProviderReports(ports),
    overviews: summaries,
    webhooks: { ...webhookUseCases({ ...ports, changed: targets.forget }), publish },
    mailHistories: mailHistoryUseCases(ports),
    deliveryEvents: mailEvents,
    unreadEvents: unread,
    /** Close it before the store. */
    tracking: { ...linkResolver(ports), ...trackingHits },
    /** Bounces, complaints and unsubscribe requests by mail or relay webhook. */
    returnedMail: returnedMail({ ...ports, report: mailEvents.record, unsubscribe: subscribers.unsubscribe }),

    galleryFolders: galleryFolderUseCases(ports),
    galleryImages: { ...galleryImageUseCases(ports), uses: imageUses({ ...ports, large }) },
    sharedFolders: sharedGalleryFolderUseCases(ports),

    worker: {
      /** Waits for an unresponsive store; until then `notReady` reports it. */
      start: async (): Promise<void> => {
        starting = new AbortController()
        const { signal } = starting
        clocks.start()
        const isPlanned = await retryUntilDone(plan, { ...ports, what: 'The start of the worker', signal })
        if (signal.aborted) await jobs.stop()
        if (!isPlanned || signal.aborted) return
        starting = undefined
        posting.start()
        worker.start()
      },
      pause: worker.pause,
      resume: worker.resume,
      isPaused: worker.isPaused,
      /** The current rates of the channels used in the last minute. */
      rates: rateLimiter.now,
      /** Resolves when the work in progress is recorded. */
      stop: async (): Promise<void> => {
        starting?.abort()
        clocks.stop()
        await Promise.all([posting.stop(), jobs.stop(), worker.stop()])
      },
      runUntilIdle: worker.runUntilIdle,
      /** One run, for tests and callers that run the engine themselves. */
      maintain,
      /** Removes a batch of the records past their retention. */
      prune: pruning.run,
      mailNotices: noticeRuns.run,
      /** Posts the due events to the webhooks. */
      postEvents: posting.run,
    },
  }
}
/** All use cases by feature. */
export interface Core extends ReturnType<typeof createCore> {}
