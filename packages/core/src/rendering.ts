/**
 * Entry point for threads and processes that render and transmit mails. Loads a quarter of the code of the adapters'
 * entry point.
 */

export { byteBoundedCache, valueMemoryBytes } from './kernel/byte-bounded-cache.js'
export { Refusal } from './kernel/refusal.js'
export { prepareEmail } from './mail/rendering.js'
export { unconfirmedTransmissionsIn } from './sending/engine/channel-capacity.js'
export { renderingAndSending } from './sending/engine/render-and-send.js'
export { isPermanentRefusal } from './sending/returns/bounce-classifier.js'
