import { concurrencyLimiter } from '@posthorn/core/ports/runtime'
import type { SMTPServerDataStream } from 'smtp-server'
import { smtpRefusalError } from '../server/smtp-listener.js'

export type MessageReaderLimits = {
  /** Bytes of one message. */
  readonly message: number
  /**
   * Bytes of all messages, and of one account's. At least the largest message and a small one per connection, or they would wait for each
   * other.
   */
  readonly memory: number
  readonly memoryPerAccount: number
  /** Messages of an account that may wait for memory. */
  readonly waiting: number
  /** Ms in which `bytesInWindow` must arrive. */
  readonly window: number
  readonly bytesInWindow: number
}

/** Bytes charged per message; before reading more, the largest size is charged. */
const smallMessage = 256 * 1024

const cr = 0x0d
const lf = 0x0a

/** Finds a CR or LF alone (RFC 5321 section 2.3.8), across chunks. */
const looseBreaks = () => {
  let last = 0
  return (chunk: Buffer): boolean => {
    for (const byte of chunk) {
      if ((last === cr) !== (byte === lf)) return true
      last = byte
    }
    return false
  }
}

export type MessageReadContext = {
  readonly owner: string
  readonly carried: (bytes: number) => void
  readonly close: () => void
}

export type SubmittedRawMessage = {
  readonly raw: Buffer
  readonly release: () => void
}

/**
 * Charges memory before reading; messages wait for it unread. Discards the rest of a refused message. Disconnects clients that stop
 * sending.
 */
export const submittedMessageReader = (limits: MessageReaderLimits) => {
  const { message: most, memory, memoryPerAccount, waiting, window, bytesInWindow } = limits
  const room = concurrencyLimiter({ total: memory, perOwner: memoryPerAccount, waiting })

  return async (
    stream: SMTPServerDataStream,
    { owner, carried, close }: MessageReadContext,
  ): Promise<SubmittedRawMessage | Error> => {
    const chunks: Buffer[] = []
    const charges: { settle: (weight: number) => void }[] = []
    const isLoose = looseBreaks()
    let refusal: Error | undefined
    let bytes = 0
    let inWindow = Number.POSITIVE_INFINITY
    const release = () => {
      for (const { settle } of charges.splice(0)) settle(0)
    }
    const refuse = (code: number, text: string) => {
      refusal ??= smtpRefusalError(code, text)
      chunks.length = 0
      release()
    }
    /** The time limit excludes this wait. */
    const charge = async (weight: number) => {
      inWindow = Number.POSITIVE_INFINITY
      const taken = await room.take(owner, weight)
      if (taken) charges.push(taken)
      else refuse(452, '4.3.1 Too many large mails of this account at once. Retry in 30 s.')
      inWindow = bytesInWindow
    }
    const clock = setInterval(() => {
      if (inWindow < bytesInWindow) close()
      inWindow = inWindow === Number.POSITIVE_INFINITY ? inWindow : 0
    }, window)
    try {
      await charge(smallMessage)
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        bytes += chunk.length
        inWindow += chunk.length
        carried(chunk.length)
        if (refusal) continue
        if (bytes > most) refuse(552, `5.3.4 The mail is larger than ${most} bytes`)
        else if (isLoose(chunk))
          refuse(554, '5.6.0 The mail has a line that does not end with CR LF. End each line with both')
        else if (bytes > smallMessage && charges.length === 1) await charge(most)
        if (!refusal) chunks.push(chunk)
      }
      return refusal ?? { raw: Buffer.concat(chunks.splice(0)), release }
    } catch (error) {
      release()
      throw error
    } finally {
      clearInterval(clock)
    }
  }
}
