import { type Bootstrapped, bootstrap, standing } from './bootstrap.js'
import { readConfig } from './config.js'
import { endOnSignal } from './ending.js'
import { startServer } from './server.js'
import { tokens } from './tokens.js'

/** Starts the server that the environment describes, and says how to call it. */
export const start = async (environment: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const config = readConfig(environment)
  const [region = ''] = config.regions
  let made: Bootstrapped | undefined
  const starting = startServer(config, async (core) => {
    if (config.roles.has('api')) made = await bootstrap(core, { key: config.bootstrapKey, region })
  })
  endOnSignal({ stop: async () => (await starting).stop() })
  const { base, container } = await starting
  const { repositories } = container.get(tokens.store)
  const log = container.get(tokens.log)
  /** What is printed is no reason to end a server that runs. */
  const failed = (error: unknown) => log('warn', 'The start could not be described', { error })
  const { greeting, mailWarnings, welcome } = await import('./startup-text.js')
  if (base === undefined) process.stdout.write('Posthorn sends; this process answers no requests\n')
  else {
    const text = made
      ? welcome(made, config, base)
      : greeting((await standing(repositories).catch(failed)) ?? undefined, config, base)
    process.stdout.write(`${text}\nPosthorn listens on ${base}\n`)
  }
  // A relay that does not answer keeps nobody waiting for what is printed above.
  try {
    for await (const warning of mailWarnings(config, { mailer: container.get(tokens.mailer), repositories }))
      process.stdout.write(`\nWarning: ${warning}\n`)
  } catch (error) {
    failed(error)
  }
}
