export type { DeliveryOutcome, DeliveryStatus } from './returned/delivery-status.js'
export type { Feedback } from './returned/feedback-report.js'
export { type Returned, type ReturnedTo, readReturned } from './returned/returned-message.js'
