import { join } from 'node:path'
import { createFirstAccount, findOnlyProject } from './bootstrap.js'
import { type Config, readConfig } from './config.js'
import { tokens } from './container.js'
import { dataDirectoryEntries, startError } from './data-directory.js'
import { endOnSignal } from './ending.js'
import { UnusablePort } from './listening.js'
import { describeServerMark, serversUsingDirectory } from './running-servers.js'
import { startServer } from './server.js'

const workerOnly = 'Posthorn sends; this process answers no requests\n'

/** Names a server on the same directory, which may use the port. */
const namingServers = async (error: unknown, { store, dataDir }: Config): Promise<unknown> => {
  if (!(error instanceof UnusablePort) || store !== 'sqlite') return error
  const servers = await serversUsingDirectory(join(dataDir, dataDirectoryEntries.servers))
  if (servers.length === 0) return error
  return new UnusablePort(
    `${error.message} A server runs on this data directory already: ${servers.map(describeServerMark).join('; ')}.`,
  )
}

export const start = async (environment: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const config = readConfig(environment)
  const [region = ''] = config.regions
  let greet = (_base: string): string => ''
  const starting = startServer(config, async (core, repositories) => {
    if (!config.roles.has('api')) return
    const made = await createFirstAccount(core, { key: config.bootstrapKey, region })
    // Query before the process is ready: afterwards the store may be unavailable.
    const known = made ? undefined : await findOnlyProject(repositories)
    const setup = await core.people.setupLink()
    const { consoleEntryText, laterServerStartText, firstServerStartText } = await import('./startup-text.js')
    greet = (base) =>
      `${made ? firstServerStartText(made, config, base) : laterServerStartText(known, config, base)}${consoleEntryText(config, base, setup)}`
  })
  endOnSignal({ stop: async () => (await starting).stop() })
  const { base, container } = await starting.catch(async (error: unknown) => {
    throw startError(await namingServers(error, config), config.dataDir)
  })
  process.stdout.write(base === undefined ? workerOnly : `${greet(base)}\nPosthorn listens on ${base}\n`)
  // After printing, so that a slow relay delays nothing.
  try {
    const { heldWarning, mailSetupWarnings } = await import('./startup-text.js')
    const store = container.get(tokens.store)
    const { repositories } = store
    const held = await heldWarning(config, store)
    if (held !== undefined) process.stdout.write(`\nWarning: ${held}\n`)
    for await (const warning of mailSetupWarnings(config, {
      mailer: container.get(tokens.mailer),
      repositories,
    }))
      process.stdout.write(`\nWarning: ${warning}\n`)
  } catch (error) {
    container.get(tokens.log)('warn', 'The start could not be described', { error })
  }
}
