import type { TestProject } from 'vitest/node'
import { type Capability, capabilities, capabilitiesOf, required } from './capabilities.js'
import { startJavaServer } from './java-server.js'
import { mongodBinary, startMongod } from './mongod.js'

/** The server that this run has, or why it has none. */
export type MongoAtHand = {
  readonly name: string
  readonly url?: string
  readonly can: readonly Capability[]
}

declare module 'vitest' {
  export interface ProvidedContext {
    readonly mongo: MongoAtHand
  }
}

type Choice = { readonly name: string; readonly url?: string; readonly stop: () => Promise<void> }

const nothing = async () => {}

/** The first that holds: a server that was named, a real one on this machine, mongo-java-server, none. */
const chosen = async (environment: NodeJS.ProcessEnv): Promise<Choice> => {
  const { MONGODB_URL: url } = environment
  if (url) return { name: 'the server of MONGODB_URL', url, stop: nothing }
  const binary = mongodBinary(environment)
  if (binary) return { name: `mongod (${binary})`, ...(await startMongod(binary)) }
  try {
    return { name: 'mongo-java-server', ...(await startJavaServer()) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const name = `no MongoDB server: MONGODB_URL is not set, no mongod is on the PATH, and mongo-java-server cannot be started (${reason})`
    return { name, stop: nothing }
  }
}

const say = (line: string) => process.stdout.write(`MongoDB suites: ${line}\n`)

/** Finds the suites their server, says which it is and what it cannot do, and ends it afterwards. */
export const setup = async (project: TestProject) => {
  const { name, url, stop } = await chosen(process.env)
  if (url === undefined) {
    if (process.env.CI === 'true') throw new Error(name)
    say(`skipped, ${name}`)
    project.provide('mongo', { name, can: [] })
    return stop
  }
  try {
    const can = await capabilitiesOf(url)
    const cannot = capabilities.filter((one) => !can.includes(one))
    const missed = required.filter((one) => cannot.includes(one))
    if (missed.length > 0 && process.env.CI === 'true') throw new Error(`${name} has no ${missed.join(', ')}`)
    say(
      `on ${name}${cannot.length > 0 ? `, which has no ${cannot.join(', ')}: what needs those is skipped by name` : ''}`,
    )
    if (missed.length > 0) say(`all are skipped: Posthorn cannot do without ${missed.join(', ')}`)
    project.provide('mongo', { name, url, can })
    return stop
  } catch (error) {
    await stop()
    throw error
  }
}
