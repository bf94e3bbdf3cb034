import { z } from 'zod'
import type { Idempotency } from '../../idempotency/idempotent-requests.js'
import { type CooperativeQueue, largeTextThreshold } from '../../kernel/cooperative-queue.js'
import { parsed, violationsOf } from '../../kernel/parsed.js'
import type { Sleep } from '../../kernel/ports.js'
import { invalid, StoreUnavailable } from '../../kernel/refusal.js'
import type { Scope } from '../../kernel/scope.js'
import { Id } from '../../kernel/shapes.js'
import { jsonLengthUpTo } from '../../kernel/storable.js'
import { ContactFields } from '../contact.js'
import { asRecord, type ContactSchema } from '../contact-input.js'
import type { CustomFieldsOfProject } from '../custom-field.js'
import { type BulkContactRow, bulkRowReader, type InvalidBulkContactRow, shownEmailOfRow } from './bulk-rows.js'
import { ImportInterrupted, retryInHalves } from './contact-import.js'
import {
  type BatchUpsert,
  type EarlierUpsertAttempt,
  isUpserted,
  RowCounts,
  type UpsertOptions,
  type UpsertResult,
  upsertOutcomes,
  zeroRowCounts,
} from './contact-upserts.js'

export const mostBulkContactRows = 5_000

export const BulkContacts = z
  .strictObject({ contacts: z.array(ContactFields).max(mostBulkContactRows).describe('In order') })
  .meta({ id: 'BulkContacts' })
export type BulkContacts = z.input<typeof BulkContacts>

export const BulkQuery = z.strictObject({
  existing: z
    .enum(['update', 'skip'], 'expected update or skip')
    .default('update')
    .describe('For contacts that exist: `update` changes the given fields, `skip` changes nothing'),
  tags: z
    .enum(['replace', 'add'], 'expected replace or add')
    .default('replace')
    .describe('Whether given tags replace those of a known contact, or are added to them'),
})
export type BulkQuery = z.input<typeof BulkQuery>

const bulkRowStatuses = [...upsertOutcomes, 'failed'] as const

export const BulkRowResult = z.object({
  email: z.string().describe('The address as the row has it; empty if it has none'),
  status: z.enum(bulkRowStatuses).describe('unchanged: the row is stored already'),
  _id: Id.optional().describe('Of the contact, unless the row failed'),
  violations: z.array(z.string()).optional().describe('Why the row failed'),
})
export type BulkRowResult = z.output<typeof BulkRowResult>

export const bulkAnswerSchema = <R extends typeof BulkRowResult>(result: R) =>
  z.object({ counts: RowCounts, results: z.array(result).describe('One for each row, in order') })
export const BulkAnswer = bulkAnswerSchema(BulkRowResult).meta({ id: 'BulkAnswer' })
export type BulkAnswer = z.output<typeof BulkAnswer>

/** Without its rows, because a schema would read all of them in one step. */
const withoutRows = (body: unknown, name: string): unknown =>
  Array.isArray(asRecord(body)[name]) ? { ...asRecord(body), [name]: [] } : body
const withRows = (name: string) => z.strictObject({ [name]: z.array(z.unknown()) })

export const bulkViolations = (body: unknown, name: string) => violationsOf(withRows(name), withoutRows(body, name))

/** @throws Refusal `invalid` */
export const bulkRowsIn = (body: unknown, name: string): readonly unknown[] => {
  parsed(withRows(name), withoutRows(body, name))
  return asRecord(body)[name] as readonly unknown[]
}

type Answer<R> = { counts: RowCounts; results: R[] }
type Kept<R> = Omit<R, 'email'>
/** `isWhole`: all rows are stored. Null for rows that are not begun. */
type Progress<R> = { readonly results: readonly (Kept<R> | null)[]; readonly isWhole?: boolean }

export type BulkDeps = {
  readonly idempotency: Pick<Idempotency, 'progressOf' | 'reserveProgress' | 'keepProgress'>
  /** For texts that would keep other requests waiting. */
  readonly large: Pick<CooperativeQueue, 'step'>
  readonly fieldsOf: CustomFieldsOfProject
  readonly upsert: BatchUpsert
  readonly sleep: Sleep
}

/** Rows that are written together; fewer if they have many tags. */
const [batchSize, mostTagsInBatch] = [1_000, 10_000]
/** Weight of one step: 1 per plain row and per `bytesPerRow` bytes, `checkCost` per row that the schema checks. */
const [mostInStep, checkCost, bytesPerRow] = [250, 10, 256]
/** Bytes of a kept result. */
const resultSize = 80

const isWrong = (row: object): row is InvalidBulkContactRow => 'violations' in row

type WriteBulk<S extends ContactSchema, R extends BulkRowResult> = (
  rows: readonly BulkContactRow<S>[],
  earlier: Pick<UpsertOptions<BulkContactRow<S>>, 'expected'> & {
    readonly planned: (results: ReadonlyMap<BulkContactRow<S>, Kept<R>>) => Promise<void>
  },
) => Promise<ReadonlyMap<BulkContactRow<S>, Kept<R>>>

/**
 * Reads rows in short steps, writes them in batches. With an `Idempotency-Key`, stores the plan of a batch first: a
 * repetition after a crash finishes the rows and gives the same results.
 */
