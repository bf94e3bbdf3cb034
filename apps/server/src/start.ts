import { type Bootstrapped, bootstrap, greeting, standing, welcome } from './bootstrap.js'
import { readConfig } from './config.js'
import { endOnSignal } from './ending.js'
import { startServer } from './server.js'

/** Starts the server that the environment describes, and says how to call it. */
export const start = async (environment: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const config = readConfig(environment)
  const [region = ''] = config.regions
  let greet = (_base: string): string => ''
  const starting = startServer(config, async (core, repositories) => {
    if (!config.roles.has('api')) return
    const made: Bootstrapped | undefined = await bootstrap(core, { key: config.bootstrapKey, region })
    // What the store is asked for the greeting comes before the process is ready: the store may be away afterwards.
    const stands = made ? undefined : await standing(repositories)
    greet = (base) => (made ? welcome(made, base) : greeting(stands, base))
  })
  endOnSignal({ stop: async () => (await starting).stop() })
  const { base } = await starting
  if (!base) {
    process.stdout.write('Posthorn sends; this process answers no requests\n')
    return
  }
  process.stdout.write(`${greet(base)}\nPosthorn listens on ${base}\n`)
}
