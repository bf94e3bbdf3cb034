import type { Log } from '@posthorn/core'
import {
  type MailBatch,
  type Mailer,
  type MailOutcome,
  type MailResult,
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
  readonly id: number
  readonly batch: MailBatch
  /** What its mails are made from is known to the thread by that. */
  readonly name: number
  readonly progress: SharedArrayBuffer
  /** The mails without a result, and their places. */
  readonly open: Map<string, number>
  readonly answered: (results: readonly MailResult[]) => void
}

type Handed = {
  readonly steps: Uint8Array
  readonly bytes: number
  readonly done: (outcome: MailOutcome) => void
}

/** Mails that were made elsewhere and wait in the thread. One is always let in. */
const mostBytes = 64 * 1024 * 1024

/** What the thread is told of it. Made when it is told: as text, mails are many times as large, and may wait. */
const orderOf = ({ id, batch, name, progress }: Batch, isKnown: boolean): Order => {
  const { dispatchId, projectId, channel, list, share, mails, email, unconfirmed } = batch
  return {
    kind: 'batch',
    id,
    batch: { dispatchId, projectId, channel, list, share, mails: JSON.stringify(mails) },
    email: name,
    source: isKnown ? undefined : JSON.stringify(email.source),
    progress,
    unconfirmed: unconfirmed.cells,
  }
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
  /** Few. A map that each of them goes through would keep them long after they are over. */
  let batches: readonly Batch[] = []
  const mails = new Map<number, Handed>()
  /** By what its mails are made from, the name that the thread knows it by. */
  const names = new WeakMap<PreparedEmail, number>()
  const here = renderingAndSending({ secrets: nodeSecrets(secrets), clock: systemClock, sleep: systemSleep, settings })
  let lastId = 0
  let bytesThere = 0
  let isClosed = false
  let room: (() => void)[] = []

  const nextId = () => {
    lastId += 1
    return lastId
  }

  const held = () => thread.hold(batches.length + mails.size > 0)

  const take = (batch: Batch, results: readonly MailResult[]) => {
    for (const { deliveryId } of results) batch.open.delete(deliveryId)
    if (batch.open.size === 0) {
      batches = batches.filter((one) => one !== batch)
      held()
    }
    batch.answered(results)
  }

  const lose = (batch: Batch) => {
    const steps = new Uint8Array(batch.progress)
    take(
      batch,
      [...batch.open].map(([deliveryId, place]) => lostResult(deliveryId, steps[place])),
    )
  }

  const stop = (batch: Batch) => {
    const { id } = batch
    if (thread.lives()) thread.post({ kind: 'stop', id })
    else {
      thread.drop((waiting) => waiting.kind === 'batch' && waiting.id === id)
      lose(batch)
    }
  }

  /** Signals that are listened to, each once for all of its batches. */
  const heeded = new WeakSet<AbortSignal>()

  const heed = (signal: AbortSignal) => {
    if (heeded.has(signal)) return
    heeded.add(signal)
    const stopAll = () => {
      for (const one of batches.filter(({ batch }) => batch.signal === signal)) stop(one)
    }
    signal.addEventListener('abort', stopAll, { once: true })
  }

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
    const batch = batches.find((one) => one.id === id)
    if (batch) take(batch, results)
  }

  const prepareAgain = (id: number) => {
    const batch = batches.find((one) => one.id === id)
    if (!batch) return
    // Of what it was not told the thread has stopped nothing.
    if (batch.batch.signal?.aborted) lose(batch)
    else thread.post(orderOf(batch, false))
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
    for (const batch of batches) lose(batch)
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
        const { email, mailer: by, signal, mails: all } = batch
        if (by !== mailer || !isPlain(email)) return here.send(batch, answered)
        if (isClosed) {
          setImmediate(() => answered(all.map(({ deliveryId }) => ({ deliveryId, kind: 'left' }))))
          return
        }
        const known = names.get(email)
        const name = known ?? nextId()
        names.set(email, name)
        const made: Batch = {
          id: nextId(),
          batch,
          name,
          progress: new SharedArrayBuffer(all.length),
          open: new Map(all.map(({ deliveryId }, place) => [deliveryId, place])),
          answered,
        }
        batches = [...batches, made]
        held()
        if (signal && !signal.aborted) heed(signal)
        thread.post(orderOf(made, known !== undefined))
        if (signal?.aborted) stop(made)
      },
      expectMails: thread.start,
      freed: () => {
        here.freed()
        if (thread.lives()) thread.post({ kind: 'freed' })
      },
      close: () => mailer.close(),
    },
  }
}
