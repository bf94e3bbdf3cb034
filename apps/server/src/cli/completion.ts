import type { Command } from 'commander'

export type ShellCompletionRow = {
  /** Without the program's name, such as `contacts import`. */
  readonly path: string
  readonly commands: readonly string[]
  readonly options: readonly string[]
  /** Empty if an option accepts any value. */
  readonly values: Readonly<Record<string, readonly string[]>>
}

export const completionRows = (command: Command, path = ''): readonly ShellCompletionRow[] => {
  const options = command.options.flatMap(({ long, hidden, required, argChoices }) =>
    long && !hidden ? [{ long, values: argChoices ?? (required ? [] : undefined) }] : [],
  )
  const row: ShellCompletionRow = {
    path,
    commands: command.commands.map((sub) => sub.name()),
    options: [...options.map(({ long }) => long), '--help'],
    values: Object.fromEntries(options.flatMap(({ long, values }) => (values ? [[long, values]] : []))),
  }
  return [row, ...command.commands.flatMap((sub) => completionRows(sub, `${path} ${sub.name()}`.trim()))]
}

/** Every `path word` that leads to a command, quoted for a shell. */
const steps = (rows: readonly ShellCompletionRow[]) =>
  rows.flatMap(({ path }) => (path === '' ? [] : [path.includes(' ') ? `'${path}'` : `' ${path}'`]))

const words = ({ commands, options }: ShellCompletionRow) => [...commands, ...options].join(' ')

const complete = (text: string) => `COMPREPLY=($(compgen -W '${text}' -- "$current"))`

/** Offers the subcommands, or the values of the option before the cursor. */
const bash = (rows: readonly ShellCompletionRow[]) => `_posthorn() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at="" word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${steps(rows).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at $previous" in
${rows
  .flatMap(({ path, values }) =>
    Object.entries(values).map(([option, ones]) => `    '${path} ${option}') ${complete(ones.join(' '))}; return ;;`),
  )
  .join('\n')}
  esac
  case "$at" in
${rows.map((row) => `    '${row.path}') ${complete(words(row))} ;;`).join('\n')}
  esac
}
complete -o default -F _posthorn posthorn
`

const fish = (rows: readonly ShellCompletionRow[]) => `function __posthorn_at
  set -l path
  for word in (commandline -opc)[2..-1]
    switch "$path $word"
      case ${steps(rows).join(' ')}
        set path (string trim "$path $word")
    end
  end
  test "$path" = "$argv[1]"
end
${rows
  .flatMap(({ path, commands, options, values }) => {
    const at = `complete -c posthorn -n '__posthorn_at "${path}"'`
    return [
      ...(commands.length > 0 ? [`${at} -f -a '${commands.join(' ')}'`] : []),
      ...options.map((option) => {
        const ones = values[option]
        return `${at} -l ${option.slice(2)}${ones ? (ones.length > 0 ? ` -x -a '${ones.join(' ')}'` : ' -r') : ''}`
      }),
    ]
  })
  .join('\n')}
`

export const completionScript = (shell: string, program: Command): string => {
  const rows = completionRows(program)
  if (shell === 'fish') return fish(rows)
  return shell === 'zsh' ? `autoload -Uz bashcompinit && bashcompinit\n${bash(rows)}` : bash(rows)
}
