/**
 * The entry point for threads and processes that try templates, or render and transmit mails. It loads a quarter of the code that the
 * adapters' entry point loads.
 */
export { prepareEmail } from './emails/rendering.js'
export { tryTemplates } from './emails/template-trial.js'
export { byteBoundedCache, valueBytes } from './kernel/byte-bounded-cache.js'
export { Refusal } from './kernel/refusal.js'
export { renderingAndSending, unconfirmedSlotsIn } from './sending/engine/render-and-send.js'
export { isPermanentRefusal } from './sending/returns/bounce-classifier.js'
