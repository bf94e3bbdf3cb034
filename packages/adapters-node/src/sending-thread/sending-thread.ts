import type { Log } from '@posthorn/core'
import {
  type Mailer,
  type MailOutcome,
  type MailResult,
  type MailToSend,
  type PreparedEmail,
  type RenderAndSend,
  renderingAndSending,
} from '@posthorn/core/ports'
import { nodeSecrets } from '../node-secrets.js'
import { systemClock, systemSleep } from '../system-clock.js'
import { keptThread } from './kept-thread.js'
import { lostOutcome, lostResult } from './lost.js'
import type { Answer, BatchResults, Order } from './messages.js'
import type { ThreadData } from './sending.js'

export type SendingThreadOptions = ThreadData & {
  /** The mailer, as it is in this thread: what it says of itself is true of the thread's. Nothing is sent by it. */
  readonly mailer: Mailer
  /** Where the thread finds `openMailer(options, log, ask)`, which makes the mailer that it sends by. JavaScript. */
  readonly module: URL
  /** What that is given: plain data. */
  readonly options: () => unknown
  /** Answers what the thread's mailer asks, both plain data. Never throws. */
  readonly answer?: (question: unknown) => Promise<unknown>
  readonly log: Log
  /** What the thread's objects may take before it is ended and replaced. */
  readonly memoryMb?: number
}

export type SendingThread = {
  /** Sends in the thread: what others have made. Closing it closes the thread. */
  readonly mailer: Mailer
  /** Renders and sends in the thread what goes by that mailer; the rest in this one. */
  readonly renderAndSend: RenderAndSend
}

type Batch = {
  readonly order: Extract<Order, { kind: 'batch' }>
  readonly email: PreparedEmail
  readonly steps: Uint8Array
  /** The mails without a result, and their places. */
  readonly open: Map<string, number>
  readonly answered: (results: readonly MailResult[]) => void
  readonly signal: AbortSignal | undefined
  readonly stop: () => void
}

type Handed = {
  readonly steps: Uint8Array
  readonly bytes: number
  readonly done: (outcome: MailOutcome) => void
}

/** Mails that were made elsewhere and wait in the thread. One is always let in. */
const mostBytes = 64 * 1024 * 1024

/** Of the contact, what a mail is made from. */
const travelling = (mail: MailToSend): MailToSend => {
  if (!mail.contact) return mail
  const { _id, emailKey, email, name, tags, customFields } = mail.contact
  return { ...mail, contact: { _id, emailKey, email, name, tags, customFields } }
}

/**
 * Renders and sends in a thread of its own, so that the ledger and the API have theirs. What a dispatch's mails are made from goes over
 * once, mails and results in batches, as plain data; attachments, and texts that are made of each mail, stay here, and their mails go
 * over whole. A thread that dies is replaced: what it had not begun is given back, what it was making is tried later, and what it had
 * handed over is in doubt.
 */
