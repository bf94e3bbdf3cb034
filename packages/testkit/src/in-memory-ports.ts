import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { anyDomain, type CorePorts, type FeedReader, type Log, type Secrets, standardSettings } from '@posthorn/core'
import { countingIds, type FixedClock, fixedClock } from './fixed-clock.js'
import { inMemoryStore } from './in-memory-store.js'
import { manualJobs } from './manual-jobs.js'
import { recordingMailer } from './recording-mailer.js'

/** Real signatures with a known key; what is random elsewhere counts up here. */
export const knownSecrets = (key = 'a known secret'): Secrets => {
  const next = countingIds(0xface)
  const sign = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  return {
    random: (bytes) => Buffer.from(next().repeat(bytes)).subarray(0, bytes).toString('base64url'),
    digest: (text) => createHash('sha256').update(text).digest('hex'),
    sign,
    verifies: (text, signature) => {
      const [right, given] = [Buffer.from(sign(text)), Buffer.from(signature)]
      return right.length === given.length && timingSafeEqual(right, given)
    },
    seal: (plain) => `sealed:${Buffer.from(plain).toString('base64url')}`,
    open: (sealed) => Buffer.from(sealed.slice('sealed:'.length), 'base64url').toString(),
  }
}

/** Feeds by URL; a URL that is not among them cannot be reached. */
export const scriptedFeeds = (feeds: Readonly<Record<string, unknown>> = {}): FeedReader => ({
  read: async ({ url }) => {
    if (!Object.hasOwn(feeds, url)) throw new Error(`${url} cannot be reached`)
    return feeds[url]
  },
})

/** A log that can be read. */
export const recordingLog = () => {
  const lines: { level: string; message: string; fields: unknown }[] = []
  const log: Log = (level, message, fields) => {
    lines.push({ level, message, fields })
  }
  return { log, lines }
}

/** HTML without its tags: enough for tests that do not ask about the plain text. */
const withoutTags = (html: string) => html.replace(/<[^>]*>/g, '').trim()

/** All ports of the core in memory, with their fakes at hand: `createCore(ports)` behaves as on any store. */
export const inMemoryPorts = ({
  clock = fixedClock(),
  ...changes
}: { readonly clock?: FixedClock } & Partial<Omit<CorePorts, 'clock'>> = {}) => {
  const jobs = manualJobs(clock.now)
  const mailer = recordingMailer()
  const { log, lines } = recordingLog()
  const ports: CorePorts = {
    clock: clock.now,
    sleep: clock.sleep,
    newId: countingIds(),
    secrets: knownSecrets(),
    log,
    ...inMemoryStore(),
    jobs,
    mailer,
    feedReader: scriptedFeeds(),
    plainText: withoutTags,
    domainVerified: anyDomain,
    settings: { ...standardSettings, publicUrl: 'https://posthorn.example.com', workerName: 'worker-1' },
    ...changes,
  }
  return { ports, clock, jobs, mailer, lines }
}
