import {
  compileSegment,
  engagementDateFields,
  isBuiltInProperty,
  type ResolvedGroups,
  type SegmentQueryBuilder,
  type SubscriberStatus,
} from '@posthorn/core/ports/storage'
import type { SqlParameter } from '../database/connection.js'
import { type ReadSqlRows, timeLimitCheckSql } from '../database/readers.js'
import { jsonPath, type SqlFragment, sqlJoinedByAnd } from '../records/where-sql.js'
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

const documentSql = (text: string, ...parameters: readonly SqlParameter[]): SqlFragment => ({ text, parameters })

const pathOf = (property: string) =>
  isBuiltInProperty(property) ? jsonPath(property) : jsonPath('customFields', property)

/** Text in lower case, as `matchesSegment` compares it; NULL for other types. */
const inLowerCase = 'lower_unicode(json_extract(doc, ?))'

/** Checks the type, because SQLite reads true and false as 1 and 0. */
const compared = (property: string, comparison: string, given: number): SqlFragment => {
  const path = pathOf(property)
  return documentSql(
    `(json_extract(doc, ?) ${comparison} ? AND json_type(doc, ?) IN ('integer', 'real'))`,
    ...[path, given, path],
  )
}

export const documentSegmentQueryBuilder: SegmentQueryBuilder<SqlFragment> = {
  always: documentSql('1'),
  never: documentSql('0'),
  not: ({ text, parameters }) => documentSql(`CASE WHEN ${text} THEN 0 ELSE 1 END`, ...parameters),
  all: sqlJoinedByAnd,
  any: (several) =>
    documentSql(
      `(${several.map(({ text }) => `(${text})`).join(' OR ') || '0'})`,
      ...several.flatMap(({ parameters }) => parameters),
    ),

  equal: (property, given) => {
    if (typeof given === 'string') return documentSql(`(${inLowerCase} = ?)`, pathOf(property), given)
    if (typeof given === 'number') return compared(property, '=', given)
    return documentSql('(json_type(doc, ?) = ?)', pathOf(property), String(given))
  },
  containing: (property, text) => documentSql(`(instr(${inLowerCase}, ?) > 0)`, pathOf(property), text),
  compared,
  empty: (property) => documentSql(`(coalesce(json_extract(doc, ?), '') = '')`, pathOf(property)),
  isTrue: (property) => documentSql(`(json_type(doc, ?) = 'true')`, pathOf(property)),
  tagged: (tag) => documentSql(`EXISTS (SELECT 1 FROM json_each(doc, '$.tags') WHERE value = ?)`, tag),
  engaged: (how, since) => {
    const column = contactRecordMapping.columns.get(engagementDateFields[how])
    return since === undefined ? documentSql(`(${column} IS NOT NULL)`) : documentSql(`(${column} >= ?)`, since)
  },
  /** Dates are chronologically sorting texts. Other texts remain from before the field's type changed. */
  dated: (property, comparison, instant) => {
    const path = pathOf(property)
    return documentSql(
      `(json_extract(doc, ?) ${comparison} ? AND json_type(doc, ?) = 'text' AND json_extract(doc, ?) <> '')`,
      ...[path, instant, path, path],
    )
  },
  onDay: (property, day) => documentSql(`(substr(json_extract(doc, ?), 1, 10) = ?)`, pathOf(property), day),
}

const documentCondition = compileSegment(documentSegmentQueryBuilder)

/** Never NULL. CASE, as SQLite short-circuits AND only in conditions. */
export const segmentSql = (groups: ResolvedGroups, now: Date): SqlFragment => {
  const { text, parameters } = documentCondition(groups, now)
  return documentSql(`CASE WHEN ${text} THEN 1 ELSE 0 END`, ...parameters)
}

/** Equality with a rare value, comparison, search in a text, reading the document. */
const [equal, compare, search, read] = [0, 1, 2, 3] as const
type Cost = typeof equal | typeof compare | typeof search | typeof read

export type SegmentIndexSql = SqlFragment & { readonly cost: Cost; readonly conditions: number }

/** Beyond it, or when documents are read, `in_time()` is cheap enough for every row. */
const fewConditions = 30

