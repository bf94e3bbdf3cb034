import type { Scope } from '@posthorn/core'
import type { Command } from 'commander'
import type { OpenedContext } from './open-command-context.js'
import { CommandFailure, type CommandOutput, commandOutput } from './output.js'
import { commandEnvironment, commandTerminal, type Terminal } from './terminal.js'

export type CommandContext = Omit<OpenedContext, 'heldMails' | 'close'> & {
  readonly output: CommandOutput
  readonly terminal: Pick<Terminal, 'stdin'>
}

/** @throws CommandFailure */
export const namedOrOnlyProjectScope = async (
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

/** Imports modules late, so that help stays fast. */
export const inCommandContext =
  <A extends readonly unknown[]>(run: (context: CommandContext, ...args: A) => Promise<void>) =>
  async (...args: [...A, Command]): Promise<void> => {
    const command = args.at(-1) as Command
    const { withCommandContext } = await import('./open-command-context.js')
    const shown = { output: commandOutput(command), terminal: commandTerminal(command) }
    await withCommandContext(commandEnvironment(command), (opened) =>
      run({ ...opened, ...shown }, ...(args.slice(0, -1) as unknown as A)),
    )
  }
