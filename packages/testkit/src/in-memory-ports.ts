import { anyDomain, type CorePorts, type Mailer, serverMailer, standardSettings } from '@posthorn/core'
import { countingIds } from './counting-ids.js'
import { fakeSecrets } from './fake-secrets.js'
import { type FixedClock, fixedClock } from './fixed-clock.js'
import { immediateTrial } from './immediate-trial.js'
import { inMemoryStore } from './in-memory-store.js'
import { manualJobs } from './manual-jobs.js'
import { plainVisuals } from './plain-visuals.js'
import { readableCaptcha } from './readable-captcha.js'
import { recordingLog } from './recording-log.js'
import { recordingMailer } from './recording-mailer.js'
import { scriptedChallenges } from './scripted-challenges.js'
import { scriptedDns } from './scripted-dns.js'
import { scriptedFeeds } from './scripted-feeds.js'
import { scriptedIdentities } from './scripted-identities.js'
import { scriptedPoster } from './scripted-poster.js'
import { withoutTags } from './without-tags.js'

/** All ports of the core in memory, with their fakes at hand: `createCore(ports)` behaves as on any store. */
export const inMemoryPorts = ({
  clock = fixedClock(),
  mailer: given,
  ...changes
}: { readonly clock?: FixedClock; readonly mailer?: Mailer } & Partial<Omit<CorePorts, 'clock'>> = {}) => {
  const jobs = manualJobs(clock)
  const mailer = recordingMailer()
  const eventPoster = scriptedPoster()
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
    mailers: serverMailer(given ?? mailer),
    feedReader: scriptedFeeds(),
    plainText: withoutTags,
    templateTrial: immediateTrial,
    visualRenderer: plainVisuals,
    eventPoster,
    dns,
    identities,
    drawCaptcha: readableCaptcha,
    domainVerified: anyDomain,
    verifyChallenge: scriptedChallenges(),
    settings: {
      ...standardSettings,
      challengeCost: 500,
      publicUrl: 'https://posthorn.example.com',
      workerName: 'worker-1',
    },
    ...changes,
  }
  return { ports, clock, jobs, mailer, eventPoster, dns, identities, lines }
}
