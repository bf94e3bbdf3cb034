import type { Log } from '@posthorn/core'
import {
  type MailBatch,
  type MailResult,
  type PreparedEmail,
  type RenderAndSend,
  renderingAndSending,
} from '@posthorn/core/ports/runtime'
import type { Mailer, MailOutcome } from '@posthorn/core/ports/transport'
import { nodeSecrets } from '../node-secrets.js'
import { systemClock, systemSleep } from '../system-clock.js'
import type { ThreadBatchResults, ThreadCommand, ThreadMessage } from './messages.js'
import { deadThreadOutcome, resultOfLostMail } from './messages.js'
import { supervisedWorker } from './supervised-worker.js'
import type { ThreadData } from './thread-pipeline.js'

export type SendingThreadOptions = ThreadData & {
  /** Gives the properties of the thread's mailer; sends nothing. */
  readonly mailer: Mailer
  /** A JavaScript module that exports `openMailer(options, log, ask)`. */
  readonly module: URL
  /** Plain data for `openMailer`. */
  readonly options: () => unknown
  /** Answers the thread's mailer, in plain data. Never throws. */
  readonly answer?: (question: unknown) => Promise<unknown>
  readonly log: Log
  /** Heap limit in MB; above it the thread is replaced. */
  readonly memoryMb?: number
}

export type SendingThread = {
  /** For mails compiled elsewhere. Closing it closes the thread. */
  readonly mailer: Mailer
  /** Renders and sends that mailer's mails in the thread, all others in this one. */
  readonly renderAndSend: RenderAndSend
}

type Batch = {
  readonly id: number
  readonly batch: MailBatch
  readonly name: number
  readonly progress: SharedArrayBuffer
  readonly open: Map<string, number>
  readonly answered: (results: readonly MailResult[]) => void
}

type Handed = {
  readonly steps: Uint8Array
  readonly bytes: number
  readonly done: (outcome: MailOutcome) => void
}

/** Bytes of compiled mails in the thread; one is always admitted. */
const mostBytes = 64 * 1024 * 1024

/** Built only when posted: text takes many times the memory. */
const orderOf = ({ id, batch, name, progress }: Batch, isKnown: boolean): ThreadCommand => {
  const { dispatchId, projectId, channel, list, turnKey, mails, email, unconfirmed } = batch
  return {
    kind: 'batch',
    id,
    batch: { dispatchId, projectId, channel, list, turnKey, mails: JSON.stringify(mails) },
    email: name,
    source: isKnown ? undefined : JSON.stringify(email.source),
    progress,
    unconfirmed: unconfirmed.cells,
  }
}

/**
 * Keeps this thread free for ledger and API. Mails with attachments or texts of their own are compiled here. If the thread dies, mails not
 * begun are released, mails being compiled are retried later, transmitted mails are uncertain.
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
  /** A map that many batches pass through would keep them in memory. */
  let batches: readonly Batch[] = []
  const mails = new Map<number, Handed>()
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
      [...batch.open].map(([deliveryId, place]) => resultOfLostMail(deliveryId, steps[place])),
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

  /** One listener serves all batches of a signal. */
  const watchedSignals = new WeakSet<AbortSignal>()

  const heed = (signal: AbortSignal) => {
    if (watchedSignals.has(signal)) return
    watchedSignals.add(signal)
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
    // The thread cannot stop a batch that it never got.
    if (batch.batch.signal?.aborted) lose(batch)
    else thread.post(orderOf(batch, false))
  }

  const onMessage = (answer: ThreadMessage, reply: (order: ThreadCommand) => void): void => {
    if (answer.kind === 'results')
      for (const [id, results] of JSON.parse(answer.results) as ThreadBatchResults) heard(id, results)
    else if (answer.kind === 'unprepared') prepareAgain(answer.id)
    else if (answer.kind === 'outcome') over(answer.id, answer.outcome)
    else if (answer.kind === 'question')
      void answerTo(answer.question).then((result) => reply({ kind: 'answer', id: answer.id, answer: result }))
    else log(...answer.line)
  }

  const onDeath = () => {
    for (const [id, { steps }] of [...mails]) over(id, deadThreadOutcome(steps[0]))
    for (const batch of batches) lose(batch)
  }

  const thread = supervisedWorker({
    data: { secrets, settings, module: module.href },
    options,
    memoryMb,
    log,
    onMessage,
    onDeath,
  })

  const mailer: Mailer = {
    ...own,
    send: async (mail) => {
      const bytes = mail.mime.length
      if (isClosed) return deadThreadOutcome(undefined)
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
      onDeath()
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
          setImmediate(() => answered(all.map(({ deliveryId }) => ({ deliveryId, kind: 'not-started' }))))
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