export const sendingThread = ({
  mailer: own,
  module,
  options,
  answer: answerTo = async () => undefined,
  secrets,
  settings,
  log,
  memoryMb = 256,
}: SendingThreadOptions): SendingThread => {
  const batches = new Map<number, Batch>()
  const mails = new Map<number, Handed>()
  /** By what its mails are made from, the name that the thread knows it by. */
  const names = new WeakMap<PreparedEmail, number>()
  const here = renderingAndSending({ secrets: nodeSecrets(secrets), clock: systemClock, sleep: systemSleep, settings })
  let lastId = 0
  let bytesThere = 0
  let isClosed = false
  let room: (() => void)[] = []

  /** All batches of a signal share its listener. */
  const stopping = new Map<AbortSignal, Map<number, () => void>>()

  const stopWith = (signal: AbortSignal, id: number, stop: () => void) => {
    const known = stopping.get(signal)
    if (known) {
      known.set(id, stop)
      return
    }
    const stops = new Map([[id, stop]])
    stopping.set(signal, stops)
    signal.addEventListener(
      'abort',
      () => {
        stopping.delete(signal)
        for (const one of stops.values()) one()
      },
      { once: true },
    )
  }

  const nextId = () => {
    lastId += 1
    return lastId
  }

  const held = () => thread.hold(batches.size + mails.size > 0)

  const take = (id: number, batch: Batch, results: readonly MailResult[]) => {
    for (const { deliveryId } of results) batch.open.delete(deliveryId)
    if (batch.open.size === 0) {
      batches.delete(id)
      if (batch.signal) stopping.get(batch.signal)?.delete(id)
      held()
    }
    batch.answered(results)
  }

  const lose = (id: number, batch: Batch) =>
    take(
      id,
      batch,
      [...batch.open].map(([deliveryId, place]) => lostResult(deliveryId, batch.steps[place])),
    )

  const over = (id: number, outcome: MailOutcome) => {
    const mail = mails.get(id)
    if (!mail) return
    mails.delete(id)
    bytesThere -= mail.bytes
    held()
    const waiting = room
    room = []
    for (const goOn of waiting) goOn()
    mail.done(outcome)
  }

  const heard = (id: number, results: readonly MailResult[]) => {
    const batch = batches.get(id)
    if (batch) take(id, batch, results)
  }

  const prepareAgain = (id: number) => {
    const batch = batches.get(id)
    if (batch) thread.post({ ...batch.order, source: batch.email.source })
  }

  const hear = (answer: Answer, reply: (order: Order) => void): void => {
    if (answer.kind === 'results')
      for (const [id, results] of JSON.parse(answer.results) as BatchResults) heard(id, results)
    else if (answer.kind === 'unprepared') prepareAgain(answer.id)
    else if (answer.kind === 'outcome') over(answer.id, answer.outcome)
    else if (answer.kind === 'question')
      void answerTo(answer.question).then((told) => reply({ kind: 'answer', id: answer.id, answer: told }))
    else log(...answer.line)
  }

  const died = () => {
    for (const [id, { steps }] of [...mails]) over(id, lostOutcome(steps[0]))
    for (const [id, batch] of [...batches]) lose(id, batch)
  }

  const thread = keptThread({
    data: { secrets, settings, module: module.href },
    options,
    memoryMb,
    log,
    hear,
    died,
  })

  const mailer: Mailer = {
    ...own,
    send: async (mail) => {
      const bytes = mail.mime.length
      if (isClosed) return lostOutcome(undefined)
      while (bytesThere > 0 && bytesThere + bytes > mostBytes)
        await new Promise<void>((resolve) => {
          room.push(resolve)
        })
      bytesThere += bytes
      return new Promise((done) => {
        const id = nextId()
        const shared = new SharedArrayBuffer(1)
        mails.set(id, { steps: new Uint8Array(shared), bytes, done })
        held()
        thread.post({ kind: 'mail', id, mail, progress: shared })
      })
    },
    close: async () => {
      await thread.close()
      isClosed = true
      died()
      await own.close()
    },
  }

  const isPlain = ({ source: { attachments, plainText } }: PreparedEmail) => !attachments && 'template' in plainText

  return {
    mailer,
    renderAndSend: {
      send: (batch, answered) => {
        const { email, mailer: by, signal, mails: all, inDoubt, ...rest } = batch
        if (by !== mailer || !isPlain(email)) return here.send(batch, answered)
        if (isClosed) {
          setImmediate(() => answered(all.map(({ deliveryId }) => ({ deliveryId, kind: 'left' }))))
          return
        }
        const id = nextId()
        const known = names.get(email)
        const name = known ?? nextId()
        names.set(email, name)
        const shared = new SharedArrayBuffer(all.length)
        const order: Batch['order'] = {
          kind: 'batch',
          id,
          batch: { ...rest, mails: JSON.stringify(all.map(travelling)) },
          email: name,
          progress: shared,
          inDoubt: inDoubt.cells,
        }
        const made: Batch = {
          order,
          email,
          steps: new Uint8Array(shared),
          open: new Map(all.map(({ deliveryId }, place) => [deliveryId, place])),
          answered,
          signal,
          stop: () => {
            if (thread.lives()) thread.post({ kind: 'stop', id })
            else {
              thread.drop((waiting) => waiting.kind === 'batch' && waiting.id === id)
              lose(id, made)
            }
          },
        }
        batches.set(id, made)
        held()
        if (signal && !signal.aborted) stopWith(signal, id, made.stop)
        thread.post(known === undefined ? { ...order, source: email.source } : order)
        if (signal?.aborted) made.stop()
      },
      freed: () => {
        here.freed()
        if (thread.lives()) thread.post({ kind: 'freed' })
      },
      close: () => mailer.close(),
    },
  }
}
