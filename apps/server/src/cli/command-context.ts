import type { Core, CorePorts, Scope } from '@posthorn/core'
import type { Repositories } from '@posthorn/core/ports/storage'
import type { Config } from '../config.js'
import { CommandFailure, type Output } from './output.js'
import type { Terminal } from './terminal.js'

/** What a command works with: the core on the configured store, without a server. */
export type CommandContext = {
  readonly core: Core
  readonly ports: CorePorts
  readonly repositories: Repositories
  readonly config: Config
  readonly output: Output
  readonly terminal: Pick<Terminal, 'stdin'>
}

/**
 * Scope of the named project or, by default, of the only one.
 * @throws CommandFailure
 */
export const projectScope = async (
  { core }: Pick<CommandContext, 'core'>,
  projectId: string | undefined,
): Promise<Scope> => {
  const projects = await core.projects.all()
  const [only, another] = projectId === undefined ? projects : projects.filter(({ _id }) => _id === projectId)
  if (!only)
    throw new CommandFailure(projectId === undefined ? 'There is no project yet.' : `There is no project ${projectId}.`)
  if (another) throw new CommandFailure('There are several projects. Say which with --project <id>.')
  return { projectId: only._id, caller: 'operator' }
}
