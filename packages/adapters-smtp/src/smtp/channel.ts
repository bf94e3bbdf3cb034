import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { replyReader, replyText, type SmtpReply } from './reply.js'

/** `transmitted`: the server may have the whole text. `timedOut`: its silence on this request ended the connection. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
  readonly transmitted: boolean
  readonly replies: readonly SmtpReply[]
  readonly timedOut: boolean

  constructor(message: string, { transmitted, replies, timedOut }: Omit<ConnectionLost, keyof Error>) {
    super(message)
    this.transmitted = transmitted
    this.replies = replies
    this.timedOut = timedOut
  }
}

const lostBeforeRequest = () =>
  new ConnectionLost('The connection was closed', { transmitted: false, replies: [], timedOut: false })

/** Other work runs between pieces. */
type Text = string | Iterable<string, void>

type PendingRequest = {
  readonly text: Text
  readonly replyCount: number
  /** Of each reply, in ms. */
  readonly timeout: number
  readonly replies: SmtpReply[]
  transmitted: boolean
  readonly answer: (replies: readonly SmtpReply[]) => void
  readonly fail: (error: ConnectionLost) => void
}

export type SmtpConnection = {
  /**
   * Writes the text and returns the next `replyCount` replies. Requests may be pipelined (RFC 2920).
   * @throws ConnectionLost
   */
  readonly request: (text: Text, replyCount: number, timeout: number) => Promise<readonly SmtpReply[]>
  /** Ends the connection; pending requests fail with the reason. */
  readonly fail: (reason: string) => void
  readonly quit: () => void
  /** For TLS. @throws Error if the server sent more than was requested (CVE-2011-0411) */
  readonly release: () => Socket
  readonly isOpen: () => boolean
  /** Resolves with the reason. Never rejects. */
  readonly ended: Promise<string>
}

/** In characters. The kernel accepts shorter texts whole: requests share a write. */
const shortText = 64 * 1024

/** Undefined for pieces. `+` copies the text only when it is written. */
const joined = (batch: readonly PendingRequest[]): string | undefined => {
  let all = ''
  for (const { text } of batch) {
    if (typeof text !== 'string') return undefined
    all += text
  }
  return all
}

/** Output is ASCII, which V8 stores as Latin-1, so no conversion is needed. */
const encoding = 'latin1'

/** In ms: a timer per mail would cost more than the mail. */
const deadlineInterval = 250

const seconds = (milliseconds: number) => `${Math.round(milliseconds / 100) / 10} s`

/** Timeout of the reply to QUIT, in ms. */
const quitTimeout = 1_000

/**
 * Writes once per turn, across all channels: a relay on the same machine wakes once and competes less with compiling mails. Closes after
 * `idle` ms without a request.
 */
export const smtpChannelOverSocket = (socket: Socket, idle: number): SmtpConnection => {
  const decoder = new StringDecoder('utf8')
  const reader = replyReader()
  const pending: PendingRequest[] = []
  let unsent: PendingRequest[] = []
  let writing = false
  let deadline = performance.now() + idle
  let open = true
  let report: (reason: string) => void
  const ended = new Promise<string>((resolve) => {
    report = resolve
  })

  const wait = () => {
    deadline = performance.now() + (pending[0]?.timeout ?? idle)
  }

  const close = (reason: string, timedOut = false) => {
    open = false
    clearInterval(deadlineTimer)
    pending.splice(0).forEach(({ transmitted, replies, fail }, index) => {
      fail(new ConnectionLost(reason, { transmitted, replies, timedOut: timedOut && index === 0 }))
    })
    report(reason)
  }

  const fail = (reason: string, timedOut = false) => {
    if (!open) return
    socket.destroy()
    close(reason, timedOut)
  }

  const quit = () => {
    if (!open) return
    socket.end('QUIT\r\n').unref()
    setTimeout(() => socket.destroy(), quitTimeout).unref()
    close('The connection was closed')
  }

  const take = (reply: SmtpReply) => {
    const request = pending[0]
    request?.replies.push(reply)
    if (reply.code === 421 || !request) return fail(`The server closed the connection: ${replyText(reply)}`)
    if (request.replies.length === request.replyCount) {
      pending.shift()
      request.answer(request.replies)
    }
  }

  const onData = (bytes: Buffer) => {
    try {
      for (const reply of reader.read(decoder.write(bytes))) if (open) take(reply)
      wait()
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error))
    }
  }
  const onError = (error: Error) => fail(`The connection broke: ${error.message}`)
  const onEnd = () => fail('The server closed the connection')

  /** Whether the kernel accepted the whole text. */
  const write = (text: string) =>
    new Promise<boolean>((resolve) => socket.write(text, encoding, (error) => resolve(!error)))

  const writePieces = async (pieces: Iterable<string, void>): Promise<boolean> => {
    for (const piece of pieces) {
      if (!(await write(piece)) || !open) return false
      await yieldToOthers()
    }
    return true
  }

  const writeInTurn = async (batch: readonly PendingRequest[]): Promise<void> => {
    for (const request of batch) {
      const { text } = request
      request.transmitted = await (typeof text === 'string' ? write(text) : writePieces(text))
      if (!request.transmitted || !open) return
    }
  }

  const flush = () => {
    if (writing) return
    const batch = unsent
    unsent = []
    if (!open || batch.length === 0) return
    const together = joined(batch)
    if (together !== undefined && together.length <= shortText && socket.writableLength === 0) {
      for (const request of batch) request.transmitted = true
      socket.write(together, encoding)
      return
    }
    writing = true
    void writeInTurn(batch).finally(() => {
      writing = false
      flush()
    })
  }

  const deadlineTimer = setInterval(
    () => {
      if (performance.now() < deadline) return
      const request = pending[0]
      if (request) fail(`The server did not answer within ${seconds(request.timeout)}`, true)
      else quit()
    },
    Math.min(deadlineInterval, Math.ceil(idle / 2)),
  ).unref()

  socket.on('data', onData).on('error', onError).on('end', onEnd).on('close', onEnd)

  return {
    request: (text, replyCount, timeout) =>
      new Promise((answer, refuse) => {
        if (!open) return refuse(lostBeforeRequest())
        const request: PendingRequest = {
          text,
          replyCount,
          timeout,
          replies: [],
          transmitted: false,
          answer,
          fail: refuse,
        }
        if (pending.push(request) === 1) wait()
        if (text !== '' && unsent.push(request) === 1) setImmediate(flush)
      }),
    fail: (reason) => fail(reason),
    quit,
    release: () => {
      if (reader.midway()) throw new Error('The server sent something before TLS began: this may be an attack')
      close('The connection continues with TLS')
      return socket.off('data', onData).off('error', onError).off('end', onEnd).off('close', onEnd)
    },
    isOpen: () => open,
    ended,
  }
}
