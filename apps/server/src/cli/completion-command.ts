import { Argument, type Command } from 'commander'
import { completionRows, completionScripts } from './completion.js'
import { terminalOf } from './terminal.js'

/** `posthorn completion bash`. */
export const completionCommand = (program: Command): void => {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'whose completions').choices(Object.keys(completionScripts)))
    .description('print what makes a shell complete commands: eval "$(posthorn completion bash)"')
    .action((shell: string, _options: object, command: Command) => {
      terminalOf(command).stdout.write(completionScripts[shell]?.(completionRows(program)) ?? '')
    })
}
