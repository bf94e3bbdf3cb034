import { type Bootstrapped, bootstrap, greeting, standing, welcome } from './bootstrap.js'
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
  if (!base) {
    process.stdout.write('Posthorn sends; this process answers no requests\n')
    return
  }
  const said = made ? welcome(made, base) : greeting(await standing(container.get(tokens.store).repositories), base)
  process.stdout.write(`${said}\nPosthorn listens on ${base}\n`)
}
