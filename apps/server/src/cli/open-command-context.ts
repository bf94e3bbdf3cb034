import { resolve } from 'node:path'
import { nodeSecrets, sandboxProcesses } from '@posthorn/adapters-node'
import { type Core, type CorePorts, createCore } from '@posthorn/core'
import { accountLookup } from '@posthorn/core/ports/runtime'
import type { Repositories } from '@posthorn/core/ports/storage'
import { pinoLog } from '../adapters/pino-log.js'
import { sesAdapters } from '../adapters/ses.js'
import { type Config, readConfig } from '../config.js'
import { hasStore, openDataDirectory } from '../data-directory.js'
import { openStore, type Store } from '../store.js'
import { corePortsOf, openSending } from '../wiring.js'
import { CommandFailure } from './output.js'
import type { Terminal } from './terminal.js'

export type OpenedContext = {
  readonly core: Core
  readonly ports: CorePorts
  readonly repositories: Repositories
  readonly config: Config
  readonly heldMails: Store['heldMails']
  readonly close: () => Promise<void>
}

const commandConfig = (environment: Terminal['environment']) =>
  readConfig({ ...environment, POSTHORN_LOG_LEVEL: environment.POSTHORN_LOG_LEVEL || 'error' })

/** @throws CommandFailure if the store does not exist and `create` is not set, and errors of the store */
export const openCommandContext = async (
  environment: Terminal['environment'],
  { create = false }: { readonly create?: boolean } = {},
): Promise<OpenedContext> => {
  const configured = commandConfig(environment)
  if (configured.store === 'memory')
    throw new CommandFailure(
      'The store is memory: it belongs to the server’s process alone, so a command finds nothing in it.',
    )
  if (configured.store === 'sqlite' && !create && !hasStore(configured.dataDir))
    throw new CommandFailure(
      `There is no store in ${resolve(configured.dataDir)}. npm start makes one there. Where it is elsewhere, say so with --data <directory> or POSTHORN_DATA_DIR.`,
    )
  const log = pinoLog(configured.logLevel)
  const data = openDataDirectory(configured.dataDir, log)
  // Printed links lead to the server, whose port this shell may not know.
  const config = { ...configured, publicUrl: configured.publicUrl ?? data.notedPublicUrl() }
  const store = await openStore(config, data, log)
  const ses = config.ses && sesAdapters(config.ses, async () => store, log)
  const sending = openSending(config, data, log, ses)
  const processes = sandboxProcesses({ accountOf: accountLookup(store.repositories.projects) })
  const close = async () => {
    await processes.close()
    await sending.mailer.close()
    await store.close()
  }
  try {
    const ports = corePortsOf(
      config,
      store,
      sending,
      nodeSecrets(config.secrets ?? data.secrets()),
      log,
      processes,
      ses,
    )
    return {
      core: createCore(ports),
      ports,
      repositories: store.repositories,
      heldMails: store.heldMails,
      config,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Always closes the store. */
export const withCommandContext = async <T>(
  environment: Terminal['environment'],
  use: (context: OpenedContext) => Promise<T>,
): Promise<T> => {
  const context = await openCommandContext(environment)
  try {
    return await use(context)
  } finally {
    await context.close()
  }
}