export const bulkRequestExecution = ({ idempotency, large, fieldsOf, sleep }: Omit<BulkDeps, 'upsert'>) => {
  const progressOf = async <R extends BulkRowResult>(scope: Scope): Promise<Progress<R> | undefined> => {
    const text = await idempotency.progressOf(scope)
    return text === undefined ? undefined : (JSON.parse(text) as Progress<R>)
  }

  const answerOf = <R extends BulkRowResult>(rows: readonly unknown[], kept: Progress<R>['results']): Answer<R> => {
    const counts = { ...zeroRowCounts }
    const results = rows.map((row, line) => {
      const result = kept[line] as Kept<R>
      counts[result.status as R['status']] += 1
      return { email: shownEmailOfRow(row), ...result } as unknown as R
    })
    return { counts, results }
  }

  return {
    /** @throws Refusal `invalid` for too many rows, `busy`; StoreUnavailable */
    run: async <S extends ContactSchema, R extends BulkRowResult>(
      scope: Scope,
      schema: S,
      rows: readonly unknown[],
      write: WriteBulk<S, R>,
    ): Promise<Answer<R>> => {
      if (rows.length > mostBulkContactRows)
        throw invalid(`A request takes ${mostBulkContactRows} rows at most, got ${rows.length}. Send several requests.`)
      const { projectId } = scope
      const before = await progressOf<R>(scope)
      if (!before) await idempotency.reserveProgress(scope, rows.length * resultSize)
      const results: (Kept<R> | null)[] = rows.map((_, line) => before?.results[line] ?? null)
      const read = bulkRowReader(schema, await fieldsOf(projectId))
      const expected = before && (({ line }: BulkContactRow<S>) => expectedOf(before.results[line]))
      const keep = (isWhole: boolean) => idempotency.keepProgress(scope, JSON.stringify({ results, isWhole }))
      const note = (some: ReadonlyMap<BulkContactRow<S>, Kept<R>>) => {
        for (const [{ line }, result] of some) results[line] = result
      }
      const planned = async (some: ReadonlyMap<BulkContactRow<S>, Kept<R>>) => {
        if (scope.requestId === undefined) return
        note(some)
        await keep(false)
      }
      for (let line = 0; line < rows.length; ) {
        const good: BulkContactRow<S>[] = []
        const end = Math.min(rows.length, line + batchSize)
        let tags = 0
        while (line < end && tags < mostTagsInBatch)
          line = await large.step(projectId, () => {
            let cost = 0
            for (; line < end && cost < mostInStep && tags < mostTagsInBatch; line += 1) {
              const plain = read.plain(rows[line], line)
              const row = plain ?? read.checked(rows[line], line)
              cost += (plain ? 1 : checkCost) + jsonLengthUpTo(rows[line], largeTextThreshold) / bytesPerRow
              if (isWrong(row))
                results[line] = { status: 'failed', violations: [...row.violations] } as unknown as Kept<R>
              else {
                good.push(row)
                tags += row.given.tags?.length ?? 0
              }
            }
            return line
          })
        try {
          note(await retryInHalves(good, (some) => write(some, { expected, planned }), sleep))
        } catch (error) {
          throw error instanceof ImportInterrupted ? new StoreUnavailable(error) : error
        }
      }
      if (scope.requestId !== undefined) await keep(true)
      return answerOf(rows, results)
    },

    /** The results of an earlier attempt that finished. */
    made: async <R extends BulkRowResult>(scope: Scope, rows: readonly unknown[]): Promise<Answer<R> | undefined> => {
      const progress = await progressOf<R>(scope)
      return progress?.isWhole ? answerOf(rows, progress.results) : undefined
    },
  }
}

const expectedOf = (result: Kept<BulkRowResult> | null | undefined): EarlierUpsertAttempt | undefined =>
  result?._id === undefined || result.status === 'failed'
    ? undefined
    : { outcome: result.status, contactId: result._id }

export const bulkContacts = (deps: BulkDeps) => {
  const requests = bulkRequestExecution(deps)
  return {
    /**
     * A row's error is its result.
     * @throws Refusal `invalid` for the options or too many rows, `busy` above the daily storage of Idempotency-Keys
     */
    run: async (scope: Scope, body: BulkContacts, options: BulkQuery = {}): Promise<BulkAnswer> => {
      const { existing, tags } = parsed(BulkQuery, options)
      return requests.run<typeof ContactFields, BulkRowResult>(
        scope,
        ContactFields,
        bulkRowsIn(body, 'contacts'),
        async (rows, { expected, planned }) => {
          const { projectId } = scope
          const results = await deps.upsert(rows, {
            ...{ projectId, existing, tags, expected },
            planned: (some) => planned(keptOf(some)),
          })
          return keptOf(results)
        },
      )
    },
    made: async (scope: Scope, body: BulkContacts): Promise<BulkAnswer | undefined> =>
      requests.made<BulkRowResult>(scope, bulkRowsIn(body, 'contacts')),
    /** Of the whole body; violations of a row are in its result. */
    violations: (body: unknown) => bulkViolations(body, 'contacts'),
  }
}

const keptOf = <Row>(results: ReadonlyMap<Row, UpsertResult>) =>
  new Map(
    [...results].map(([row, result]): [Row, Kept<BulkRowResult>] => [
      row,
      isUpserted(result)
        ? { status: result.outcome, _id: result.contact._id }
        : { status: 'failed', violations: [result.failure] },
    ]),
  )
