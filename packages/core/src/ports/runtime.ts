/** For authors of a platform's adapters: time, secrets, files, jobs, sandboxes, limiters and errors. */
export { signOperatorToken } from '../access/json-web-token.js'
export { captchaAlphabet, type DrawCaptcha } from '../captcha/captchas.js'
export type { DnsLookup, MailExchange } from '../domains/ports.js'
export type { ChallengeVerifier } from '../forms/submission.js'
export { byteBoundedCache } from '../kernel/byte-bounded-cache.js'
export { clockChecker } from '../kernel/clock-check.js'
export { fairQueue } from '../kernel/fair-queue.js'
export { type FairSchedulerTask, fairScheduler } from '../kernel/fair-scheduler.js'
export { concurrencyLimiter } from '../kernel/limiter.js'
export { without } from '../kernel/merged.js'
export { outageLog } from '../kernel/outage-log.js'
export type {
  Clock,
  Files,
  Job,
  Jobs,
  MonotonicClock,
  NewId,
  Secrets,
  SigningPurpose,
  Sleep,
  YieldToEventLoop,
} from '../kernel/ports.js'
export { type RateLimit, type RateLimiter, type RateLimitResult, rateLimiter } from '../kernel/rate-limiter.js'
export {
  blocked,
  busy,
  duplicate,
  forbidden,
  type InvalidInputField,
  invalid,
  notFound,
  Refusal,
  unauthenticated,
  unavailable,
} from '../kernel/refusal.js'
export type { FeedReader, PlainTextConverter, VisualRenderer } from '../mail/ports.js'
export { type EmailToPrepare, type PreparedEmail, prepareEmail } from '../mail/rendering.js'
export {
  type CredentialHasher,
  type IdentityProvider,
  IdentityProviderFailure,
  type ProviderClaims,
  type ProviderSignInChecks,
  type ProviderSignInFailureReason,
} from '../people/ports.js'
export type { IdentityProviderSettings, ProviderRoleMapping } from '../people/roles.js'
export { type AccountOf, accountLookup } from '../projects/project.js'
export { type SharedTransmissionCounts, unconfirmedSlots } from '../sending/engine/channel-capacity.js'
export type { MailMetrics } from '../sending/engine/record.js'
export {
  type DeliveryToRender,
  type MailBatch,
  type MailResult,
  type RenderAndSend,
  renderingAndSending,
} from '../sending/engine/render-and-send.js'
export {
  type AbandonedHitJournalEntry,
  type HitJournal,
  type HitJournalEntry,
  type HitMeter,
  hitDropReasons,
  noHitMeter,
} from '../tracking/hit-ports.js'
export type { EventPoster, WebhookPost } from '../webhooks/ports.js'
export type { WebhookPostOutcome } from '../webhooks/webhook-delivery.js'
