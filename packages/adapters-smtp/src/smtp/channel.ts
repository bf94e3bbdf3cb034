import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { setImmediate as othersTurn } from 'node:timers/promises'
import { type Reply, replyReader, replyText } from './reply.js'

/**
 * The connection ended before a question was answered in full. `handedOver`: the whole of the question may have reached the
 * server. `replies`: what it answered until then, a 421 included. `hung`: the server's silence to this very question ended it.
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

/** A long text comes in pieces: others have their turn between them. */
type Text = string | Iterable<string, void>

type Question = {
  readonly text: Text
  readonly wanted: number
  /** Milliseconds until each of the replies has to come. */
  readonly patience: number
  readonly replies: Reply[]
  handedOver: boolean
  readonly answer: (replies: readonly Reply[]) => void
  readonly fail: (error: ConnectionLost) => void
}

export type Channel = {
  /**
   * Writes the text and answers the next `wanted` replies. Questions may be asked before earlier ones are answered (RFC 2920).
   * @throws ConnectionLost
   */
  readonly ask: (text: Text, wanted: number, patience: number) => Promise<readonly Reply[]>
  /** Ends the connection; what is unanswered fails with the reason. */
  readonly fail: (reason: string) => void
  /** Says goodbye and ends the connection; nothing may be unanswered. */
  readonly quit: () => void
  /** Gives the socket away, for TLS. @throws Error when the server has said more than it was asked (CVE-2011-0411) */
  readonly release: () => Socket
  readonly isOpen: () => boolean
  /** Resolves when the connection has ended, with the reason. Never rejects. */
  readonly ended: Promise<string>
}

/** Up to here the kernel takes a text whole, and several questions share one write. */
const shortText = 64 * 1024

/** What is asked in one text; undefined where some of it comes in pieces. By `+`, so that it is copied once, when it is written. */
const joined = (batch: readonly Question[]): string | undefined => {
  let all = ''
  for (const { text } of batch) {
    if (typeof text !== 'string') return undefined
    all += text
  }
  return all
}

/** All that is written is ASCII, which goes out as it lies in memory. */
const encoding = 'latin1'

/** Deadlines are looked at so often and not by a timer each: a timer per mail would cost more than the mail. */
const heartbeat = 250

const seconds = (milliseconds: number) => `${Math.round(milliseconds / 100) / 10} s`

/** How long a server may take to say goodbye. */
const farewell = 1_000

/**
 * Questions and answers over a connected socket. What is asked in a turn of the event loop leaves in one write at its end, with what other
 * channels ask: a relay on the same machine is woken once for all of it, and does not take turns with who makes the mails. After `idle`
 * milliseconds without a question the connection is ended.
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

  /** Whether all of it went to the kernel. */
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
      close('The connection was given to TLS')
      return socket.off('data', onData).off('error', onError).off('end', onEnd).off('close', onEnd)
    },
    isOpen: () => open,
    ended,
  }
}
