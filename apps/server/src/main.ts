import { bootstrap, welcome } from './bootstrap.js'
import { readConfig } from './config.js'
import { endOnSignal, failed } from './ending.js'
import { startServer } from './server.js'

const main = async () => {
  const config = readConfig(process.env)
  const server = await startServer(config)
  endOnSignal(server)
  const [region = ''] = config.regions
  const made = await bootstrap(server.core, { key: config.bootstrapKey, region })
  if (made) process.stdout.write(welcome(made, server.base ?? config.publicUrl))
  if (server.base) process.stdout.write(`\nPosthorn listens on ${server.base}\n`)
  else process.stdout.write('\nPosthorn sends; this process answers no requests\n')
}

await main().catch(failed)