export const segmentTimeCheckSql = (
  { check }: Pick<ReadSqlRows, 'check'>,
  conditions: readonly SegmentIndexSql[],
): SqlFragment => {
  const isSlow = conditions.some(({ cost }) => cost === read)
  const sum = conditions.reduce((all, one) => all + one.conditions, 0)
  return { text: isSlow || sum > fewConditions ? timeLimitCheckSql : check, parameters: [] }
}

const indexSql = (text: string, ...parameters: readonly SqlParameter[]): SegmentIndexSql => ({
  ...{ text, parameters },
  ...{ cost: compare, conditions: 1 },
})
const searching = (text: string, ...parameters: readonly SqlParameter[]): SegmentIndexSql => ({
  ...indexSql(text, ...parameters),
  cost: search,
})

const highest = (several: readonly SegmentIndexSql[]): Cost =>
  several.reduce<Cost>((most, { cost }) => (cost > most ? cost : most), equal)

const joined = (several: readonly SegmentIndexSql[], word: ' AND ' | ' OR ', none: string): SegmentIndexSql => ({
  text: `(${several.map(({ text }) => text).join(word) || none})`,
  parameters: several.flatMap(({ parameters }) => parameters),
  cost: highest(several),
  conditions: several.reduce((sum, { conditions }) => sum + conditions, 0),
})

const any = (several: readonly SegmentIndexSql[]) => joined(several, ' OR ', '0')
/** Cheap conditions first: SQLite stops at the first false one. */
export const joinedCheapestFirst = (several: readonly SegmentIndexSql[]): SegmentIndexSql =>
  joined(
    several.toSorted((a, b) => a.cost - b.cost),
    ' AND ',
    '1',
  )

const ofDocument = ({ text, parameters }: SqlFragment): SegmentIndexSql => ({
  ...indexSql(`(SELECT ${text} FROM contacts WHERE _id = k.id)`, ...parameters),
  cost: read,
})

/** Documents have the values that are too long for the column. */
const either = (column: SegmentIndexSql, isElsewhere: string, document: SqlFragment): SegmentIndexSql => {
  const { text, parameters } = ofDocument(document)
  return any([column, indexSql(`(${isElsewhere} AND ${text})`, ...parameters)])
}

const day = 24 * 60 * 60_000

