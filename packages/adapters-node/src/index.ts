export { agendaJobs } from './agenda-jobs.js'
export type { AgendaJobsOptions } from './agenda-scheduler.js'
export { type LocallyCopiedFiles, type LocallyCopiedFilesOptions, locallyCopiedFiles } from './copied-files.js'
export { type DnsLookupOptions, dnsLookup, isDnsServer } from './dns-lookup.js'
export {
  type GuardedFetchOptions,
  type GuardedRequestOptions,
  guardedFetch,
  isPublicAddress,
} from './guarded-request.js'
export { type HitJournalOptions, hitJournal } from './hit-journal.js'
export { htmlToPlainText } from './html-to-plain-text.js'
export { httpEventPoster } from './http-event-poster.js'
export { httpFeedReader } from './http-feed-reader.js'
export { localFiles } from './local-files.js'
export { mjmlRenderer } from './mjml-renderer.js'
export { scryptCredentialHasher } from './node-credentials.js'
export { nodeSecrets } from './node-secrets.js'
export { objectIdGenerator } from './object-ids.js'
export {
  type LocalStoredFile,
  type PausedFileRemoval,
  pauseFileRemovals,
  RemovalsPausedElsewhere,
} from './removal-pause.js'
export {
  type SandboxProcesses,
  type SandboxProcessesOptions,
  sandboxProcesses,
} from './sandbox/sandbox-processes.js'
export { type SendingThread, type SendingThreadOptions, sendingThread } from './sending-thread/sending-thread.js'
export { type SiteverifyOptions, siteverifyChallenge } from './siteverify-challenge.js'
export { svgCaptchaDrawing } from './svg-captcha-drawing.js'
export { systemClock, systemMonotonicClock, systemSleep } from './system-clock.js'
