import { type ProjectLimits, standardLimits } from './kernel/project-limits.js'
import type { CloudSetup } from './own-cloud/own-cloud.js'
import type { BrowserAccess } from './projects/project.js'
import { type Retention, standardRetention } from './retention/retention.js'
import { standardAttachmentLimits } from './sending/acceptance/attachments.js'
import { type RestrictionThresholds, standardRestriction } from './sending/restriction/restriction.js'

/** The settings of an installation; `standardSettings` has defaults for most of them. */
export type CoreSettings = {
  /** The base URL of this server for recipients and browsers, without a trailing slash: `https://mail.example.com`. */
  readonly publicUrl: string
  /** The regions that domains and sender identities may use. */
  readonly regions: readonly string[]
  /** The script of a signup form's challenge: it renders every `.cf-turnstile`, like Turnstile's own script. */
  readonly challengeScriptUrl: string
  /** The maximum number of hashes for a signup form's proof of work; the average is half of it. */
  readonly challengeCost: number
  /** Mails that a sandbox project may send in a UTC day. */
  readonly sandboxDailyLimit: number
  /** Mails that a sandbox project may send per second. */
  readonly sandboxRatePerSecond: number
  /** The maximum number of attachments of one send. */
  readonly attachmentFiles: number
  /** The maximum total size of one send's attachments, in bytes after decoding. */
  readonly attachmentBytes: number
  /** Mails per second of each of the server's own channels; set it to stay below the mailer's own limit. */
  readonly mailRatePerSecond?: number | undefined
  /** How many records of each kind a project may have. */
  readonly limits: ProjectLimits
  /** The bounce and complaint rates that restrict a project automatically. */
  readonly restriction: RestrictionThresholds
  /** How long data that grows with every mail is kept, and how long tracked links work. */
  readonly retention: Retention
  /** What setup links contain. */
  readonly cloudSetup?: CloudSetup | undefined
  /** What pages of a project's whitelisted Origins may do in a new project. */
  readonly browserAccess: BrowserAccess
  /** The domain of envelope senders, which receives bounces. If absent, envelopes use the sender's own address. */
  readonly bounceDomain?: string | undefined
  /** Names this process in leases; it must be unique among running processes. */
  readonly workerName: string
}

/** The defaults of gaps.md; the embedding program sets `publicUrl` and `workerName`. */
export const standardSettings = {
  regions: ['us-east-1', 'eu-west-1', 'eu-central-1', 'eu-north-1'],
  challengeScriptUrl: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
  browserAccess: 'full',
  challengeCost: 500_000,
  sandboxDailyLimit: 100,
  sandboxRatePerSecond: 1,
  ...standardAttachmentLimits,
  limits: standardLimits,
  restriction: standardRestriction,
  retention: standardRetention,
} as const satisfies Partial<CoreSettings>
