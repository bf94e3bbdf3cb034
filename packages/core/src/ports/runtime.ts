/** For authors of a platform's adapters: time, secrets, files, jobs, sandboxes, limiters and errors. */
export { issueOperatorToken } from '../access/json-web-token.js'
export { captchaAlphabet, type DrawCaptcha } from '../captcha/captchas.js'
export type { DnsLookup, MailExchange } from '../domains/ports.js'
export type { ChallengeVerifier } from '../forms/submission.js'
export { byteBoundedCache } from '../kernel/byte-bounded-cache.js'
export { clockCheck } from '../kernel/clock-check.js'
export { fairQueue } from '../kernel/fair-queue.js'
export { fairScheduler, type ScheduledTask } from '../kernel/fair-scheduler.js'
export { limiter } from '../kernel/limiter.js'
export { without } from '../kernel/merged.js'
export { outageLog } from '../kernel/outage-log.js'
export type {
  Clock,
  Files,
  Job,
  Jobs,
  NewId,
  Secrets,
  SigningPurpose,
  Sleep,
  Uptime,
  YieldToEventLoop,
} from '../kernel/ports.js'
export { type RateAllowance, type RateLimit, type RateLimiter, rateLimiter } from '../kernel/rate-limiter.js'
export {
  blocked,
  busy,
  duplicate,
  forbidden,
  type InvalidValue,
  invalid,
  notFound,
  Refusal,
  unauthenticated,
  unavailable,
} from '../kernel/refusal.js'
export type { FeedReader, PlainText, VisualRenderer } from '../mail/ports.js'
export { type EmailToPrepare, type PreparedEmail, prepareEmail } from '../mail/rendering.js'
export {
  type CredentialHasher,
  type IdentityProvider,
  type ProviderClaims,
  ProviderFailure,
  type ProviderFailureReason,
  type ProviderSignInChecks,
} from '../people/ports.js'
export type { IdentityProviderSettings, ProviderRoleMapping } from '../people/provider-roles.js'
export { type AccountOf, accountLookup } from '../projects/project.js'
export type { MailMetrics } from '../sending/engine/record.js'
export {
  type MailBatch,
  type MailResult,
  type MailToSend,
  type RenderAndSend,
  renderingAndSending,
} from '../sending/engine/render-and-send.js'
export { type UnconfirmedCells, unconfirmedSlots } from '../sending/engine/unconfirmed-slots.js'
export type { AbandonedEntry, HitJournal, JournalEntry } from '../tracking/hit-ports.js'
export { type HitMeter, hitDrops, noHitMeter } from '../tracking/hit-ports.js'
export type { EventPost, EventPoster, PostOutcome } from '../webhooks/ports.js'