const indexWords = (columnOf: (field: string) => string | undefined): SegmentQueryBuilder<SegmentIndexSql> => {
  const columnOfCustom = (property: string) => (isBuiltInProperty(property) ? undefined : columnOf(property))
  const of = (
    property: string,
    ofColumn: (column: string) => SegmentIndexSql,
    document: SqlFragment,
  ): SegmentIndexSql => {
    const column = columnOfCustom(property)
    return column === undefined ? ofDocument(document) : ofColumn(column)
  }
  const isText = (column: string) => `${column} >= '${lowestOrdinaryText}'`
  const isInDocument = (column: string) => `${column} = '${unindexedValueMark}'`

  return {
    always: indexSql('1'),
    never: indexSql('0'),
    not: (one) => ({
      ...one,
      cost: one.cost === equal ? compare : one.cost,
      text: `CASE WHEN ${one.text} THEN 0 ELSE 1 END`,
    }),
    all: joinedCheapestFirst,
    any,

    equal: (property, given) => {
      const document = documentSegmentQueryBuilder.equal(property, given)
      const value = segmentIndexColumnValue(given)
      return of(
        property,
        (column) =>
          value === unindexedValueMark
            ? either(indexSql('0'), isInDocument(column), document)
            : { ...indexSql(`${column} = ?`, value), cost: equal },
        document,
      )
    },
    containing: (property, text) => {
      const document = documentSegmentQueryBuilder.containing(property, text)
      if (text === '') return ofDocument(document)
      const elsewhere = ofDocument(document)
      return of(
        property,
        (column) =>
          searching(
            `CASE WHEN ${column} < '${lowestOrdinaryText}' THEN ${column} > '' AND ${elsewhere.text} ELSE instr(${column}, ?) > 0 END`,
            ...[...elsewhere.parameters, text],
          ),
        document,
      )
    },
    compared: (property, comparison, given) =>
      of(
        property,
        (column) => indexSql(`(${column} ${comparison} ? AND ${column} < '')`, given),
        documentSegmentQueryBuilder.compared(property, comparison, given),
      ),
    empty: (property) =>
      of(
        property,
        (column) => indexSql(`(${column} IS NULL OR ${column} = '')`),
        documentSegmentQueryBuilder.empty(property),
      ),
    isTrue: (property) =>
      of(
        property,
        (column) => indexSql(`${column} = ?`, indexedBoolean(true)),
        documentSegmentQueryBuilder.isTrue(property),
      ),
    tagged: (tag) => {
      const value = tagIndexValue(tag)
      const found = value === undefined ? indexSql('0') : searching('instr(k.tags, ?) > 0', value)
      return either(found, isInDocument('k.tags'), documentSegmentQueryBuilder.tagged(tag))
    },
    engaged: (how, since) =>
      since === undefined ? indexSql(`+k.${how} IS NOT NULL`) : indexSql(`+k.${how} >= ?`, Date.parse(since)),
    dated: (property, comparison, instant) => {
      if (property === 'createdAt') return indexSql(`k.created ${comparison} ?`, Date.parse(instant))
      const document = documentSegmentQueryBuilder.dated(property, comparison, instant)
      return of(
        property,
        (column) =>
          either(
            indexSql(
              `(${column} ${comparison} ? AND ${column} >= '${indexedDateBounds.from}' AND ${column} < '${indexedDateBounds.to}')`,
              dateIndexValue(instant),
            ),
            `(${isText(column)} OR ${isInDocument(column)})`,
            document,
          ),
        document,
      )
    },
    onDay: (property, date) => {
      const start = Date.parse(date)
      if (property === 'createdAt') return indexSql('(k.created >= ? AND k.created < ?)', start, start + day)
      const document = documentSegmentQueryBuilder.onDay(property, date)
      return of(
        property,
        (column) =>
          either(
            indexSql(`(${column} >= ? AND ${column} < ?)`, dateIndexValue(date), `${dateIndexValue(date)}~`),
            `(${isText(column)} OR ${isInDocument(column)})`,
            document,
          ),
        document,
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

export const oneOrZeroSql = ({ text, parameters }: SqlFragment): SqlFragment => ({
  text: `CASE WHEN ${text} THEN 1 ELSE 0 END`,
  parameters,
})

/** A list without a short key has no members. */
const nobody: SqlFragment = { text: '0', parameters: [] }

const standsAs = (key: number, status: SubscriberStatus): SqlFragment => ({
  text: 'instr(k.lists, ?) > 0',
  parameters: [`|${key}:${subscriberStatusLetters[status]}|`],
})

/** Whether the pause is over; only the membership has its end. */
const isOver = (subscriberListId: string, now: string): SqlFragment => ({
  text: `EXISTS (SELECT 1 FROM subscribers WHERE "subscriberListId" = ? AND "contactId" = k.id AND "pausedUntil" <= ?)`,
  parameters: [subscriberListId, now],
})

const onAny = (key: number): SqlFragment => ({ text: 'instr(k.lists, ?) > 0', parameters: [`|${key}:`] })

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
  if (status !== 'active' && status !== 'paused') return stored
  const [paused, over] = [standsAs(key, 'paused'), isOver(subscriberListId, now)]
  if (status === 'paused')
    return { text: `(${paused.text} AND NOT ${over.text})`, parameters: [...paused.parameters, ...over.parameters] }
  return {
    text: `(${stored.text} OR (${paused.text} AND ${over.text}))`,
    parameters: [...stored.parameters, ...paused.parameters, ...over.parameters],
  }
}

export const onAnyListSql = (keys: readonly (number | undefined)[]): SqlFragment => {
  const lists = keys.filter((key) => key !== undefined).map(onAny)
  if (lists.length === 0) return nobody
  return { text: `(${lists.map(({ text }) => text).join(' OR ')})`, parameters: lists.flatMap((one) => one.parameters) }
}
