import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import {
  dnsLookup,
  htmlToPlainText,
  httpEventPoster,
  httpFeedReader,
  mjmlRenderer,
  objectIdGenerator,
  type SandboxProcesses,
  scryptCredentialHasher,
  siteverifyChallenge,
  svgCaptchaDrawing,
  systemClock,
  systemMonotonicClock,
  systemSleep,
} from '@posthorn/adapters-node'
import { relayIdentities } from '@posthorn/adapters-smtp'
import { type CorePorts, type CoreSettings, standardCoreSettings } from '@posthorn/core'
import type { StorePorts } from '@posthorn/core/ports/storage'

type Given = StorePorts & Pick<CorePorts, 'files' | 'jobs' | 'mailers' | 'secrets' | 'log'>

export type NodePortsOptions = Given & {
  /** For tenants' templates and documents. The caller closes them. */
  readonly processes: SandboxProcesses
  /** Overrides of `standardCoreSettings`. */
  readonly settings: Pick<CoreSettings, 'publicUrl'> & Partial<CoreSettings>
  /** Parent domain of a relay's DKIM and bounce records; default: the public URL's host. */
  readonly relayDomain?: string | undefined
  /** Addresses of DNS servers; default: the system's. */
  readonly dnsServers?: readonly string[] | undefined
  /** URL that verifies solutions of a provider's challenge; default: Turnstile's. */
  readonly challengeVerifyUrl?: string
  /** Whether feeds and webhooks may lead to private networks; default: no. */
  readonly allowPrivate?: { readonly feeds?: boolean; readonly webhooks?: boolean }
}

/** Unique among running processes on all machines. */
export const workerName = (): string => `${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`

export const nodePorts = ({
  processes,
  settings,
  relayDomain = new URL(settings.publicUrl).hostname,
  dnsServers,
  challengeVerifyUrl = 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  allowPrivate: { feeds = false, webhooks = false } = {},
  ...given
}: NodePortsOptions): CorePorts => ({
  ...given,
  clock: systemClock,
  uptime: systemMonotonicClock,
  sleep: systemSleep,
  newId: objectIdGenerator(systemClock),
  feedReader: httpFeedReader(processes, { allowPrivate: feeds }),
  eventPoster: httpEventPoster({ allowPrivate: webhooks }),
  plainText: htmlToPlainText(processes),
  visualRenderer: mjmlRenderer(processes, `${settings.publicUrl}/gallery/icons`),
  dns: dnsLookup({ servers: dnsServers }),
  identities: relayIdentities({ relayDomain }),
  drawCaptcha: svgCaptchaDrawing,
  credentials: scryptCredentialHasher(),
  verifyChallenge: siteverifyChallenge({ url: challengeVerifyUrl }),
  settings: { ...standardCoreSettings, workerName: workerName(), ...settings },
})
