import { anyDomain, type CorePorts, standardSettings } from '@posthorn/core'
import { countingIds } from './counting-ids.js'
import { fakeSecrets } from './fake-secrets.js'
import { type FixedClock, fixedClock } from './fixed-clock.js'
import { inMemoryStore } from './in-memory-store.js'
import { manualJobs } from './manual-jobs.js'
import { recordingLog } from './recording-log.js'
import { recordingMailer } from './recording-mailer.js'
import { scriptedDns } from './scripted-dns.js'
import { scriptedFeeds } from './scripted-feeds.js'
import { scriptedIdentities } from './scripted-identities.js'
import { withoutTags } from './without-tags.js'

/** All ports of the core in memory, with their fakes at hand: `createCore(ports)` behaves as on any store. */
export const inMemoryPorts = ({
  clock = fixedClock(),
  ...changes
}: { readonly clock?: FixedClock } & Partial<Omit<CorePorts, 'clock'>> = {}) => {
  const jobs = manualJobs(clock)
  const mailer = recordingMailer()
  const dns = scriptedDns()
  const identities = scriptedIdentities()
  const { log, lines } = recordingLog()
  const ports: CorePorts = {
    clock: clock.now,
    sleep: clock.sleep,
    newId: countingIds(),
    secrets: fakeSecrets(),
    log,
    ...inMemoryStore(),
    jobs,
    mailer,
    feedReader: scriptedFeeds(),
    plainText: withoutTags,
    dns,
    identities,
    domainVerified: anyDomain,
    settings: { ...standardSettings, publicUrl: 'https://posthorn.example.com', workerName: 'worker-1' },
    ...changes,
  }
  return { ports, clock, jobs, mailer, dns, identities, lines }
}
