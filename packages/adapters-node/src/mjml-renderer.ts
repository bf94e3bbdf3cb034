import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { VisualRenderer } from '@posthorn/core'
import { type MjmlElement, mjmlDocument, notRendered } from './mjml-document.js'

type Answer = { readonly html?: string; readonly problems: readonly string[] }

const memoryMb = 256
const mostWaiting = 50

/** A thread with none of the server's environment; the variable keeps MJML from loading what a configuration file asks for. */
const startedWorker = async (): Promise<Worker> => {
  const worker = new Worker(new URL('./mjml-worker.js', import.meta.url), {
    env: { MJML_BROWSER: 'true' },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  })
  worker.on('error', () => undefined)
  await once(worker, 'message')
  worker.unref()
  return worker
}

/**
 * MJML in its JSON form (`{ tagName: "mjml", … }`, https://documentation.mjml.io), merge tags kept. Rendered in a thread of its own,
 * one document at a time, with an end to the time and memory that one may take: mjml-core runs regular expressions over what others
 * write. Starts the thread at the first document; it keeps no process alive.
 */
export const mjmlRenderer = ({ milliseconds = 5000 } = {}): VisualRenderer => {
  let starting: Promise<Worker> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  const living = (): Promise<Worker> => {
    if (starting) return starting
    const started = startedWorker()
    starting = started
    const forget = () => {
      if (starting === started) starting = undefined
    }
    started.then((worker) => worker.once('exit', forget), forget)
    return started
  }

  const ask = async (document: MjmlElement): Promise<Answer> => {
    const worker = await living()
    const signal = AbortSignal.timeout(milliseconds)
    worker.ref()
    try {
      worker.postMessage(document)
      const [answer] = await once(worker, 'message', { signal })
      worker.unref()
      return answer as Answer
    } catch {
      await worker.terminate()
      return { problems: [signal.aborted ? `it takes longer than ${milliseconds} ms` : 'it takes too much memory'] }
    }
  }

  const inTurn = async (document: MjmlElement): Promise<Answer> => {
    const turn = last.then(() => ask(document))
    last = turn.catch(() => undefined)
    waiting += 1
    try {
      return await turn
    } finally {
      waiting -= 1
    }
  }

  return async (document) => {
    const known = mjmlDocument(document)
    if (waiting >= mostWaiting) throw notRendered('too many others are being rendered; try again in a minute')
    const { html, problems } = await inTurn(known)
    if (html === undefined || problems.length > 0) throw notRendered(...problems)
    return html
  }
}
