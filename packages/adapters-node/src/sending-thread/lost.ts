import type { MailResult } from '@posthorn/core/ports/runtime'
import type { MailOutcome } from '@posthorn/core/ports/transport'
import { progress } from './messages.js'

const error = { name: 'SendingThreadDied', message: 'The thread that was sending this mail ended.' }

/** For a mail that the dead thread held: only a transmitted one may have left. */
export const lostOutcome = (step: number | undefined): MailOutcome =>
  step === progress.handedOver ? { kind: 'unknown', error } : { kind: 'deferred', error, throttled: false }

/**
 * A mail not begun is released. A mail being compiled may have killed the thread: its attempt counts, and the next is
 * delayed.
 */
export const lostResult = (deliveryId: string, step: number | undefined): MailResult =>
  step === progress.waiting ? { deliveryId, kind: 'left' } : { deliveryId, kind: 'sent', outcome: lostOutcome(step) }
