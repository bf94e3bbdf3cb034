import { on } from 'node:events'
import { parentPort } from 'node:worker_threads'

/** Silences the console: libraries would write to it, and the answer contains everything relevant. */
const silent = () => undefined
Object.assign(console, { log: silent, info: silent, warn: silent, error: silent })

const modules = {
  'visual-document': () => import('./visual-document.js'),
  'plain-text': () => import('./plain-text.js'),
  'feed-xml': () => import('./feed-xml.js'),
  'feed-json': () => import('./feed-json.js'),
}

const outcomeOf = async (work, input, mostOutput) => {
  try {
    const { output, problems = [] } = await work(input)
    if (problems.length > 0 || output === undefined) return { problems }
    return output.length > mostOutput
      ? { problems: [`its output has more than ${mostOutput} characters`] }
      : { output, problems }
  } catch (error) {
    if (error instanceof RangeError) return { problems: ['it is nested too deeply'] }
    return { problems: [String(error.message).slice(0, 200)] }
  }
}

/** Plain JavaScript, also in its imports: threads and processes start without a loader. The project's deadline begins after loading. */
for await (const [{ kind, input, mostOutput }] of on(parentPort, 'message')) {
  const { work } = await modules[kind]()
  parentPort.postMessage({ said: 'begun' })
  parentPort.postMessage({ said: 'done', ...(await outcomeOf(work, input, mostOutput)) })
}
