import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { setImmediate as othersTurn } from 'node:timers/promises'
import { type Reply, replyReader, replyText } from './reply.js'

/**
 * The connection ended before all replies arrived. `handedOver`: the server may have the whole text. `hung`: its
 * silence on this request caused the end.
 */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
  readonly handedOver: boolean
  readonly replies: readonly Reply[]
  readonly hung: boolean

  constructor(message: string, { handedOver, replies, hung }: Omit<ConnectionLost, keyof Error>) {
    super(message)
    this.handedOver = handedOver
    this.replies = replies
    this.hung = hung
  }
}

const lostBeforeAsking = () =>
  new ConnectionLost('The connection was closed', { handedOver: false, replies: [], hung: false })

/** Other work runs between pieces. */
type Text = string | Iterable<string, void>

type Question = {
  readonly text: Text
  readonly wanted: number
  /** Of each reply, in ms. */
  readonly patience: number
  readonly replies: Reply[]
  handedOver: boolean
  readonly answer: (replies: readonly Reply[]) => void
  readonly fail: (error: ConnectionLost) => void
}

export type Channel = {
  /**
   * Writes the text and returns the next `wanted` replies. Requests may be pipelined (RFC 2920).
   * @throws ConnectionLost
   */
  readonly ask: (text: Text, wanted: number, patience: number) => Promise<readonly Reply[]>
  /** Ends the connection; pending requests fail with the reason. */
  readonly fail: (reason: string) => void
  readonly quit: () => void
  /**
   * Releases the socket for TLS.
   * @throws Error if the server sent more than was requested (CVE-2011-0411)
   */
  readonly release: () => Socket
  readonly isOpen: () => boolean
  /** Resolves with the reason. Never rejects. */
  readonly ended: Promise<string>
}

/** In characters. The kernel accepts shorter texts whole, so several requests share one write. */
const shortText = 64 * 1024

/** Undefined if one comes in pieces. Joined by `+`, so that the text is copied only when written. */
const joined = (batch: readonly Question[]): string | undefined => {
  let all = ''
  for (const { text } of batch) {
    if (typeof text !== 'string') return undefined
    all += text
  }
  return all
}

/** Output is ASCII, which V8 stores as Latin-1, so no conversion is needed. */
const encoding = 'latin1'

/** Interval of deadline checks, in ms: a timer per mail would cost more than the mail. */
const heartbeat = 250

const seconds = (milliseconds: number) => `${Math.round(milliseconds / 100) / 10} s`

/** Timeout of the reply to QUIT, in ms. */
const farewell = 1_000

/**
 * Requests of one turn are written together at its end, across all channels: a relay on the same machine then wakes
 * once and does not compete with compiling mails for the processor. Closes after `idle` ms without a request.
 */
export const channelOver = (socket: Socket, idle: number): Channel => {
  const decoder = new StringDecoder('utf8')
  const reader = replyReader()
  const questions: Question[] = []
  let unsent: Question[] = []
  let writing = false
  let deadline = performance.now() + idle
  let open = true
  let report: (reason: string) => void
  const ended = new Promise<string>((resolve) => {
    report = resolve
  })

  const wait = () => {
    deadline = performance.now() + (questions[0]?.patience ?? idle)
  }

  const close = (reason: string, hung = false) => {
    open = false
    clearInterval(beat)
    questions.splice(0).forEach(({ handedOver, replies, fail }, index) => {
      fail(new ConnectionLost(reason, { handedOver, replies, hung: hung && index === 0 }))
    })
    report(reason)
  }

  const fail = (reason: string, hung = false) => {
    if (!open) return
    socket.destroy()
    close(reason, hung)
  }

  const quit = () => {
    if (!open) return
    socket.end('QUIT\r\n').unref()
    setTimeout(() => socket.destroy(), farewell).unref()
    close('The connection was closed')
  }

  const take = (reply: Reply) => {
    const question = questions[0]
    question?.replies.push(reply)
    if (reply.code === 421 || !question) return fail(`The server closed the connection: ${replyText(reply)}`)
    if (question.replies.length === question.wanted) {
      questions.shift()
      question.answer(question.replies)
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

  /** Returns whether the kernel accepted the whole text. */
  const left = (text: string) =>
    new Promise<boolean>((resolve) => socket.write(text, encoding, (error) => resolve(!error)))

  const leftInPieces = async (pieces: Iterable<string, void>): Promise<boolean> => {
    for (const piece of pieces) {
      if (!(await left(piece)) || !open) return false
      await othersTurn()
    }
    return true
  }

  const writeInTurn = async (batch: readonly Question[]): Promise<void> => {
    for (const question of batch) {
      const { text } = question
      question.handedOver = await (typeof text === 'string' ? left(text) : leftInPieces(text))
      if (!question.handedOver || !open) return
    }
  }

  const flush = () => {
    if (writing) return
    const batch = unsent
    unsent = []
    if (!open || batch.length === 0) return
    const together = joined(batch)
    if (together !== undefined && together.length <= shortText && socket.writableLength === 0) {
      for (const question of batch) question.handedOver = true
      socket.write(together, encoding)
      return
    }
    writing = true
    void writeInTurn(batch).finally(() => {
      writing = false
      flush()
    })
  }

  const beat = setInterval(
    () => {
      if (performance.now() < deadline) return
      const question = questions[0]
      if (question) fail(`The server did not answer within ${seconds(question.patience)}`, true)
      else quit()
    },
    Math.min(heartbeat, Math.ceil(idle / 2)),
  ).unref()

  socket.on('data', onData).on('error', onError).on('end', onEnd).on('close', onEnd)

  return {
    ask: (text, wanted, patience) =>
      new Promise((answer, refuse) => {
        if (!open) return refuse(lostBeforeAsking())
        const question: Question = { text, wanted, patience, replies: [], handedOver: false, answer, fail: refuse }
        if (questions.push(question) === 1) wait()
        if (text !== '' && unsent.push(question) === 1) setImmediate(flush)
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
