import { type ProjectLimits, standardLimits } from './kernel/project-limits.js'
import type { CloudSetup } from './own-cloud/setup-link.js'
import type { BrowserAccess } from './projects/browser-access.js'
import { type Retention, standardRetention } from './retention/retention.js'
import { standardAttachmentLimits } from './sending/accepting/attachments.js'
import { type RestrictionThresholds, standardRestriction } from './sending/restriction/restriction.js'

/** What an installation chooses; `standardSettings` has most of it. */
export type CoreSettings = {
  /** Where recipients and browsers reach this server, without a slash at the end: `https://mail.example.com`. */
  readonly publicUrl: string
  /** The values that a domain's and a sender identity's region may have. */
  readonly regions: readonly string[]
  /** The script of a signup form's challenge: it renders every `.cf-turnstile`, as Turnstile's and its like do. */
  readonly challengeScriptUrl: string
  /** Hashes that the proof of work of a signup form takes at most; half as many on average. */
  readonly challengeCost: number
  /** Mails that a project in sandbox may send in a UTC day. */
  readonly sandboxDailyLimit: number
  /** Mails per second of a project in sandbox. */
  readonly sandboxRatePerSecond: number
  /** Files that may come with one send. */
  readonly attachmentFiles: number
  /** Bytes of one send's attachments in all, decoded. */
  readonly attachmentBytes: number
  /** Mails per second of each of the server's own channels, where it is to be less than the mailer allows. */
  readonly mailRatePerSecond?: number | undefined
  /** How many records of a kind a project may have. */
  readonly limits: ProjectLimits
  /** When bounces and complaints restrict a project by themselves. */
  readonly restriction: RestrictionThresholds
  /** How long what grows with every mail is kept, and its links lead on. */
  readonly retention: Retention
  /** Where setup links lead. */
  readonly cloudSetup?: CloudSetup | undefined
  /** What a new project lets pages of its whitelisted Origins do. */
  readonly browserAccess: BrowserAccess
  /** Where mails come back to: the domain of their envelopes' senders. Absent: they have the sender's own address. */
  readonly bounceDomain?: string | undefined
  /** Names this process in leases; no two living processes share a name. */
  readonly workerName: string
}

/** As gaps.md has them; `publicUrl` and `workerName` are the embedding program's to give. */
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
