import { setImmediate as othersTurn } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import type { DeliveryToRender, EmailToPrepare, MailResult, PreparedEmail } from '@posthorn/core/ports/runtime'
import type { Mailer } from '@posthorn/core/ports/transport'
import {
  byteBoundedCache,
  prepareEmail,
  renderingAndSending,
  unconfirmedTransmissionsIn,
  valueMemoryBytes,
} from '@posthorn/core/rendering'
import { nodeSecrets } from '../node-secrets.js'
import { systemClock } from '../system-clock.js'
import { type ThreadBatchResults, type ThreadCommand, type ThreadMessage, threadMailStages } from './messages.js'

export type ThreadData = {
  readonly secrets: readonly string[]
  readonly settings: { readonly publicUrl: string; readonly bounceDomain?: string | undefined }
}

type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

type Ask = (question: unknown) => Promise<unknown>
type ThreadMailer = Pick<Mailer, 'send' | 'concurrency' | 'tellsReference' | 'close'>

/** Bytes of recently used prepared emails; one may use all. */
const maxBytes = 32 * 1024 * 1024
const bytesPerCharacter = 8

const bytesOf = ({ content: { document, subject }, plainText, feeds, data, tracking }: EmailToPrepare): number => {
  const templates = [document, subject, 'template' in plainText ? plainText.template : '']
  const characters = templates.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0)
  return bytesPerCharacter * characters + valueMemoryBytes([feeds, data, tracking?.table])
}

/** Timeout of the other side's answer, in ms. */
const answerTime = 30_000
/** 25 results, or 3 ms: posting costs as much as sending a mail. */
const resultBatch = { most: 25, within: 3 }

/** The thread's side: renders and sends as the core does, posts results in batches, notes progress in shared memory. */
export const threadPipeline = (
  port: MessagePort,
  { secrets, settings }: ThreadData,
  openMailer: (options: unknown, log: Log, ask: Ask) => ThreadMailer,
): void => {
  const emails = byteBoundedCache<number, PreparedEmail>({
    maxBytes,
    largestEntry: maxBytes,
    sizeOf: (_, { source }) => bytesOf(source),
  })
  const rendering = renderingAndSending({
    secrets: nodeSecrets(secrets),
    clock: systemClock,
    // Yields only to sockets and the port; a timer would cost 1 ms.
    sleep: () => othersTurn(),
    settings,
  })
  const stops = new Map<number, AbortController>()
  let mailer: ThreadMailer | undefined
  let results = new Map<number, MailResult[]>()
  let unposted = 0
  let timer: NodeJS.Timeout | undefined

  const post = (answer: ThreadMessage) => port.postMessage(answer)
  const log: Log = (level, message, fields = {}) => post({ kind: 'log', line: [level, message, fields] })

  const questions = new Map<number, (answer: unknown) => void>()
  let asked = 0
  const ask: Ask = (question) =>
    new Promise((answered, unanswered) => {
      asked += 1
      const id = asked
      const tooLong = setTimeout(() => {
        questions.delete(id)
        unanswered(new Error('The mailer’s question was not answered in time.'))
      }, answerTime)
      questions.set(id, (answer) => {
        clearTimeout(tooLong)
        answered(answer)
      })
      post({ kind: 'question', id, question })
    })

  const postResults = () => {
    clearTimeout(timer)
    timer = undefined
    unposted = 0
    const all: ThreadBatchResults = [...results]
    results = new Map()
    post({ kind: 'results', results: JSON.stringify(all) })
  }

  const answer = (id: number, some: readonly MailResult[]) => {
    const before = results.get(id)
    if (before) before.push(...some)
    else results.set(id, [...some])
    unposted += some.length
    if (unposted >= resultBatch.most) postResults()
    else timer ??= setTimeout(postResults, resultBatch.within)
  }

  /** Counts mails as being compiled: if this kills the thread, they are not retried at once. */
  const preparedOf = (
    { email, source }: Extract<ThreadCommand, { kind: 'batch' }>,
    steps: Uint8Array,
  ): PreparedEmail | undefined => {
    if (source === undefined) return emails.get(email)
    steps.fill(threadMailStages.making)
    const prepared = prepareEmail(JSON.parse(source))
    emails.set(email, prepared)
    steps.fill(threadMailStages.waiting)
    return prepared
  }

  const sendBatch = (by: ThreadMailer, order: Extract<ThreadCommand, { kind: 'batch' }>): void => {
    const { id, batch, progress: shared, unconfirmed: cells } = order
    const steps = new Uint8Array(shared)
    const email = preparedOf(order, steps)
    if (!email) {
      post({ kind: 'unprepared', id })
      return
    }
    const mails: readonly DeliveryToRender[] = JSON.parse(batch.mails)
    const places = new Map(mails.map(({ deliveryId }, place) => [deliveryId, place]))
    const note = (deliveryId: string, step: number) => Atomics.store(steps, places.get(deliveryId) ?? 0, step)
    const unconfirmed = unconfirmedTransmissionsIn(cells)
    const stop = new AbortController()
    stops.set(id, stop)
    let open = mails.length
    rendering.send(
      {
        ...batch,
        mails,
        email,
        unconfirmed: {
          ...unconfirmed,
          take: (deliveryId) => {
            const hasPlace = unconfirmed.take(deliveryId)
            if (hasPlace) note(deliveryId, threadMailStages.making)
            return hasPlace
          },
        },
        mailer: {
          concurrency: by.concurrency,
          tellsReference: by.tellsReference,
          send: (mail) => {
            note(mail.deliveryId, threadMailStages.handedOver)
            return by.send(mail)
          },
        },
        signal: stop.signal,
      },
      (results) => {
        open -= results.length
        if (open === 0) stops.delete(id)
        answer(id, results)
      },
    )
  }

  const handle = async (order: ThreadCommand): Promise<void> => {
    if (order.kind === 'open') {
      mailer = openMailer(order.options, log, ask)
      return
    }
    if (order.kind === 'answer') {
      questions.get(order.id)?.(order.answer)
      questions.delete(order.id)
      return
    }
    if (!mailer) throw new Error('The sending thread got mails before its mailer was open')
    if (order.kind === 'batch') sendBatch(mailer, order)
    else if (order.kind === 'freed') rendering.freed()
    else if (order.kind === 'stop') stops.get(order.id)?.abort()
    else if (order.kind === 'mail') {
      const { id, mail, progress: shared } = order
      Atomics.store(new Uint8Array(shared), 0, threadMailStages.handedOver)
      post({ kind: 'outcome', id, outcome: await mailer.send(mail) })
    } else {
      await mailer.close()
      await rendering.close()
      setImmediate(() => {
        if (unposted > 0) postResults()
        port.close()
      })
    }
  }

  port.on('message', (order: ThreadCommand) => void handle(order))
}
