import {
  compileSegment,
  engagementDateFields,
  isBuiltInProperty,
  type ResolvedGroups,
  type SegmentQueryBuilder,
  type SubscriberStatus,
} from '@posthorn/core/ports/storage'
import { type ReadSqlRows, timeLimitCheckSql } from '../database/readers.js'
import { joinedSql, rawSql, type SqlFragment, sql, sqlJoinedByAnd } from '../database/sql.js'
import { jsonPath } from '../records/where-sql.js'
import { contactRecordMapping } from '../segment-index/segment-index.js'
import {
  dateIndexValue,
  indexedBoolean,
  indexedDateBounds,
  lowestOrdinaryText,
  segmentIndexColumnValue,
  subscriberStatusLetters,
  tagIndexValue,
  unindexedValueMark,
} from '../segment-index/segment-index-schema.js'

const pathOf = (property: string) =>
  isBuiltInProperty(property) ? jsonPath(property) : jsonPath('customFields', property)

const jsonValue = (property: string) => sql`json_extract(doc, ${pathOf(property)})`
const jsonType = (property: string) => sql`json_type(doc, ${pathOf(property)})`
/** Text in lower case, as `matchesSegment` compares it; NULL for other types. */
const inLowerCase = (property: string) => sql`lower_unicode(${jsonValue(property)})`

/** Checks the type, because SQLite reads true and false as 1 and 0. */
const compared = (property: string, comparison: string, given: number): SqlFragment =>
  sql`(${jsonValue(property)} ${rawSql(comparison)} ${given} AND ${jsonType(property)} IN ('integer', 'real'))`

export const documentSegmentQueryBuilder: SegmentQueryBuilder<SqlFragment> = {
  always: rawSql('1'),
  never: rawSql('0'),
  not: (one) => sql`CASE WHEN ${one} THEN 0 ELSE 1 END`,
  all: sqlJoinedByAnd,
  any: (several) =>
    sql`(${joinedSql(
      several.map((one) => sql`(${one})`),
      ' OR ',
      '0',
    )})`,
  equal: (property, given) => {
    if (typeof given === 'string') return sql`(${inLowerCase(property)} = ${given})`
    if (typeof given === 'number') return compared(property, '=', given)
    return sql`(${jsonType(property)} = ${String(given)})`
  },
  containing: (property, text) => sql`(instr(${inLowerCase(property)}, ${text}) > 0)`,
  compared,
  empty: (property) => sql`(coalesce(${jsonValue(property)}, '') = '')`,
  isTrue: (property) => sql`(${jsonType(property)} = 'true')`,
  tagged: (tag) => sql`EXISTS (SELECT 1 FROM json_each(doc, '$.tags') WHERE value = ${tag})`,
  engaged: (how, since) => {
    const column = rawSql(contactRecordMapping.columns.get(engagementDateFields[how]) ?? '')
    return since === undefined ? sql`(${column} IS NOT NULL)` : sql`(${column} >= ${since})`
  },
  /** Dates are chronologically sorting texts. Other texts remain from before the field's type changed. */
  dated: (property, comparison, instant) => {
    const value = jsonValue(property)
    return sql`(${value} ${rawSql(comparison)} ${instant} AND ${jsonType(property)} = 'text' AND ${value} <> '')`
  },
  onDay: (property, day) => sql`(substr(${jsonValue(property)}, 1, 10) = ${day})`,
}

const documentCondition = compileSegment(documentSegmentQueryBuilder)

export const oneOrZeroSql = (condition: SqlFragment): SqlFragment => sql`CASE WHEN ${condition} THEN 1 ELSE 0 END`

/** Never NULL. CASE, as SQLite short-circuits AND only in conditions. */
export const segmentSql = (groups: ResolvedGroups, now: Date): SqlFragment =>
  oneOrZeroSql(documentCondition(groups, now))

/** Equality with a rare value, comparison, search in a text, reading the document. */
const [equal, compare, search, read] = [0, 1, 2, 3] as const
type Cost = typeof equal | typeof compare | typeof search | typeof read
export type SegmentIndexSql = SqlFragment & { readonly cost: Cost; readonly conditions: number }

