import { allowAnySenderDomain, type CorePorts, serverMailer, standardCoreSettings } from '@posthorn/core'
import type { Mailer } from '@posthorn/core/ports/transport'
import { countingIds, fakeSecrets, fastCredentials } from '../fakes/fake-secrets.js'
import { type FixedClock, fixedClock } from '../fakes/fixed-clock.js'
import { manualJobs } from '../fakes/manual-jobs.js'
import { htmlWithoutTags, plainVisuals } from '../fakes/plain-visuals.js'
import { readableCaptcha } from '../fakes/readable-captcha.js'
import { recordingLog } from '../fakes/recording-log.js'
import { recordingMailer } from '../fakes/recording-mailer.js'
import { scriptedChallenges } from '../fakes/scripted-challenges.js'
import { scriptedCloudAccount } from '../fakes/scripted-cloud-account.js'
import { scriptedDns } from '../fakes/scripted-dns.js'
import { scriptedFeeds } from '../fakes/scripted-feeds.js'
import { scriptedDomainIdentities } from '../fakes/scripted-identities.js'
import { scriptedPoster } from '../fakes/scripted-poster.js'
import { inMemoryStore } from './store.js'

/** All ports of the core in memory, and their fakes. `createCore(ports)` behaves as on any store. */
export const inMemoryPorts = ({
  clock = fixedClock(),
  mailer: given,
  ...changes
}: { readonly clock?: FixedClock; readonly mailer?: Mailer } & Partial<Omit<CorePorts, 'clock'>> = {}) => {
  const jobs = manualJobs(clock)
  const mailer = recordingMailer()
  const eventPoster = scriptedPoster()
  const dns = scriptedDns()
  const identities = scriptedDomainIdentities()
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
    plainText: htmlWithoutTags,
    visualRenderer: plainVisuals,
    eventPoster,
    dns,
    identities,
    cloudAccount: scriptedCloudAccount({ opens: 'all', verified: 'all' }),
    drawCaptcha: readableCaptcha,
    domainVerified: allowAnySenderDomain,
    verifyChallenge: scriptedChallenges(),
    credentials: fastCredentials(),
    settings: {
      ...standardCoreSettings,
      challengeCost: 500,
      publicUrl: 'https://posthorn.example.com',
      workerName: 'worker-1',
    },
    ...changes,
  }
  return { ports, clock, jobs, mailer, eventPoster, dns, identities, lines }
}
