import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import {
  dnsLookup,
  htmlToPlainText,
  httpEventPoster,
  httpFeedReader,
  mjmlRenderer,
  objectIds,
  siteverifyChallenge,
  svgCaptchaDrawing,
  systemClock,
  systemSleep,
  type TenantProcesses,
  templateTrial,
} from '@posthorn/adapters-node'
import { relayIdentities } from '@posthorn/adapters-smtp'
import { type CorePorts, type CoreSettings, standardSettings } from '@posthorn/core'
import type { StorePorts } from '@posthorn/core/ports'

/** What Node cannot know by itself: where things are kept, the way out, and the secrets. */
type Given = StorePorts & Pick<CorePorts, 'files' | 'jobs' | 'mailers' | 'secrets' | 'log'>

export type NodePortsOptions = Given & {
  /** Where what tenants wrote is worked on; whoever opened them closes them. */
  readonly processes: TenantProcesses
  /** Where they differ from `standardSettings`; a worker is named after its machine and process unless it is here. */
  readonly settings: Pick<CoreSettings, 'publicUrl'> & Partial<CoreSettings>
  /** The domain that DKIM and bounce records of a relay lie below; the public URL's host unless given. */
  readonly relayDomain?: string | undefined
  /** Addresses of DNS servers; the system's unless given. */
  readonly dnsServers?: readonly string[] | undefined
  /** Where the solutions of a provider's challenge are verified; Turnstile unless given. */
  readonly challengeVerifyUrl?: string
  /** Whether feeds and webhooks may lead to this machine and its network; they may not unless given. */
  readonly allowPrivate?: { readonly feeds?: boolean; readonly webhooks?: boolean }
}

/** No two living processes share one, on one machine or several. */
export const workerName = (): string => `${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`

/** All that the core needs of the world, as Node has it, around what is given. */
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
  sleep: systemSleep,
  newId: objectIds(systemClock),
  feedReader: httpFeedReader(processes, { allowPrivate: feeds }),
  eventPoster: httpEventPoster({ allowPrivate: webhooks }),
  plainText: htmlToPlainText(processes),
  templateTrial: templateTrial(processes),
  visualRenderer: mjmlRenderer(processes),
  dns: dnsLookup({ servers: dnsServers }),
  identities: relayIdentities({ relayDomain }),
  drawCaptcha: svgCaptchaDrawing,
  verifyChallenge: siteverifyChallenge({ url: challengeVerifyUrl }),
  settings: { ...standardSettings, workerName: workerName(), ...settings },
})