/** Beyond it, or when documents are read, `in_time()` is cheap enough for every row. */
const fewConditions = 30

const conditionsIn = (several: readonly SegmentIndexSql[]) =>
  several.reduce((sum, { conditions }) => sum + conditions, 0)

export const segmentTimeCheckSql = (
  { check }: Pick<ReadSqlRows, 'check'>,
  conditions: readonly SegmentIndexSql[],
): SqlFragment => {
  const isSlow = conditions.some(({ cost }) => cost === read) || conditionsIn(conditions) > fewConditions
  return isSlow ? timeLimitCheckSql : check
}

/** A constant of the index: SQLite plans and evaluates it once, unlike a bound value. */
const literal = (text: string): SqlFragment => rawSql(`'${text}'`)

const costing = (cost: Cost, condition: SqlFragment): SegmentIndexSql => ({ ...condition, cost, conditions: 1 })

/** A condition on columns of the index. */
const indexSql = (...template: Parameters<typeof sql>): SegmentIndexSql => costing(compare, sql(...template))

const joined = (several: readonly SegmentIndexSql[], word: ' AND ' | ' OR ', none: string): SegmentIndexSql => ({
  ...sql`(${joinedSql(several, word, none)})`,
  cost: several.reduce<Cost>((most, { cost }) => (cost > most ? cost : most), equal),
  conditions: conditionsIn(several),
})
const any = (several: readonly SegmentIndexSql[]) => joined(several, ' OR ', '0')

/** Cheap conditions first: SQLite stops at the first false one. */
export const joinedCheapestFirst = (several: readonly SegmentIndexSql[]): SegmentIndexSql =>
  joined(
    several.toSorted((a, b) => a.cost - b.cost),
    ' AND ',
    '1',
  )

const ofDocument = (condition: SqlFragment): SegmentIndexSql =>
  costing(read, sql`(SELECT ${condition} FROM contacts WHERE _id = k.id)`)

/** Documents have the values that are too long for the column. */
const either = (column: SegmentIndexSql, isElsewhere: SqlFragment, document: SqlFragment): SegmentIndexSql =>
  any([column, indexSql`(${isElsewhere} AND ${ofDocument(document)})`])

const day = 24 * 60 * 60_000

