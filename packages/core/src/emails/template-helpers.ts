import type Handlebars from 'handlebars'

type Hash = Readonly<Record<string, unknown>>
type Options = Handlebars.HelperOptions

/** A template that ran past its budget, or could not be rendered for this recipient's values. */
export class RenderFailure extends Error {
  override readonly name = 'RenderFailure'
}

/** How much one rendering may do (gaps.md, section 4). */
export const loopBudget = 100_000
export const outputBudget = 5 * 1024 * 1024

/** What the helpers of one rendering have used up. Rendering is synchronous, so one count serves all. */
export const budget = () => {
  let turns = 0
  return {
    reset: () => {
      turns = 0
    },
    turn: () => {
      turns += 1
      if (turns > loopBudget) throw new RenderFailure(`The template loops more than ${loopBudget} times.`)
    },
    /** @throws RenderFailure for an output above 5 MB */
    output: (text: string): string => {
      if (text.length > outputBudget) throw new RenderFailure('The rendered email is larger than 5 MB.')
      return text
    },
  }
}
export type Budget = ReturnType<typeof budget>

const truthy = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value))

/** What a value reads as; an object or an array reads as nothing. */
const text = (value: unknown) =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

const given = (args: readonly unknown[]) => args.slice(0, -1)

/** The specification's own helpers; each is called with its arguments and, last, Handlebars' options. */
const ownHelpers = {
  AND: (...args: unknown[]) => given(args).every(truthy),
  OR: (...args: unknown[]) => given(args).some(truthy),
  NOT: (value: unknown) => !truthy(value),
  EQ: (a: unknown, b: unknown) => a === b,
  INCLUDES: (where: unknown, what: unknown) =>
    Array.isArray(where)
      ? where.includes(what)
      : typeof where === 'string' && typeof what === 'string' && where.includes(what),
  CAPITALIZE: (value: unknown) => text(value).toUpperCase(),
  TRUNCATE: (value: unknown, length: unknown) => {
    const characters = Array.from(text(value))
    const n = Number(length)
    return Number.isInteger(n) && n >= 0 && characters.length > n
      ? `${characters.slice(0, n).join('')}...`
      : characters.join('')
  },
  DEFAULT: (value: unknown, other: unknown) => (value === undefined || value === null || value === '' ? other : value),
}

const wholeNumber = (value: unknown): number | undefined => {
  const n = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof n === 'number' && Number.isInteger(n) && n >= 0 ? n : undefined
}

const entriesOf = (items: unknown): readonly (readonly [key: string | number, item: unknown])[] => {
  if (Array.isArray(items)) return items.map((item, index) => [index, item])
  if (typeof items === 'object' && items !== null) return Object.entries(items)
  return []
}

/** `each` with `skip` and `limit`, within the budget. */
const eachWithin = (spent: Budget, createFrame: typeof Handlebars.createFrame) =>
  function (this: unknown, items: unknown, options: Options): string {
    const { skip, limit } = options.hash as Hash
    const from = wholeNumber(skip) ?? 0
    const count = wholeNumber(limit)
    const entries = entriesOf(items).slice(from, count === undefined ? undefined : from + count)
    if (entries.length === 0) return options.inverse(this)
    let out = ''
    entries.forEach(([key, item], index) => {
      spent.turn()
      const data = createFrame(options.data ?? {})
      Object.assign(data, { key, index, first: index === 0, last: index === entries.length - 1 })
      out = spent.output(out + options.fn(item, { data, blockParams: [item, key] }))
    })
    return out
  }

/** How many arguments a helper takes: exactly, or at least. */
type Arity = { readonly exactly: number } | { readonly atLeast: number }

/** Everything that may be called in a template, and how. Nothing else exists. */
export const callable: Readonly<
  Record<string, { readonly block: boolean; readonly arity: Arity; readonly hash: readonly string[] }>
> = {
  each: { block: true, arity: { exactly: 1 }, hash: ['skip', 'limit'] },
  if: { block: true, arity: { exactly: 1 }, hash: ['includeZero'] },
  unless: { block: true, arity: { exactly: 1 }, hash: ['includeZero'] },
  with: { block: true, arity: { exactly: 1 }, hash: [] },
  lookup: { block: false, arity: { exactly: 2 }, hash: [] },
  AND: { block: false, arity: { atLeast: 1 }, hash: [] },
  OR: { block: false, arity: { atLeast: 1 }, hash: [] },
  NOT: { block: false, arity: { exactly: 1 }, hash: [] },
  EQ: { block: false, arity: { exactly: 2 }, hash: [] },
  INCLUDES: { block: false, arity: { exactly: 2 }, hash: [] },
  CAPITALIZE: { block: false, arity: { exactly: 1 }, hash: [] },
  TRUNCATE: { block: false, arity: { exactly: 2 }, hash: [] },
  DEFAULT: { block: false, arity: { exactly: 2 }, hash: [] },
}

/** Gives the environment exactly the language's helpers, counting against the budget. */
export const installHelpers = (environment: typeof Handlebars, spent: Budget): void => {
  for (const name of ['log', 'helperMissing', 'blockHelperMissing']) environment.unregisterHelper(name)
  environment.registerHelper(ownHelpers)
  environment.registerHelper('each', eachWithin(spent, environment.createFrame))
}
