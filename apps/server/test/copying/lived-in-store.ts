import { type Core, createCore } from '@posthorn/core'
import { storePortsOf } from '@posthorn/core/ports/storage'
import {
  deferringMailerScript,
  fixedClock,
  inMemoryPorts,
  numberedId,
  recordingMailer,
  refusingMailerScript,
  sampleProject,
} from '@posthorn/testkit'
import { sampleImages } from '../../../../tests/corpora/images.js'
import type { CopyTarget } from '../../src/copying/stores.js'
import type { Store } from '../../src/store.js'

export const clock = fixedClock()

/** A core at work on that store, whose mailer refuses and defers some. */
export const coreOn = (store: Omit<Store, 'jobs' | 'heldMails' | 'ready' | 'close'>) => {
  const mailer = recordingMailer()
  mailer.answerTo({ 'reader3@example.com': refusingMailerScript(), 'reader4@example.com': deferringMailerScript() })
  // The time of these tests is their own, and not the database's.
  const own = { ...storePortsOf(store), storeClock: undefined }
  const { ports } = inMemoryPorts({ ...own, files: store.files, mailer, clock, newId: ids })
  return { core: createCore(ports), mailer }
}

let made = 0
/** Ids that no other store of these tests has. */
const ids = () => {
  made += 1
  return numberedId(0x1000 + made)
}

/** More than are copied in one step. */
export const readers = 603

/** A project that has been at work: everything that can be copied is there, of every kind at least one. */
const livedIn = async (core: Core, name: string, many: number) => {
  const project = await sampleProject(core, { name })
  const { scope, list, account } = project
  const rows = Array.from({ length: many }, (_, n) => ({
    line: n,
    values: { email: `reader${n}@example.com`, name: `Reader ${n}` },
  }))
  for await (const result of core.contacts.import(scope, rows, { subscriberListId: list._id }))
    if (!result.ok) throw new Error(result.error)
  await core.customFields.create(scope, { name: 'city', type: 'string' })
  await core.contactTags.create(scope, { value: 'vip' })
  await core.segments.create(scope, { name: 'All', groups: [] })
  await core.suppressions.create(scope, { email: 'reader5@example.com' })
  const email = { name: 'Receipt', subject: 'Receipt', type: 'text', document: 'Thank you' } as const
  const receipt = await core.transactionalEmails.create(scope, email)
  const image = { filename: 'a.png', contentType: 'image/png', bytes: sampleImages['image/png'] }
  await core.galleryImages.upload(scope, { image })
  const shared = await core.sharedFolders.create(account._id, { name: 'Logos' })
  await core.galleryImages.upload(scope, { image, parentFolderId: shared._id })
  const campaign = await core.campaigns.create(scope, {
    name: 'January',
    subject: 'Hello',
    type: 'text',
    document: 'Hello {{contact.name}}',
    timeZone: 'UTC',
    subscriberListId: list._id,
    status: 'scheduled',
    scheduledTo: clock.now().toISOString(),
  })
  return { ...project, campaign, receipt }
}

/** What is left to do in each project of a lived-in store. */
export const waiting = ['late0@example.com', 'late1@example.com']

/**
 * Fills an empty store with two accounts of a project each: a campaign that has gone to all but one, who was put off, and two
 * transactional mails with an attachment that wait to be sent.
 */
export const fill = async (store: Omit<Store, 'jobs' | 'heldMails' | 'ready' | 'close'>) => {
  const { core } = coreOn(store)
  const projects = [await livedIn(core, 'Acme', readers), await livedIn(core, 'Other', 7)]
  await core.worker.runUntilIdle()
  for (const { scope, receipt } of projects)
    for (const email of waiting)
      await core.sends.transactional(scope, {
        transactionalId: receipt._id,
        email,
        attachments: [{ filename: 'receipt.txt', content: 'cmVjZWlwdA==' }],
      })
  for (const { project, campaign } of projects) {
    const { items } = await store.deliveries.list({
      where: { projectId: project._id, emailId: campaign._id, status: ['sent'] },
      by: 'email',
      order: 'asc',
      skip: 0,
      limit: 1,
    })
    const seen = { link: 'https://example.com/spring' }
    for (const { _id } of items) await core.deliveryEvents.record({ deliveryId: _id, type: 'click', seen })
  }
  return projects
}

/** Everything of a store that its ports can tell, read without what copies it. */
export const contentOf = async ({ repositories, counters, deliveries, figures, files }: CopyTarget) => {
  const records: Record<string, unknown[]> = {}
  for (const [kind, repository] of Object.entries(repositories)) {
    const all: unknown[] = []
    for await (const one of repository.each({})) all.push(one)
    records[kind] = all
  }
  const ids = (kind: string) => (records[kind] ?? []).map((one) => (one as { readonly _id: string })._id)
  const ledger = ids('dispatches').map(async (id) => {
    const rows: unknown[] = []
    for (const status of ['queued', 'sending', 'uncertain', 'sent', 'failed', 'excluded'] as const)
      for await (const one of deliveries.each(id, status)) rows.push(one)
    return rows
  })
  const subjects = [
    ...ids('projects').flatMap((id) => [`project:${id}`, `domain:${id}:eu-west-1:example.com`]),
    ...ids('campaigns').flatMap((id) => [`email:${id}`, `link:${id}:0`]),
  ]
  const images = (records.galleryImages ?? []).map((one) => files.get((one as { readonly file: string }).file))
  return {
    records,
    ledger: await Promise.all(ledger),
    figures: await Promise.all(subjects.map((subject) => figures.totals(subject, {}))),
    credits: await Promise.all(ids('accounts').map((id) => counters.used(`credit:${id}`))),
    images: (await Promise.all(images)).map((bytes) => bytes && Buffer.from(bytes).toString('base64')),
  }
}
