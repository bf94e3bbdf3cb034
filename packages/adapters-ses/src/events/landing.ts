import { type Core, type Log, Refusal } from '@posthorn/core'
import type { OwnChannel } from '@posthorn/core/ports'
import { type Consequence, consequenceOf, readEvent, type SesEvent } from './ses-event.js'

/** Where events land. */
export type LandingOptions = {
  readonly mailReports: Pick<Core['mailReports'], 'record' | 'sent' | 'rejected'>
  /** Keeps a text that is no event, for the operator. */
  readonly keepUnread: Core['unreadEvents']['keep']
  /** Whether a message comes for the first time; its id is kept until then. */
  readonly isNew: (messageId: string, until: Date) => Promise<boolean>
  /** What was said to be new comes again, as it could not be recorded. */
  readonly forget: (messageId: string) => Promise<void>
  readonly log: Log
  readonly now?: () => number
}

/** What SNS could not deliver it tries again for an hour; what is older was kept by somebody. */
export const oldest = 60 * 60_000
export const clockError = 15 * 60_000

/** A mail that is not known here is another installation's, or was removed. */
const unlessUnknown = async (work: Promise<void>): Promise<void> => {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Refusal && error.kind === 'not-found')) throw error
  }
}

/**
 * Has an event follow what it leads to, once for a message's id. What a project's own account tells concerns the mails that left by it.
 * What is no event is kept for the operator and accepted: SNS does not retry a 400, and nobody could read it later either.
 * @throws Refusal `unavailable` where it should come again
 */
export const landing = ({ mailReports, keepUnread, isNew, forget, log, now = Date.now }: LandingOptions) => {
  /** @param name of the message: should it have been recorded and come again all the same, it is the same open or click */
  const carryOut = async (
    consequence: Consequence,
    { type, mail: { messageId } }: SesEvent,
    channel: OwnChannel | undefined,
    name: string,
  ): Promise<void> => {
    const by = channel && { channel }
    if (consequence.kind === 'report') return mailReports.record({ ...consequence.report, ...by, name })
    if (consequence.kind === 'sent') return mailReports.sent({ ...consequence.taken, ...by })
    if (consequence.kind === 'passed') return
    const { rejected } = consequence
    log('warn', 'Amazon SES did not send a mail', { eventType: type, messageId, reason: rejected.error.message })
    return mailReports.rejected({ ...rejected, ...by })
  }

  return async (messageId: string, text: string, channel?: OwnChannel): Promise<void> => {
    if (!(await isNew(messageId, new Date(now() + oldest + clockError)))) return
    try {
      const read = readEvent(text)
      if (read.kind === 'unread')
        await keepUnread({ source: channel ? `ses:${channel.projectId}` : 'ses', reason: read.reason, text })
      if (read.kind === 'event')
        await unlessUnknown(carryOut(consequenceOf(read.event), read.event, channel, messageId))
    } catch (error) {
      await forget(messageId)
      throw error
    }
  }
}
