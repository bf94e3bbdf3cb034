import type { Command } from 'commander'
import type { CommandContext } from './command-context.js'
import { outputOf } from './output.js'
import { environmentOf, terminalOf } from './terminal.js'

/** Opens the store for the command and always closes it afterwards. Modules are loaded when the command runs: help needs none. */
export const inContext =
  <A extends readonly unknown[]>(run: (context: CommandContext, ...args: A) => Promise<void>) =>
  async (...args: [...A, Command]): Promise<void> => {
    const command = args.at(-1) as Command
    const { openCommandContext } = await import('./open-command-context.js')
    const { close, ...opened } = await openCommandContext(environmentOf(command))
    try {
      await run(
        { ...opened, output: outputOf(command), terminal: terminalOf(command) },
        ...(args.slice(0, -1) as unknown as A),
      )
    } finally {
      await close()
    }
  }
