import { accessUseCases, apiKeyUseCases } from './access/use-cases.js'
import { accountUseCases } from './accounts/use-cases.js'
import { heldCredit } from './campaigns/held-credit.js'
import { campaignRuns } from './campaigns/running.js'
import { campaignUseCases } from './campaigns/use-cases.js'
import { captchas, type DrawCaptcha } from './captcha/captchas.js'
import { proofOfWork } from './captcha/proof-of-work.js'
import { contactChanges, finishContactChanges } from './contact-directory/contact-changes.js'
import { contactDirectory as contactDirectoryOf } from './contact-directory/contact-directory.js'
import { contactTagUseCases } from './contact-directory/contact-tag-use-cases.js'
import { customFieldUseCases } from './contact-directory/custom-field-use-cases.js'
import { contactUseCases } from './contact-directory/use-cases.js'
import { customFieldsOf } from './contacts/custom-fields.js'
import type { CoreSettings } from './core-settings.js'
import { designSystemUseCases } from './design-systems/use-cases.js'
import type { DnsLookup, Identities } from './domains/ports.js'
import { domainUseCases } from './domains/use-cases.js'
import type { DomainVerified } from './domains/verified-domains.js'
import { emailTemplates as emailTemplatesOf } from './emails/email-templates.js'
import { feedLoader as feedLoaderOf } from './emails/feeds.js'
import type { FeedReader, PlainText, TemplateTrial, VisualRenderer } from './emails/ports.js'
import { galleryFolderUseCases } from './gallery/folder-use-cases.js'
import { galleryImageUseCases } from './gallery/image-use-cases.js'
import { sharedFolderUseCases } from './gallery/shared-folder-use-cases.js'
import type { HitJournal } from './hits/hit-journal.js'
import type { HitMeter } from './hits/hit-meter.js'
import { hits } from './hits/hits.js'
import { linkPruning } from './hits/link-pruning.js'
import { trackedLinks } from './hits/tracked-links.js'
import { idempotencyUseCases } from './idempotency/use-cases.js'
import { clockCheck } from './kernel/clock-check.js'
import { largeWork } from './kernel/large-work.js'
import type { Clock, Files, Jobs, Log, NewId, Secrets, Sleep } from './kernel/ports.js'
import { references } from './kernel/references.js'
import { untilDone } from './kernel/until-done.js'
import { wakeUp as wakeUpOf } from './kernel/wake-up.js'
import { mailReports } from './mail-reports/mail-reports.js'
import { returnedMail } from './mail-reports/returned-mail.js'
import { unreadEvents } from './mail-reports/unread-events.js'
import type { CloudAccount } from './own-cloud/cloud-account.js'
import { ownCloudUseCases } from './own-cloud/use-cases.js'
import { accessReviews } from './production-access/reviewing.js'
import { productionAccessUseCases } from './production-access/use-cases.js'
import { accountLookup } from './projects/account-of.js'
import { projectUseCases } from './projects/use-cases.js'
import { reportUseCases } from './reports/use-cases.js'
import { retentionPruning } from './retention/pruning.js'
import { segmentUseCases } from './segments/use-cases.js'
import { senderIdentityAdding } from './sender-identities/adding.js'
import { senderIdentityUseCases } from './sender-identities/use-cases.js'
import { acceptance } from './sending/accepting/acceptance.js'
import { localWorkerSlot } from './sending/accepting/local-worker.js'
import { namedAddresses } from './sending/audience/named-addresses.js'
import { recipients as recipientsOf } from './sending/audience/recipients.js'
import { channelStates } from './sending/channels/channel-states.js'
import type { Mailers } from './sending/channels/mailer.js'
import { rateLimiter as rateLimiterOf } from './sending/channels/rate-limiter.js'
import { sendPermits } from './sending/channels/send-permits.js'
import { compiler } from './sending/engine/compile.js'
import { channelWait, completion as completionOf } from './sending/engine/complete.js'
import { type RenderAndSend, renderingAndSending } from './sending/engine/render-and-send.js'
import { sendingWorker } from './sending/engine/worker.js'
import { attributionOfDelivery } from './sending/ledger/attribution.js'
import type { MailMeter } from './sending/ledger/mail-meter.js'
import { restricting } from './sending/restriction/restricting.js'
import { pageReaders } from './sends/page-readers.js'
import { previewUseCases } from './sends/previews.js'
import { sendUseCases } from './sends/sends.js'
import { testEmailUseCases } from './sends/test-emails.js'
import type { ChallengeVerifier } from './signup-forms/ports.js'
import { signupFormUseCases } from './signup-forms/use-cases.js'
import { starterContent } from './starter-content/starter-content.js'
import { campaignReports } from './statistics/campaign-reports.js'
import { statisticsUseCases } from './statistics/use-cases.js'
import type { StorePorts } from './store-ports.js'
import { confirmingAgain as confirmingAgainOf } from './subscriptions/confirming-again.js'
import { joining as joiningOf } from './subscriptions/joining.js'
import { orphanRepair } from './subscriptions/orphans.js'
import { ownLists as ownListsOf } from './subscriptions/own-lists.js'
import { subscriberListUseCases } from './subscriptions/subscriber-list-use-cases.js'
import { subscriberUseCases } from './subscriptions/subscriber-use-cases.js'
import { subscriptionRecorder as subscriptionRecorderOf } from './subscriptions/subscription-recorder.js'
import { suppressionUseCases } from './suppressions/use-cases.js'
import { templateUseCases } from './templates/use-cases.js'
import { transactionalEmailUseCases } from './transactional-emails/use-cases.js'
import { triggeredEmailUseCases } from './triggered-emails/use-cases.js'
import { eventOutbox } from './webhooks/event-outbox.js'
import type { EventPoster } from './webhooks/ports.js'
import { webhookPosting } from './webhooks/posting.js'
import { webhookUseCases } from './webhooks/use-cases.js'

