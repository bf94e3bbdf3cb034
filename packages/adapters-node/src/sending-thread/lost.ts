import type { MailOutcome, MailResult } from '@posthorn/core/ports'
import { progress } from './messages.js'

const error = { name: 'SendingThreadDied', message: 'The thread that was sending this mail ended.' }

/** What is told of a mail that the thread had when it died, by how far it was: only what was handed over may have left. */
export const lostOutcome = (step: number | undefined): MailOutcome =>
  step === progress.handedOver ? { kind: 'unknown', error } : { kind: 'deferred', error, throttled: false }

/** As `lostOutcome`. What was not begun is given back; what was being made may be why it died: its attempt counts, and the next waits. */
export const lostResult = (deliveryId: string, step: number | undefined): MailResult =>
  step === progress.waiting ? { deliveryId, kind: 'left' } : { deliveryId, kind: 'sent', outcome: lostOutcome(step) }
