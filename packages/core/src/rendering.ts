/**
 * The door of threads and processes that try templates, or render mails and hand them over: it loads what that takes, a quarter of what
 * the adapters' door loads.
 */
export { prepareEmail } from './emails/rendering.js'
export { tryTemplates } from './emails/template-trial.js'
export { byteBoundedCache, valueBytes } from './kernel/byte-bounded-cache.js'
export { Refusal } from './kernel/refusal.js'
export { renderingAndSending, unconfirmedSlotsIn } from './sending/engine/render-and-send.js'
export { isPermanentRefusal } from './sending/returns/bounce-classifier.js'