/** All that the core needs of the world. The testkit has every port in memory; the adapter packages have the real ones. */
export type CorePorts = StorePorts & {
  readonly clock: Clock
  readonly newId: NewId
  readonly sleep: Sleep
  readonly secrets: Secrets
  readonly log: Log
  readonly jobs: Jobs
  readonly files: Files
  /** Where mails are made and handed over. Absent: in the thread that everything else runs in. */
  readonly renderAndSend?: RenderAndSend | undefined
  /** Counts what becomes of mails. Absent: nobody does. */
  readonly meter?: MailMeter | undefined
  /** Keeps opens and clicks until they are recorded. Absent: a process that is killed loses those of the last ten seconds. */
  readonly hitJournal?: HitJournal | undefined
  /** Counts what becomes of opens and clicks. Absent: nobody does. */
  readonly hitMeter?: HitMeter | undefined
  /** `serverMailer` makes them of one mailer. */
  readonly mailers: Mailers
  readonly feedReader: FeedReader
  readonly plainText: PlainText
  readonly templateTrial: TemplateTrial
  readonly drawCaptcha: DrawCaptcha
  readonly eventPoster: EventPoster
  /** Without one, visual documents are kept but cannot be sent. */
  readonly visualRenderer?: VisualRenderer | undefined
  readonly dns: DnsLookup
  readonly identities: Identities
  /** Whether a sender may have that domain. Absent: what the last check found; `anyDomain` where the mailer's relay decides. */
  readonly domainVerified?: DomainVerified | undefined
  /** Without one, no project's own cloud account can be checked. */
  readonly cloudAccount?: CloudAccount | undefined
  /** Whether somebody solved the challenge of a signup form. */
  readonly verifyChallenge: ChallengeVerifier
  readonly settings: CoreSettings
}

const maintenance = 'maintenance'
const repair = 'repair'
const retention = 'retention'

