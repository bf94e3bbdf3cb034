import type { Delivery } from '@posthorn/core/ports/storage'
import type { LedgerDocumentChange, LedgerStep, StepEffects, StepPlan } from './step.js'

type Row = Readonly<Record<string, unknown>>

/** `begin`: common prefix; `at`: rows with the field, if not all. */
type Column = { readonly values: readonly unknown[]; readonly begin?: string; readonly at?: readonly number[] }

export type PackedStepRows = {
  readonly n: number
  readonly same: Row
  readonly each: Readonly<Record<string, Column>>
  readonly like: Readonly<Record<string, string>>
  readonly inner: Readonly<Record<string, PackedStepRows>>
  readonly lists: Readonly<Record<string, readonly PackedStepRows[]>>
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (typeof one === 'object' &&
    one !== null &&
    typeof other === 'object' &&
    other !== null &&
    JSON.stringify(one) === JSON.stringify(other))

const commonBegin = (texts: readonly string[]): string => {
  let begin = texts[0] ?? ''
  for (const text of texts) while (!text.startsWith(begin)) begin = begin.slice(0, -1)
  // BSON cannot store half a surrogate pair.
  return begin.replace(/[\uD800-\uDBFF]$/, '')
}

const columnOf = (values: readonly unknown[], at: readonly number[], n: number): Column => {
  const some = at.length < n && { at }
  if (!values.every((value) => typeof value === 'string')) return { values, ...some }
  const begin = commonBegin(values)
  return begin === '' ? { values, ...some } : { values: values.map((text) => text.slice(begin.length)), begin, ...some }
}

const valuesOf = ({ values, begin = '' }: Column): readonly unknown[] =>
  begin === '' ? values : values.map((value) => `${begin}${String(value)}`)

const isListOfRows = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRow)

export const packedStepRows = (rows: readonly Row[]): PackedStepRows => {
  const n = rows.length
  const same: Record<string, unknown> = {}
  const each: Record<string, Column> = {}
  const like: Record<string, string> = {}
  const inner: Record<string, PackedStepRows> = {}
  const lists: Record<string, readonly PackedStepRows[]> = {}
  const asTheyStand = new Map<string, readonly unknown[]>()
  for (const key of new Set(rows.flatMap((row) => Object.keys(row)))) {
    const at = rows.flatMap((row, place) => (row[key] === undefined ? [] : [place]))
    const values = at.map((place) => rows[place]?.[key])
    const [first] = values
    if (values.length === 0) continue
    const isWhole = values.length === n
    if (isWhole && values.every((value) => isSame(value, first))) same[key] = first
    else if (isWhole && values.every(isRow)) inner[key] = packedStepRows(values)
    else if (isWhole && values.every(isListOfRows) && values.every(({ length }) => length === (first as []).length))
      lists[key] = (first as []).map((_, place) => packedStepRows(values.map((list) => list[place] as Row)))
    else {
      const known = isWhole
        ? [...asTheyStand].find(([, others]) => others.every((other, place) => isSame(other, values[place])))
        : undefined
      if (known) like[key] = known[0]
      else each[key] = columnOf(values, at, n)
      if (isWhole && !known) asTheyStand.set(key, values)
    }
  }
  return { n, same, each, like, inner, lists }
}

export const unpackedStepRows = ({ n, same, each, like, inner, lists }: PackedStepRows): readonly Row[] => {
  const rows = Array.from({ length: n }, (): Record<string, unknown> => ({ ...same }))
  const put = (key: string, values: readonly unknown[], at?: readonly number[]) => {
    for (const [index, value] of values.entries()) {
      const row = rows[at ? (at[index] ?? -1) : index]
      if (row) row[key] = value
    }
  }
  for (const [key, column] of Object.entries(each)) put(key, valuesOf(column), column.at)
  for (const [key, other] of Object.entries(like)) put(key, valuesOf(each[other] ?? { values: [] }))
  for (const [key, one] of Object.entries(inner)) put(key, unpackedStepRows(one))
  for (const [key, several] of Object.entries(lists)) {
    const places = several.map(unpackedStepRows)
    put(
      key,
      rows.map((_, row) => places.map((place) => place[row])),
    )
  }
  return rows
}

type StoredEffects = Omit<StepEffects, 'deliveries'> & { readonly rows?: PackedStepRows }
type StoredMove = Omit<LedgerDocumentChange, 'brings'> & { readonly brings?: StoredEffects }

/** A plan whose many deliveries (`rows`) and moves (`outcomes`) are packed. */
type StoredPlan = Omit<StepPlan, 'lock' | 'about' | 'moves' | 'brings'> & {
  readonly brings?: StoredEffects
  readonly moves?: readonly StoredMove[]
  readonly outcomes?: PackedStepRows
}

export type StoredStep = Omit<LedgerStep, 'plan'> & { readonly plan: StoredPlan }

const storedEffects = ({ deliveries = [], ...effects }: StepEffects): StoredEffects => ({
  ...effects,
  ...(deliveries.length > 0 && { rows: packedStepRows(deliveries) }),
})

const effectsOf = ({ rows, ...effects }: StoredEffects): StepEffects => ({
  ...effects,
  ...(rows && { deliveries: unpackedStepRows(rows) as readonly Delivery[] }),
})

const storedMove = ({ brings, ...move }: LedgerDocumentChange): StoredMove => ({
  ...move,
  ...(brings && { brings: storedEffects(brings) }),
})
const moveOf = ({ brings, ...move }: StoredMove): LedgerDocumentChange => ({
  ...move,
  ...(brings && { brings: effectsOf(brings) }),
})

export const storedStep = ({ plan: { moves = [], brings, ...plan }, ...step }: LedgerStep): StoredStep => {
  const outcomes = moves.filter((move) => move.in === 'deliveries')
  const others = moves.filter((move) => move.in !== 'deliveries')
  return {
    ...step,
    plan: {
      ...plan,
      ...(brings && { brings: storedEffects(brings) }),
      ...(others.length > 0 && { moves: others.map(storedMove) }),
      ...(outcomes.length > 0 && { outcomes: packedStepRows(outcomes) }),
    },
  }
}

export const ledgerStepOf = ({ plan: { moves = [], outcomes, brings, ...plan }, ...step }: StoredStep): LedgerStep => {
  const all = [
    ...moves.map(moveOf),
    ...(outcomes ? (unpackedStepRows(outcomes) as unknown as readonly LedgerDocumentChange[]) : []),
  ]
  return {
    ...step,
    plan: { ...plan, ...(brings && { brings: effectsOf(brings) }), ...(all.length > 0 && { moves: all }) },
  }
}