const indexWords = (columnOf: (field: string) => string | undefined): SegmentQueryBuilder<SegmentIndexSql> => {
  /** By the field's column, else by the document. */
  const of = (
    property: string,
    document: SqlFragment,
    ofColumn: (column: SqlFragment) => SegmentIndexSql,
  ): SegmentIndexSql => {
    const column = isBuiltInProperty(property) ? undefined : columnOf(property)
    return column === undefined ? ofDocument(document) : ofColumn(rawSql(column))
  }
  const isText = (column: SqlFragment) => sql`${column} >= ${literal(lowestOrdinaryText)}`
  const isInDocument = (column: SqlFragment) => sql`${column} = ${literal(unindexedValueMark)}`
  const mayBeInDocument = (column: SqlFragment) => sql`(${isText(column)} OR ${isInDocument(column)})`
  return {
    always: indexSql`1`,
    never: indexSql`0`,
    not: (one) => ({
      ...sql`CASE WHEN ${one} THEN 0 ELSE 1 END`,
      cost: one.cost === equal ? compare : one.cost,
      conditions: one.conditions,
    }),
    all: joinedCheapestFirst,
    any,
    equal: (property, given) => {
      const document = documentSegmentQueryBuilder.equal(property, given)
      const value = segmentIndexColumnValue(given)
      return of(property, document, (column) =>
        value === unindexedValueMark
          ? either(indexSql`0`, isInDocument(column), document)
          : costing(equal, sql`${column} = ${value}`),
      )
    },
    containing: (property, text) => {
      const document = documentSegmentQueryBuilder.containing(property, text)
      if (text === '') return ofDocument(document)
      return of(property, document, (column) =>
        costing(
          search,
          sql`CASE WHEN ${column} < ${literal(lowestOrdinaryText)} THEN ${column} > '' AND ${ofDocument(document)} ELSE instr(${column}, ${text}) > 0 END`,
        ),
      )
    },
    compared: (property, comparison, given) =>
      of(
        property,
        documentSegmentQueryBuilder.compared(property, comparison, given),
        (column) => indexSql`(${column} ${rawSql(comparison)} ${given} AND ${column} < '')`,
      ),
    empty: (property) =>
      of(
        property,
        documentSegmentQueryBuilder.empty(property),
        (column) => indexSql`(${column} IS NULL OR ${column} = '')`,
      ),
    isTrue: (property) =>
      of(
        property,
        documentSegmentQueryBuilder.isTrue(property),
        (column) => indexSql`${column} = ${indexedBoolean(true)}`,
      ),
    tagged: (tag) => {
      const value = tagIndexValue(tag)
      const found = value === undefined ? indexSql`0` : costing(search, sql`instr(k.tags, ${value}) > 0`)
      return either(found, isInDocument(rawSql('k.tags')), documentSegmentQueryBuilder.tagged(tag))
    },
    engaged: (how, since) =>
      since === undefined
        ? indexSql`+k.${rawSql(how)} IS NOT NULL`
        : indexSql`+k.${rawSql(how)} >= ${Date.parse(since)}`,
    dated: (property, comparison, instant) => {
      if (property === 'createdAt') return indexSql`k.created ${rawSql(comparison)} ${Date.parse(instant)}`
      const document = documentSegmentQueryBuilder.dated(property, comparison, instant)
      const [from, to] = [literal(indexedDateBounds.from), literal(indexedDateBounds.to)]
      return of(property, document, (column) =>
        either(
          indexSql`(${column} ${rawSql(comparison)} ${dateIndexValue(instant)} AND ${column} >= ${from} AND ${column} < ${to})`,
          mayBeInDocument(column),
          document,
        ),
      )
    },
    onDay: (property, date) => {
      const start = Date.parse(date)
      if (property === 'createdAt') return indexSql`(k.created >= ${start} AND k.created < ${start + day})`
      const document = documentSegmentQueryBuilder.onDay(property, date)
      const from = dateIndexValue(date)
      return of(property, document, (column) =>
        either(indexSql`(${column} >= ${from} AND ${column} < ${`${from}~`})`, mayBeInDocument(column), document),
      )
    },
  }
}

/** On `segment_index k`, without an index: a scan is faster if many rows match. */
export const segmentIndexCondition = (
  groups: ResolvedGroups,
  now: Date,
  columnOf: (field: string) => string | undefined,
): SegmentIndexSql => compileSegment(indexWords(columnOf))(groups, now)

/** A list without a short key has no members. */
const nobody = rawSql('0')

const standsAs = (key: number, status: SubscriberStatus) =>
  sql`instr(k.lists, ${`|${key}:${subscriberStatusLetters[status]}|`}) > 0`

const onAny = (key: number) => sql`instr(k.lists, ${`|${key}:`}) > 0`

/** With this current status, if given. `key`: the list's short key. */
export const memberSql = (
  key: number | undefined,
  subscriberListId: string,
  status: SubscriberStatus | undefined,
  now: string,
): SqlFragment => {
  if (key === undefined) return nobody
  if (status === undefined) return onAny(key)
  const stored = standsAs(key, status)
  // Whether the pause is over; only the membership has its end.
  const isOver = sql`EXISTS (SELECT 1 FROM subscribers WHERE "subscriberListId" = ${subscriberListId} AND "contactId" = k.id AND "pausedUntil" <= ${now})`
  if (status === 'paused') return sql`(${stored} AND NOT ${isOver})`
  return status === 'active' ? sql`(${stored} OR (${standsAs(key, 'paused')} AND ${isOver}))` : stored
}

export const onAnyListSql = (keys: readonly (number | undefined)[]): SqlFragment => {
  const lists = keys.filter((key) => key !== undefined).map(onAny)
  return sql`(${joinedSql(lists, ' OR ', nobody.text)})`
}
