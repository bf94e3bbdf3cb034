import { on } from 'node:events'
import { parentPort } from 'node:worker_threads'

/** What is done here says what there is to say in its answer; some of it would also write to the console. */
const silent = () => undefined
Object.assign(console, { log: silent, info: silent, warn: silent, error: silent })

/** Loaded when the first of its kind comes. */
const modules = {
  'visual-document': () => import('./visual-document.js'),
  'plain-text': () => import('./plain-text.js'),
  'feed-xml': () => import('./feed-xml.js'),
  'feed-json': () => import('./feed-json.js'),
  templates: () => import('./templates.js'),
}

const outcomeOf = async (work, input, mostOutput) => {
  try {
    const { output, problems = [] } = await work(input)
    if (problems.length > 0 || output === undefined) return { problems }
    return output.length > mostOutput
      ? { problems: [`it makes more than ${mostOutput} characters`] }
      : { output, problems }
  } catch (error) {
    if (error instanceof RangeError) return { problems: ['it is nested too deeply'] }
    return { problems: [String(error.message).slice(0, 200)] }
  }
}

/**
 * Plain JavaScript, as is all that is loaded here, since a thread and its process are started from files as they lie there, whether from the sources or
 * from what is built. That it has begun is told once everything is loaded: from then on time is the project's.
 */
for await (const [{ kind, input, mostOutput }] of on(parentPort, 'message')) {
  const { work } = await modules[kind]()
  parentPort.postMessage({ said: 'begun' })
  parentPort.postMessage({ said: 'done', ...(await outcomeOf(work, input, mostOutput)) })
}
