import type { Core, Scope } from '@posthorn/core'
import type { Page } from '@posthorn/core/ports/storage'
import { type Command, Option } from 'commander'
import { type CommandContext, inCommandContext, namedOrOnlyProjectScope } from './command-context.js'
import { textTable, wholeNumberParser } from './output.js'

/** `value` for programs; `text` and `note` for people. */
export type CommandResult = { readonly value: unknown; readonly text: string; readonly note?: string }

export type CommandScope = { readonly core: Core; readonly scope: Scope }

export type CommandVerbDefinition<C, O extends object> = {
  readonly name: string
  readonly about: string
  /** Arguments as help shows them: `<id>`, or `[id]` if optional. */
  readonly takes?: readonly (readonly [name: string, about?: string, parse?: (text: string) => unknown])[]
  readonly options?: () => readonly Option[]
  readonly run: (at: C, args: readonly string[], options: O) => Promise<CommandResult>
}

type Register = (parent: Command) => void

const registered = <O extends object>(
  parent: Command,
  { name, about, takes = [], options = () => [] }: Omit<CommandVerbDefinition<object, O>, 'run'>,
  run: (context: CommandContext, args: readonly unknown[], options: O) => Promise<CommandResult>,
): Command => {
  const command = parent.command(name).description(about)
  for (const [argument, description, parse] of takes)
    if (parse) command.argument(argument, description, parse)
    else command.argument(argument, description)
  for (const option of options()) command.addOption(option)
  return command.action(
    inCommandContext(async (context, ...given: readonly unknown[]) => {
      const { value, text, note } = await run(context, given.slice(0, -1), given.at(-1) as O)
      context.output.result(value, text)
      if (note !== undefined) context.output.note(note)
    }),
  )
}

export const projectCommandVerb =
  <O extends object>(row: CommandVerbDefinition<CommandScope, O>): Register =>
  (parent) => {
    registered<O & { readonly project?: string }>(parent, row, async (context, args, options) => {
      const scope = await namedOrOnlyProjectScope(context, options.project)
      return row.run({ core: context.core, scope }, args.map(String), options)
    }).option('--project <id>', 'the project, where there are several')
  }

export const operatorCommandVerb =
  <O extends object>(row: CommandVerbDefinition<CommandContext, O>): Register =>
  (parent) =>
    void registered<O>(parent, row, (context, args, options) => row.run(context, args as readonly string[], options))

export const resourceCommands =
  (names: string | readonly [string, string], about: string, verbs: readonly Register[]): Register =>
  (program) => {
    const [name = '', alias] = [names].flat()
    const parent = program.command(name).description(about)
    if (alias !== undefined) parent.alias(alias)
    for (const register of verbs) register(parent)
  }

export type TextTableColumns<V> = Readonly<Record<string, (one: V) => string>>

export const itemsTextTable = <V>(columns: TextTableColumns<V>, items: readonly V[]): string =>
  textTable([Object.keys(columns), ...items.map((one) => Object.values(columns).map((cell) => cell(one)))])

export const itemTextTable = <V>(columns: TextTableColumns<V>, one: V): string =>
  textTable(Object.entries(columns).map(([heading, cell]) => [heading.toLowerCase(), cell(one)]))

export type PagingCommandOptions = { readonly limit: number; readonly skip: number }

export const pagingCommandOptions = () => [
  new Option('--limit <n>', 'how many at most').argParser(wholeNumberParser(1, 100_000)).default(100),
  new Option('--skip <n>', 'how many to skip').argParser(wholeNumberParser(0, 1_000_000_000)).default(0),
]

export const withSkipAndLimitHint = (text: string, { items, count }: Page<unknown>, { skip }: PagingCommandOptions) =>
  items.length < count
    ? `${text}\n${skip + 1} to ${skip + items.length} of ${count}; --skip and --limit show others`
    : text

/** Newest first. */
export const listVerb = <V, O extends object = object>({
  about,
  columns,
  none,
  options = () => [],
  list,
}: {
  readonly about: string
  readonly columns: TextTableColumns<V>
  readonly none: (asked: O) => string
  readonly options?: () => readonly Option[]
  readonly list: (at: CommandScope, page: PagingCommandOptions, options: O) => Promise<Page<V>>
}): Register =>
  projectCommandVerb<O & PagingCommandOptions>({
    name: 'list',
    about,
    options: () => [...options(), ...pagingCommandOptions()],
    run: async (at, _args, asked) => {
      const page = await list(at, { limit: asked.limit, skip: asked.skip }, asked)
      const text =
        page.items.length === 0 ? none(asked) : withSkipAndLimitHint(itemsTextTable(columns, page.items), page, asked)
      return { value: page.items, text }
    },
  })

/** For lists that the core does not paginate. */
export const pageOfSlice = <V>({ items, count }: Page<V>, { skip, limit }: PagingCommandOptions): Page<V> => ({
  items: items.slice(skip, skip + limit),
  count,
})

export const showVerb = <V>(
  about: string,
  columns: TextTableColumns<V>,
  show: (at: CommandScope, id: string) => Promise<V>,
): Register =>
  projectCommandVerb({
    name: 'show',
    about,
    takes: [['<id>', 'its id']],
    run: async (at, [id = '']) => {
      const one = await show(at, id)
      return { value: one, text: itemTextTable(columns, one) }
    },
  })

export const deleteVerb = (
  about: string,
  takes: readonly [name: string, about: string],
  remove: (at: CommandScope, id: string) => Promise<unknown>,
): Register =>
  projectCommandVerb({
    name: 'delete',
    about,
    takes: [takes],
    run: async (at, [id = '']) => ({ value: await remove(at, id), text: `${id} is gone` }),
  })