/** Posthorn itself: every use case, by feature. */
export const createCore = (given: CorePorts) => {
  const { counters, jobs, clock } = given
  const ports = {
    ...given,
    contactChanges: contactChanges(given),
    references: references(given),
    fieldsOf: customFieldsOf(given),
  }

  const accountOf = accountLookup(ports.repositories.projects)
  const feedLoader = feedLoaderOf({ ...ports, accountOf })
  const large = largeWork(ports.sleep)
  const clocks = clockCheck(ports)
  const wakeUp = wakeUpOf()
  const { wake } = wakeUp
  const captcha = captchas(ports)
  const work = proofOfWork(ports)
  const addSenderIdentity = senderIdentityAdding(ports)
  const emailTemplates = emailTemplatesOf(ports)
  const contactDirectory = contactDirectoryOf(ports)
  const eventsAdded = wakeUpOf()
  const outbox = eventOutbox({ ...ports, added: eventsAdded.wake })
  const { publish } = outbox

  const states = channelStates(ports)
  const rateLimiter = rateLimiterOf({ ...ports, states, throttled: ports.meter?.throttled })
  const recipients = recipientsOf(ports)
  const addresses = namedAddresses(ports)
  const restriction = restricting(ports)
  const reports = mailReports({ ...ports, publish, restriction })
  const unread = unreadEvents(ports)
  const pruneLinks = linkPruning(ports)
  const trackingHits = hits({ ...ports, report: reports.record })
  const localWorker = localWorkerSlot()
  const acceptor = acceptance({ ...ports, emailTemplates, large, states, localWorker, wake })
  const runs = campaignRuns({ ...ports, acceptor, recipients, isClockRight: clocks.look })
  const credit = heldCredit({ ...ports, acceptor, recipients })
  const completion = completionOf({ ...ports, onEnd: runs.ended })
  const worker = sendingWorker({
    ...ports,
    clocks,
    publish,
    recipients,
    states,
    rateLimiter,
    permits: sendPermits({ ...ports, rateLimiter }),
    compiler: compiler({ ...ports, feedLoader, emailTemplates }),
    completion,
    waitsForChannel: channelWait({ ...ports, rateLimiter }),
    renderAndSend: ports.renderAndSend ?? renderingAndSending(ports),
    attributionOf: attributionOfDelivery(ports),
    bounced: ({ delivery: { _id: deliveryId }, subject, error: refusal }) =>
      reports.record({ deliveryId, type: 'bounce', subject, refusal }),
    localWorker,
    wakeUp,
  })
  const sends = {
    ...sendUseCases({ ...ports, acceptor, recipients, addresses, large }),
    ...testEmailUseCases({ ...ports, acceptor, recipients }),
    ...previewUseCases({ ...ports, acceptor, feedLoader, emailTemplates }),
  }

  const subscriptionRecorder = subscriptionRecorderOf({ ...ports, publish })
  const joining = joiningOf({ ...ports, contactDirectory, subscriptionRecorder, sends })
  const confirmingAgain = confirmingAgainOf({ ...ports, contactDirectory, subscriptionRecorder, joining })
  const ownLists = ownListsOf({ ...ports, subscriptionRecorder, joining, confirmingAgain })
  const subscribing = { contactDirectory, subscriptionRecorder, joining, confirmingAgain, ownLists }
  const subscribers = subscriberUseCases({ ...ports, ...subscribing, captchas: captcha })
  const orphans = orphanRepair(ports)
  const posting = webhookPosting({ ...ports, accountOf, wakeUp: eventsAdded })
  const webhookChanged = (projectId: string): void => {
    outbox.forget(projectId)
    posting.forget(projectId)
  }
  const idempotency = idempotencyUseCases(ports)
  const pruning = retentionPruning(ports)

  /** What time brings with it: campaigns that are due, runs that have ended, pauses that are over. */
  const maintain = async (): Promise<void> => {
    await runs.sweep()
    await credit.sweep()
    await worker.sweep()
    await subscriptionRecorder.settleLeft()
    await subscribers.resumePauses()
    await posting.prune()
    await idempotency.prune()
    await unread.prune()
    await addresses.prune()
    await ports.contactChanges.finishLeft()
    await pruneLinks()
    await counters.prune(clock())
  }
  /** Nothing is swept or removed by a wrong clock: another process does it, or this one when its clock is right. */
  const byRightClock = (job: () => Promise<void>) => async () => {
    if (await clocks.look()) await job()
  }
  jobs.handle(maintenance, byRightClock(maintain))
  jobs.handle(repair, orphans.run)
  jobs.handle(retention, byRightClock(pruning.run))
  jobs.handle(finishContactChanges, ({ projectId = '' }) => ports.contactChanges.finish(projectId))

  let starting: AbortController | undefined
  const plan = async (): Promise<void> => {
    await clocks.look()
    await jobs.every(60, maintenance)
    if (pruning.isNeeded) await jobs.every(60, retention)
    if (!(await orphans.isDone())) await jobs.at(clock(), repair, { name: repair, data: {} })
    await jobs.start()
  }

  const ownCloud = ownCloudUseCases(ports)
  return {
    /** Why this process is not ready, for the operator; undefined where it is. */
    notReady: (): string | undefined =>
      clocks.problem() ?? (starting && 'The worker has not started yet: it waits for the database.'),
    /** Compares this process's clock with the store's, every few seconds: for a process that only answers requests. */
    clocks: { start: clocks.start, stop: clocks.stop },

    accounts: accountUseCases(ports),
    accountOf,
    projects: projectUseCases({
      ...ports,
      copyContent: starterContent(ports),
      ownCloudViolations: ownCloud.violationsOf,
    }),
    designSystems: designSystemUseCases(ports),
    apiKeys: apiKeyUseCases(ports),
    access: accessUseCases(ports),
    productionAccess: productionAccessUseCases({ ...ports, rateLimiter }),
    accessReviews: accessReviews(ports),
    restriction,
    captchas: captcha,
    proofOfWork: work,

    contacts: contactUseCases({
      ...ports,
      contactDirectory,
      changeForStranger: confirmingAgain.changeForStranger,
    }),
    customFields: customFieldUseCases(ports),
    contactTags: contactTagUseCases(ports),
    subscriberLists: subscriberListUseCases(ports),
    subscribers,
    signupForms: signupFormUseCases({
      ...ports,
      contactDirectory,
      joining,
      captchas: captcha,
      proofOfWork: work,
    }),
    segments: segmentUseCases(ports),
    suppressions: suppressionUseCases(ports),

    domains: domainUseCases({ ...ports, addSenderIdentity }),
    senderIdentities: senderIdentityUseCases({ ...ports, addSenderIdentity }),
    ownCloud,
    campaigns: campaignUseCases({ ...ports, acceptor, credit, runs, wake }),
    triggeredEmails: triggeredEmailUseCases(ports),
    transactionalEmails: transactionalEmailUseCases(ports),
    templates: templateUseCases(ports),
    sends,
    pageReaders: pageReaders(ports),
    idempotency,
    statistics: statisticsUseCases(ports),
    campaignReports: campaignReports(ports),
    reports: reportUseCases(ports),
    webhooks: { ...webhookUseCases({ ...ports, changed: webhookChanged }), publish },
    mailReports: reports,
    unreadEvents: unread,
    /** What images and links of mails lead to, and tell. Whoever answers requests closes it before the store. */
    tracking: { ...trackedLinks(ports), ...trackingHits },
    /** What comes back by mail and by the webhooks of relays, to the addresses and names that mails were given. */
    returnedMail: returnedMail({ ...ports, report: reports.record, unsubscribe: subscribers.unsubscribe }),

    galleryFolders: galleryFolderUseCases(ports),
    galleryImages: galleryImageUseCases(ports),
    sharedFolders: sharedFolderUseCases(ports),

    /** Sends what has been accepted. A process that only answers requests never starts it. */
    worker: {
      /** Resolves when it works. A store that does not answer is waited for: until then `notReady` names it. */
      start: async (): Promise<void> => {
        starting = new AbortController()
        const { signal } = starting
        clocks.start()
        const isPlanned = await untilDone(plan, { ...ports, what: 'The start of the worker', signal })
        if (signal.aborted) await jobs.stop()
        if (!isPlanned || signal.aborted) return
        starting = undefined
        posting.start()
        worker.start()
      },
      pause: worker.pause,
      resume: worker.resume,
      isPaused: worker.isPaused,
      /** How fast the channels are by which this process sent in the last minute. */
      pace: rateLimiter.now,
      /** Finishes and records what is under way, and takes nothing more from this moment on. */
      stop: async (): Promise<void> => {
        starting?.abort()
        clocks.stop()
        await Promise.all([posting.stop(), jobs.stop(), worker.stop()])
      },
      runUntilIdle: worker.runUntilIdle,
      /** What the jobs do every minute: for tests and for those who run the engine themselves. */
      maintain,
      /** Tells that the store is just begun: nothing that an older version has left behind need be looked for. */
      beginStore: orphans.skip,
      /** Removes what is not kept any longer, some of it: beside that, every minute. */
      prune: pruning.run,
      /** What a worker does every few seconds: posts the events that are due, to the webhooks. */
      postEvents: posting.run,
    },
  }
}
/** Every use case, by feature. */
export interface Core extends ReturnType<typeof createCore> {}
