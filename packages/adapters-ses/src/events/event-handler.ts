import { type Core, type Log, Refusal } from '@posthorn/core'
import type { OwnChannel } from '@posthorn/core/ports/transport'
import { parseSesEvent, type SesEvent, type SesEventConsequence, sesEventConsequence } from './ses-event.js'

export type EventHandlerOptions = {
  readonly deliveryEvents: Pick<Core['deliveryEvents'], 'record' | 'sent' | 'rejected'>
  readonly keepUnread: Core['unreadEvents']['keep']
  /** False if the message was remembered already; remembers it until `until`. */
  readonly isNew: (messageId: string, until: Date) => Promise<boolean>
  /** Lets SNS repeat a message that could not be recorded. */
  readonly forget: (messageId: string) => Promise<void>
  readonly log: Log
  readonly now?: () => number
}

/** In ms. SNS retries for an hour; someone held back an older message. */
export const longestSnsMessageAge = 60 * 60_000
export const toleratedSnsClockError = 15 * 60_000

/** Deliveries unknown here were sent by another installation, or were removed. */
const unlessUnknown = async (work: Promise<void>): Promise<void> => {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Refusal && error.kind === 'not-found')) throw error
  }
}

/**
 * Keeps unreadable events for the operator and accepts them: SNS does not retry after a 400.
 * @throws Refusal `unavailable` if SNS should retry
 */
export const sesEventHandler = ({
  deliveryEvents,
  keepUnread,
  isNew,
  forget,
  log,
  now = Date.now,
}: EventHandlerOptions) => {
  /** @param name message id: identifies the open or click if it is recorded again */
  const carryOut = async (
    consequence: SesEventConsequence,
    { type, mail: { messageId } }: SesEvent,
    channel: OwnChannel | undefined,
    name: string,
  ): Promise<void> => {
    const by = channel && { channel }
    if (consequence.kind === 'report') return deliveryEvents.record({ ...consequence.report, ...by, name })
    if (consequence.kind === 'sent') return deliveryEvents.sent({ ...consequence.taken, ...by })
    if (consequence.kind === 'passed') return
    const { rejected } = consequence
    log('warn', 'Amazon SES did not send a mail', { eventType: type, messageId, reason: rejected.error.message })
    return deliveryEvents.rejected({ ...rejected, ...by })
  }

  return async (messageId: string, text: string, channel?: OwnChannel): Promise<void> => {
    if (!(await isNew(messageId, new Date(now() + longestSnsMessageAge + toleratedSnsClockError)))) return
    try {
      const read = parseSesEvent(text)
      if (read.kind === 'unread')
        await keepUnread({ source: channel ? `ses:${channel.projectId}` : 'ses', reason: read.reason, text })
      if (read.kind === 'event')
        await unlessUnknown(carryOut(sesEventConsequence(read.event), read.event, channel, messageId))
    } catch (error) {
      await forget(messageId)
      throw error
    }
  }
}
