import { bootstrap, standing } from './bootstrap.js'
import { readConfig } from './config.js'
import { tokens } from './container.js'
import { startError } from './data-directory.js'
import { endOnSignal } from './ending.js'
import { startServer } from './server.js'

const workerOnly = 'Posthorn sends; this process answers no requests\n'

/** Starts the server, and prints how to call it. */
export const start = async (environment: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const config = readConfig(environment)
  const [region = ''] = config.regions
  let greet = (_base: string): string => ''
  const starting = startServer(config, async (core, repositories) => {
    if (!config.roles.has('api')) return
    const made = await bootstrap(core, { key: config.bootstrapKey, region })
    // Query before the process is ready: afterwards the store may be unavailable.
    const known = made ? undefined : await standing(repositories)
    const setup = await core.people.setupLink()
    const { consoleText, greeting, welcome } = await import('./startup-text.js')
    greet = (base) =>
      `${made ? welcome(made, config, base) : greeting(known, config, base)}${consoleText(config, base, setup)}`
  })
  endOnSignal({ stop: async () => (await starting).stop() })
  const { base, container } = await starting.catch((error: unknown) => {
    throw startError(error, config.dataDir)
  })
  process.stdout.write(base === undefined ? workerOnly : `${greet(base)}\nPosthorn listens on ${base}\n`)
  // After printing, so that a slow relay delays nothing.
  try {
    const { mailWarnings } = await import('./startup-text.js')
    const { repositories } = container.get(tokens.store)
    for await (const warning of mailWarnings(config, { mailer: container.get(tokens.mailer), repositories }))
      process.stdout.write(`\nWarning: ${warning}\n`)
  } catch (error) {
    container.get(tokens.log)('warn', 'The start could not be described', { error })
  }
}
