import type { Command, Option } from 'commander'

type Word = { readonly word: string; readonly about: string }

/** Completions of a command: its subcommands, its options, and their values. */
export type CompletionRow = {
  /** The command without the program's name, such as `contacts import`; '' for the program itself. */
  readonly path: string
  readonly commands: readonly Word[]
  readonly options: readonly Word[]
  readonly choices: readonly { readonly option: string; readonly values: readonly string[] }[]
  /** Options that take a value. */
  readonly valued: readonly string[]
}

const word = ({ long, description }: Option): Word => ({ word: long ?? '', about: description })

/** Rows of a command and of all its subcommands. */
export const completionRows = (command: Command, path = ''): readonly CompletionRow[] => {
  const options = command.options.filter(({ long, hidden }) => long !== undefined && !hidden)
  const row: CompletionRow = {
    path,
    commands: command.commands.map((sub) => ({ word: sub.name(), about: sub.description() })),
    options: [...options.map(word), { word: '--help', about: 'display help for command' }],
    choices: options.flatMap(({ long, argChoices }) =>
      long && argChoices ? [{ option: long, values: argChoices }] : [],
    ),
    valued: options.flatMap(({ long, required }) => (long && required ? [long] : [])),
  }
  return [row, ...command.commands.flatMap((sub) => completionRows(sub, `${path} ${sub.name()}`.trim()))]
}

/** Single-quoted for bash, zsh and fish. */
const quoted = (text: string) => `'${text.replaceAll("'", '’').replaceAll('\\', '/')}'`

const wordsOf = ({ commands, options }: CompletionRow) => [...commands, ...options]

/** `path word` for every command, by which a shell follows the words before the cursor. */
const steps = (rows: readonly CompletionRow[]) => rows.filter(({ path }) => path !== '').map(({ path }) => path)

/** Shell code for bash and zsh that sets `at` to the command before the cursor. */
const walk = (rows: readonly CompletionRow[]) => `    case "$at $word" in
      ${steps(rows)
        .map((path) => (path.includes(' ') ? quoted(path) : quoted(` ${path}`)))
        .join('|')}) at="\${at:+$at }$word" ;;
    esac`

const bash = (rows: readonly CompletionRow[]) => `# posthorn, for bash: eval "$(posthorn completion bash)"
_posthorn() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at="" word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${walk(rows)}
  done
  case "$at $previous" in
${rows
  .flatMap(({ path, choices, valued }) => [
    ...choices.map(
      ({ option, values }) =>
        `    ${quoted(`${path} ${option}`)}) COMPREPLY=($(compgen -W ${quoted(values.join(' '))} -- "$current")); return ;;`,
    ),
    ...valued
      .filter((option) => !choices.some((one) => one.option === option))
      .map((option) => `    ${quoted(`${path} ${option}`)}) return ;;`),
  ])
  .join('\n')}
  esac
  case "$at" in
${rows
  .map(
    (row) =>
      `    ${quoted(row.path)}) COMPREPLY=($(compgen -W ${quoted(
        wordsOf(row)
          .map((one) => one.word)
          .join(' '),
      )} -- "$current")) ;;`,
  )
  .join('\n')}
  esac
}
complete -o default -F _posthorn posthorn
`

const described = (words: readonly Word[]) =>
  words.map((one) => quoted(`${one.word}:${one.about.replaceAll(':', ' ')}`)).join(' ')

const zsh = (rows: readonly CompletionRow[]) => `#compdef posthorn
# posthorn, for zsh: eval "$(posthorn completion zsh)"
_posthorn() {
  local previous="\${words[CURRENT-1]}" at="" word
  local -a rows
  for word in "\${(@)words[2,CURRENT-1]}"; do
${walk(rows)}
  done
  case "$at $previous" in
${rows
  .flatMap(({ path, choices, valued }) => [
    ...choices.map(
      ({ option, values }) =>
        `    ${quoted(`${path} ${option}`)}) compadd -- ${values.map(quoted).join(' ')}; return ;;`,
    ),
    ...valued
      .filter((option) => !choices.some((one) => one.option === option))
      .map((option) => `    ${quoted(`${path} ${option}`)}) _files; return ;;`),
  ])
  .join('\n')}
  esac
  case "$at" in
${rows.map((row) => `    ${quoted(row.path)}) rows=(${described(wordsOf(row))}) ;;`).join('\n')}
  esac
  _describe 'posthorn' rows
  _files
}
compdef _posthorn posthorn
`

const fish = (rows: readonly CompletionRow[]) => `# posthorn, for fish: posthorn completion fish | source
function __posthorn_path
  set -l path
  for word in (commandline -opc)[2..-1]
    switch "$path $word"
      case ${steps(rows)
        .map((path) => (path.includes(' ') ? quoted(path) : quoted(` ${path}`)))
        .join(' ')}
        set path (string trim "$path $word")
    end
  end
  echo "$path"
end
function __posthorn_at
  test (__posthorn_path) = "$argv[1]"
end
${rows
  .flatMap(({ path, commands, options, choices, valued }) => {
    const at = `complete -c posthorn -n ${quoted(`__posthorn_at "${path}"`)}`
    return [
      ...commands.map((one) => `${at} -f -a ${quoted(one.word)} -d ${quoted(one.about)}`),
      ...options.map((one) => {
        const values = choices.find(({ option }) => option === one.word)?.values
        const value = values ? ` -x -a ${quoted(values.join(' '))}` : valued.includes(one.word) ? ' -r' : ''
        return `${at} -l ${one.word.slice(2)}${value} -d ${quoted(one.about)}`
      }),
    ]
  })
  .join('\n')}
`

/** Completion scripts by shell. */
export const completionScripts: Readonly<Record<string, (rows: readonly CompletionRow[]) => string>> = {
  bash,
  zsh,
  fish,
}
