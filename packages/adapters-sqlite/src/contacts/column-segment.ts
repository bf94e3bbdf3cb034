import {
  compileSegment,
  isBuiltInProperty,
  type ResolvedGroups,
  type SegmentOperators,
} from '@posthorn/core/ports/storage'
import { columnValue, dates, dateValue, inDocument, ordinary, tagValue, truth } from '../columns/column-values.js'
import { inTime, type Read } from '../database/readers.js'
import type { Parameter } from '../database/statement.js'
import type { Sql } from '../records/sqlite-where.js'
import { documentWords } from './sqlite-segment.js'

/** Costs of a condition, ascending: equality with a rare value, a comparison, a search in a text, reading the document. */
const [equal, compare, search, read] = [0, 1, 2, 3] as const
type Cost = typeof equal | typeof compare | typeof search | typeof read

/** A condition on a row of `contact_columns`. */
export type ColumnSql = Sql & { readonly cost: Cost; readonly conditions: number }

/** With more conditions, or one that reads documents, a row takes longer than a call of `in_time()`, so every row calls it. */
const fewConditions = 30

/** The `check` (see `Read`) of a query that evaluates these conditions. */
export const checkFor = ({ check }: Pick<Read, 'check'>, conditions: readonly ColumnSql[]): Sql => {
  const isSlow = conditions.some(({ cost }) => cost === read)
  const sum = conditions.reduce((all, one) => all + one.conditions, 0)
  return { text: isSlow || sum > fewConditions ? inTime : check, parameters: [] }
}

const sql = (text: string, ...parameters: readonly Parameter[]): ColumnSql => ({
  ...{ text, parameters },
  ...{ cost: compare, conditions: 1 },
})
const searching = (text: string, ...parameters: readonly Parameter[]): ColumnSql => ({
  ...sql(text, ...parameters),
  cost: search,
})

const highest = (several: readonly ColumnSql[]): Cost =>
  several.reduce<Cost>((most, { cost }) => (cost > most ? cost : most), equal)

const joined = (several: readonly ColumnSql[], word: ' AND ' | ' OR ', none: string): ColumnSql => ({
  text: `(${several.map(({ text }) => text).join(word) || none})`,
  parameters: several.flatMap(({ parameters }) => parameters),
  cost: highest(several),
  conditions: several.reduce((sum, { conditions }) => sum + conditions, 0),
})

const any = (several: readonly ColumnSql[]) => joined(several, ' OR ', '0')
/** SQLite stops at the first condition that is false, so expensive conditions come last. */
export const all = (several: readonly ColumnSql[]): ColumnSql =>
  joined(
    several.toSorted((a, b) => a.cost - b.cost),
    ' AND ',
    '1',
  )

const ofDocument = ({ text, parameters }: Sql): ColumnSql => ({
  ...sql(`(SELECT ${text} FROM contacts WHERE _id = k.id)`, ...parameters),
  cost: read,
})

/** The condition on the column, or on the document for values that the column does not hold. */
const either = (column: ColumnSql, isElsewhere: string, document: Sql): ColumnSql => {
  const { text, parameters } = ofDocument(document)
  return any([column, sql(`(${isElsewhere} AND ${text})`, ...parameters)])
}

const day = 24 * 60 * 60_000

const words = (columnOf: (field: string) => string | undefined): SegmentOperators<ColumnSql> => {
  const columnOfCustom = (property: string) => (isBuiltInProperty(property) ? undefined : columnOf(property))
  /** The condition on the property's column, or on the document if it has none. */
  const of = (property: string, ofColumn: (column: string) => ColumnSql, document: Sql): ColumnSql => {
    const column = columnOfCustom(property)
    return column === undefined ? ofDocument(document) : ofColumn(column)
  }
  const isText = (column: string) => `${column} >= '${ordinary}'`
  const isInDocument = (column: string) => `${column} = '${inDocument}'`

  return {
    always: sql('1'),
    never: sql('0'),
    not: (one) => ({
      ...one,
      cost: one.cost === equal ? compare : one.cost,
      text: `CASE WHEN ${one.text} THEN 0 ELSE 1 END`,
    }),
    all,
    any,

    equal: (property, given) => {
      const document = documentWords.equal(property, given)
      const value = columnValue(given)
      return of(
        property,
        (column) =>
          value === inDocument
            ? either(sql('0'), isInDocument(column), document)
            : { ...sql(`${column} = ?`, value), cost: equal },
        document,
      )
    },
    containing: (property, text) => {
      const document = documentWords.containing(property, text)
      if (text === '') return ofDocument(document)
      const elsewhere = ofDocument(document)
      return of(
        property,
        (column) =>
          searching(
            `CASE WHEN ${column} < '${ordinary}' THEN ${column} > '' AND ${elsewhere.text} ELSE instr(${column}, ?) > 0 END`,
            ...[...elsewhere.parameters, text],
          ),
        document,
      )
    },
    compared: (property, comparison, given) =>
      of(
        property,
        (column) => sql(`(${column} ${comparison} ? AND ${column} < '')`, given),
        documentWords.compared(property, comparison, given),
      ),
    empty: (property) =>
      of(property, (column) => sql(`(${column} IS NULL OR ${column} = '')`), documentWords.empty(property)),
    isTrue: (property) => of(property, (column) => sql(`${column} = ?`, truth(true)), documentWords.isTrue(property)),
    tagged: (tag) => {
      const value = tagValue(tag)
      const found = value === undefined ? sql('0') : searching('instr(k.tags, ?) > 0', value)
      return either(found, isInDocument('k.tags'), documentWords.tagged(tag))
    },
    engaged: (how, since) =>
      since === undefined ? sql(`+k.${how} IS NOT NULL`) : sql(`+k.${how} >= ?`, Date.parse(since)),
    dated: (property, comparison, instant) => {
      if (property === 'createdAt') return sql(`k.created ${comparison} ?`, Date.parse(instant))
      const document = documentWords.dated(property, comparison, instant)
      return of(
        property,
        (column) =>
          either(
            sql(
              `(${column} ${comparison} ? AND ${column} >= '${dates.from}' AND ${column} < '${dates.to}')`,
              dateValue(instant),
            ),
            `(${isText(column)} OR ${isInDocument(column)})`,
            document,
          ),
        document,
      )
    },
    onDay: (property, date) => {
      const start = Date.parse(date)
      if (property === 'createdAt') return sql('(k.created >= ? AND k.created < ?)', start, start + day)
      const document = documentWords.onDay(property, date)
      return of(
        property,
        (column) =>
          either(
            sql(`(${column} >= ? AND ${column} < ?)`, dateValue(date), `${dateValue(date)}~`),
            `(${isText(column)} OR ${isInDocument(column)})`,
            document,
          ),
        document,
      )
    },
  }
}

/**
 * `matches(groups, contact, now)` as a WHERE condition on rows of `contact_columns k`. It uses no index: if many rows match, an index
 * look-up per row takes longer than a scan.
 * @param columnOf returns the column of a custom field, or undefined
 */
export const columnSegmentSql = (
  groups: ResolvedGroups,
  now: Date,
  columnOf: (field: string) => string | undefined,
): ColumnSql => compileSegment(words(columnOf))(groups, now)

/** The condition as a value: 1 or 0, never NULL. */
export const truthOf = ({ text, parameters }: Sql): Sql => ({ text: `CASE WHEN ${text} THEN 1 ELSE 0 END`, parameters })
