import type { Command } from 'commander'
import { CommandFailure } from './output.js'
import { commandEnvironment } from './terminal.js'

type McpCommandOptions = { readonly url: string; readonly allowWrites?: boolean }

const baseOf = (text: string): string => {
  const { protocol = '', href = '' } = URL.canParse(text) ? new URL(text) : {}
  if (!/^https?:$/.test(protocol) || /[?#@]/.test(href))
    throw new CommandFailure('--url: expected an http or https URL without user, query and fragment', 2)
  return text.replace(/\/+$/, '')
}

/** The key is no option: others on the machine can read command lines. */
export const mcpCommand = (program: Command): void => {
  program
    .command('mcp')
    .option('--url <url>', 'of the running server', 'http://localhost:3000')
    .option('--allow-writes', 'offer tools that change and send, as far as the key permits')
    .description(
      'connect an AI assistant to a running server by the Model Context Protocol, with the key in POSTHORN_API_KEY',
    )
    .action(async ({ url, allowWrites = false }: McpCommandOptions, command: Command) => {
      const apiKey = commandEnvironment(command).POSTHORN_API_KEY
      if (!apiKey) throw new CommandFailure('Set POSTHORN_API_KEY to an API key; “posthorn key create” makes one.', 2)
      const base = baseOf(url)
      const { mcpOverStdio } = await import('@posthorn/mcp')
      await mcpOverStdio({ url: base, apiKey, writes: allowWrites })
    })
}
