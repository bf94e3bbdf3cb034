import type { Db, Document } from 'mongodb'
import type { Indexes } from '../../src/schema/indexes.js'

/** What a command looks for in a collection: that of it which the server can explain. */
export type Question = { readonly collection: string; readonly filter: unknown; readonly explained: Document }

const shapeOf = (value: unknown): unknown => {
  if (value instanceof Map) return shapeOf(Object.fromEntries(value))
  if (Array.isArray(value)) return [...new Set(value.map((one) => JSON.stringify(shapeOf(one))))]
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]))
}

const partsOf = (command: Document, names: readonly string[]): Document =>
  Object.fromEntries(names.flatMap((name) => (command[name] === undefined ? [] : [[name, command[name]]])))

/** How each command that looks for something is explained, in a table: one that is not in it looks for nothing. */
const questionsOf: Readonly<Record<string, (command: Document) => readonly Question[]>> = {
  find: (command) => [
    {
      collection: command.find,
      filter: command.filter,
      explained: partsOf(command, ['find', 'filter', 'sort', 'projection', 'limit', 'skip', 'hint']),
    },
  ],
  aggregate: (command) => [
    {
      collection: command.aggregate,
      filter: command.pipeline[0]?.$match,
      explained: { ...partsOf(command, ['aggregate', 'pipeline']), cursor: {} },
    },
  ],
  distinct: (command) => [
    { collection: command.distinct, filter: command.query, explained: partsOf(command, ['distinct', 'key', 'query']) },
  ],
  findAndModify: (command) => [
    {
      collection: command.findAndModify,
      filter: command.query,
      explained: partsOf(command, ['findAndModify', 'query', 'sort', 'update', 'remove', 'upsert', 'arrayFilters']),
    },
  ],
  update: (command) =>
    command.updates.map((one: Document) => ({
      collection: command.update,
      filter: one.q,
      explained: { update: command.update, updates: [one] },
    })),
  delete: (command) =>
    command.deletes.map((one: Document) => ({
      collection: command.delete,
      filter: one.q,
      explained: { delete: command.delete, deletes: [one] },
    })),
}

/** Listens to a client, which has to be opened with `monitorCommands=true`, and keeps one question of each shape. */
export const queryShapes = () => {
  const questions = new Map<string, Question>()
  return {
    listen: ({ client }: Db): void => {
      client.on('commandStarted', ({ commandName, command }) => {
        for (const question of questionsOf[commandName]?.(command) ?? []) {
          const shape = `${commandName} ${question.collection} ${JSON.stringify(shapeOf(question.explained))}`
          if (!questions.has(shape)) questions.set(shape, question)
        }
      })
    },
    all: (): readonly Question[] => [...questions.values()],
  }
}

const isObject = (value: unknown): value is Document => typeof value === 'object' && value !== null

/** What all of several filters ask something of. */
const fieldsOfAll = ([first, ...others]: readonly Document[]): readonly string[] =>
  first ? fieldsOf(first).filter((field) => others.every((other) => fieldsOf(other).includes(field))) : []

/** The fields that a filter asks something of, whatever else it asks. */
const fieldsOf = (filter: Document): readonly string[] =>
  Object.entries(filter).flatMap(([key, value]) => {
    if (key === '$and') return value.flatMap(fieldsOf)
    if (key === '$or') return fieldsOfAll(value)
    return key.startsWith('$') ? [] : [key]
  })

/** Those questions of which no index begins with a field that they ask for: no server could answer them but by reading everything. */
export const unled = (questions: readonly Question[], indexes: Indexes): readonly string[] =>
  questions
    .filter(({ collection, filter }) => {
      if (!isObject(filter) || Object.keys(filter).length === 0) return false
      const asked = new Set(fieldsOf(filter))
      return ![{ key: { _id: 1 } }, ...(indexes[collection] ?? [])].some(({ key }) =>
        asked.has(Object.keys(key)[0] ?? ''),
      )
    })
    .map(({ explained }) => JSON.stringify(explained))

/** The plans of each planner that was asked, the chosen one first: there is one for each stage of a pipeline and each shard. */
const plansOf = (explained: unknown): readonly (readonly Document[])[] => {
  if (!isObject(explained)) return []
  const { winningPlan, rejectedPlans = [], ...others } = explained
  return [
    ...(isObject(winningPlan) ? [[winningPlan, ...(rejectedPlans as Document[])]] : []),
    ...Object.values(others).flatMap(plansOf),
  ]
}

const stagesOf = (plan: unknown): readonly Document[] => {
  if (!isObject(plan)) return []
  return [...('stage' in plan ? [plan] : []), ...Object.values(plan).flatMap(stagesOf)]
}

/** Whether the index is read from one end to the other: where nothing is asked of its first field. */
const isWalk = ({ stage, indexBounds }: Document): boolean => {
  const [first] = stage === 'IXSCAN' && isObject(indexBounds) ? Object.values(indexBounds) : []
  return JSON.stringify(first) === '["[MinKey, MaxKey]"]'
}

const excessOf = (plan: Document): string | undefined => {
  const stages = stagesOf(plan)
  if (stages.some(({ stage }) => stage === 'COLLSCAN')) return 'reads the whole collection'
  const walked = stages.find(isWalk)
  return walked && `reads the whole index ${String(walked.indexName)}`
}

/**
 * Why all plans that the server knows read more than they were asked for; undefined where one is led by an index. In a collection
 * with nothing in it they are equal, and which of them is chosen tells nothing.
 */
export const excess = (explained: Document): string | undefined => {
  const planners = plansOf(explained)
  if (planners.length === 0) return 'no plan was explained'
  return planners
    .map((plans) => plans.map(excessOf))
    .find((reasons) => reasons.every((reason) => reason !== undefined))?.[0]
}

/** Those questions for which a whole collection, or index, is read, though not all of it is asked for. */
export const excessive = async (db: Db, questions: readonly Question[]): Promise<readonly string[]> => {
  const found: string[] = []
  for (const { filter, explained } of questions) {
    if (!isObject(filter) || Object.keys(filter).length === 0) continue
    const reason = excess(await db.command({ explain: explained, verbosity: 'queryPlanner' }))
    if (reason) found.push(`${reason}: ${JSON.stringify(explained)}`)
  }
  return found
}
