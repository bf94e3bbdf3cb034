import { type ProjectLimits, standardProjectLimits } from './kernel/project-limits.js'
import type { OwnCloudServerSettings } from './own-cloud/own-cloud.js'
import type { IdentityProviderSettings } from './people/roles.js'
import type { BrowserAccessLevel } from './projects/project.js'
import { type Retention, standardRetention } from './retention/retention.js'
import { standardAttachmentLimits } from './sending/acceptance/attachments.js'
import { type RestrictionThresholds, standardRestrictionLimits } from './sending/restriction/restriction.js'

/** The settings of an installation; `standardCoreSettings` has defaults for most of them. */
export type CoreSettings = {
  /** URL for recipients and browsers, without a trailing slash: `https://mail.example.com`. */
  readonly publicUrl: string
  readonly regions: readonly string[]
  /** Mails invitations and links to a new password; otherwise they are only shown. */
  readonly mailsLinks?: boolean | undefined
  /** Who the people of the port `identityProvider` are here. */
  readonly identityProvider?: IdentityProviderSettings | undefined
  /** Script of a form's challenge; renders every `.cf-turnstile`, like Turnstile's own. */
  readonly challengeScriptUrl: string
  /** Most hashes of a proof of work; half of it on average. */
  readonly challengeCost: number
  readonly sandboxDailyLimit: number
  readonly sandboxRatePerSecond: number
  readonly attachmentFiles: number
  /** Total size per send, in bytes after decoding. */
  readonly attachmentBytes: number
  /** Mails per second on each of the server's own channels. */
  readonly mailRatePerSecond?: number | undefined
  readonly limits: ProjectLimits
  readonly restriction: RestrictionThresholds
  /** How long data that grows with every mail is kept, and how long tracked links work. */
  readonly retention: Retention
  readonly cloudSetup?: OwnCloudServerSettings | undefined
  readonly browserAccess: BrowserAccessLevel
  /** Domain of envelope senders, which receives bounces; by default the sender's. */
  readonly bounceDomain?: string | undefined
  /** Owner of this process's leases; must be unique among running processes. */
  readonly workerName: string
}

/** The defaults of gaps.md; the embedding program sets `publicUrl` and `workerName`. */
export const standardCoreSettings = {
  regions: ['us-east-1', 'eu-west-1', 'eu-central-1', 'eu-north-1'],
  challengeScriptUrl: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
  browserAccess: 'full',
  challengeCost: 500_000,
  sandboxDailyLimit: 100,
  sandboxRatePerSecond: 1,
  ...standardAttachmentLimits,
  limits: standardProjectLimits,
  restriction: standardRestrictionLimits,
  retention: standardRetention,
} as const satisfies Partial<CoreSettings>
