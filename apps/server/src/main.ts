import { type Bootstrapped, bootstrap, welcome } from './bootstrap.js'
import { readConfig } from './config.js'
import { endOnSignal, failed, outliveReaders } from './ending.js'
import { startServer } from './server.js'

const main = async () => {
  outliveReaders()
  const config = readConfig(process.env)
  const [region = ''] = config.regions
  let made: Bootstrapped | undefined
  const starting = startServer(config, async (core) => {
    if (config.roles.has('api')) made = await bootstrap(core, { key: config.bootstrapKey, region })
  })
  endOnSignal({ stop: async () => (await starting).stop() })
  const server = await starting
  if (!server.base) process.stdout.write('Posthorn sends; this process answers no requests\n')
  else process.stdout.write(`${made ? welcome(made, server.base) : ''}\nPosthorn listens on ${server.base}\n`)
}

await main().catch(failed)
