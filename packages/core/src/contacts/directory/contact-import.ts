import { z } from 'zod'
import { chunked } from '../../kernel/listing.js'
import { parsed } from '../../kernel/parsed.js'
import type { Runtime, Sleep } from '../../kernel/ports.js'
import { isBusyRefusal, Refusal } from '../../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor } from '../../kernel/repository.js'
import type { Scope } from '../../kernel/scope.js'
import { ImportedMembership, newSubscriber } from '../../lists/subscriber.js'
import type { SubscriberList } from '../../lists/subscriber-list.js'
import type { Contact } from '../contact.js'
import type { CustomField } from '../custom-field.js'
import type { ContactDirectory } from './contact-directory.js'
import {
  type BatchUpsert,
  isUpserted,
  type UpsertOutcome,
  type UpsertResult,
  type UpsertRow,
} from './contact-upserts.js'
import { importRowReader } from './import-rows.js'

/** In rows; then a failing store ends the import. */
const smallestSlice = 125
/** In ms. */
const retryPause = 1_000

/** Rows before `line` may be imported; repeating the import adds the others. */
export class ImportInterrupted extends Error {
  override readonly name = 'ImportInterrupted'

  constructor(
    readonly line: number,
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(`The import stopped at line ${line} because the store failed: ${reason}`, { cause })
  }
}

/** Retries a failing store once, then with half the rows. Rows may be written twice. @throws ImportInterrupted */
export const retryInHalves = async <Row extends { readonly line: number }, Result>(
  rows: readonly Row[],
  write: (some: readonly Row[]) => Promise<ReadonlyMap<Row, Result>>,
  sleep: Sleep,
): Promise<ReadonlyMap<Row, Result>> => {
  const results = new Map<Row, Result>()
  let size = rows.length
  let failures = 0
  for (let from = 0; from < rows.length; ) {
    const slice = rows.slice(from, from + size)
    try {
      for (const [row, result] of await write(slice)) results.set(row, result)
      from += slice.length
      failures = 0
    } catch (error) {
      if (error instanceof Refusal && !isBusyRefusal(error)) throw error
      failures += 1
      if (failures > 1 && size <= smallestSlice) throw new ImportInterrupted(slice[0]?.line ?? 0, error)
      if (failures > 1) size = Math.ceil(size / 2)
      await sleep(retryPause)
    }
  }
  return results
}

/** `line` is for reports. */
export type ImportRow = {
  readonly line: number
  readonly values: Readonly<Record<string, unknown>>
  /** Of a contact who is not on the list yet, instead of the status of all. */
  readonly membership?: ImportedMembership
}

type Row = UpsertRow & { readonly own?: ImportedMembership }

/** The result for a row. */
export type ImportRowResult =
  | { readonly line: number; readonly ok: true; readonly outcome: UpsertOutcome }
  | { readonly line: number; readonly ok: false; readonly error: string }

export const ContactImportOptions = z.strictObject({
  subscriberListId: z.string().optional(),
  status: z.enum(['active', 'unverified']).default('active'),
  /** The import of a file, which keeps how these people agreed. */
  importId: z.string().optional(),
  /** `keep`: also takes suppressed contacts; they still get no mail. */
  suppressed: z.enum(['refuse', 'keep']).default('refuse'),
  /** Whether given tags replace those of a known contact, or are added to them. */
  tags: z.enum(['replace', 'add']).default('replace'),
})
export type ContactImportOptions = z.input<typeof ContactImportOptions>

export type ContactImportDeps = Pick<Runtime, 'clock' | 'newId' | 'sleep'> & {
  readonly repositories: RepositoriesFor<{ subscriberLists: SubscriberList }>
  readonly contactDirectory: Pick<ContactDirectory, 'fieldsOf'>
  readonly upsert: BatchUpsert
}

const batchSize = 1000
/** Rows read before other work runs; an invalid row counts as `wrongRowCost`. */
const [mostInStep, wrongRowCost] = [250, 10]
/** In characters, to limit memory. */
const longestBatch = 4_000_000

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const addressesOf = (rows: readonly UpsertRow[]): ReadonlySet<string> => new Set(rows.map(({ emailKey }) => emailKey))

const lengthOf = ({ values }: ImportRow): number => {
  let length = 0
  for (const value of Object.values(values)) if (typeof value === 'string') length += value.length
  return length
}

/** The last batch and batches of long rows may be smaller. */
const resized = async function* (batches: AsyncIterable<readonly ImportRow[]>): AsyncGenerator<readonly ImportRow[]> {
  let rows: ImportRow[] = []
  let length = 0
  for await (const batch of batches)
    for (const row of batch) {
      rows.push(row)
      length += lengthOf(row)
      if (rows.length < batchSize && length < longestBatch) continue
      yield rows
      rows = []
      length = 0
    }
  if (rows.length > 0) yield rows
}

type UnderWay = { readonly addresses: ReadonlySet<string>; readonly results: Promise<readonly ImportRowResult[]> }

/**
 * Creates or updates contacts by address and subscribes those not on the list; unsubscribed ones stay so. Idempotent. Results come in row order; at
 * most one more batch is read meanwhile.
 */
export const contactImport = (deps: ContactImportDeps) => {
  const { upsert, clock, newId, sleep } = deps
  const { subscriberLists } = deps.repositories

  const readerOf = (fields: readonly CustomField[]) => {
    const readRow = importRowReader(fields)
    return ({ line, values, membership }: ImportRow): Row | ImportRowResult => {
      try {
        const { email, emailKey, given } = readRow(values)
        const own = membership && parsed(ImportedMembership, membership)
        return { line, email, emailKey, given, ...(own && { own }) }
      } catch (error) {
        return { line, ok: false, error: messageOf(error) }
      }
    }
  }

  const resultOf = ({ line }: UpsertRow, result: UpsertResult): ImportRowResult =>
    isUpserted(result) ? { line, ok: true, outcome: result.outcome } : { line, ok: false, error: result.failure }

  const writeRows = async (
    projectId: string,
    rows: readonly Row[],
    { subscriberListId, status, importId, suppressed, tags }: z.output<typeof ContactImportOptions>,
  ): Promise<ReadonlyMap<UpsertRow, ImportRowResult>> => {
    const listed = (listId: string) => ({
      _id: listId,
      membership: ({ _id: contactId }: Contact, { own }: Row) => {
        const now = clock().toISOString()
        const { joinedAt = now, changedAt = joinedAt, consent } = own ?? {}
        return {
          ...newSubscriber(
            {
              _id: newId(),
              projectId,
              subscriberListId: listId,
              contactId,
              status: own?.status ?? status,
              ...(importId && { importId }),
              ...(consent && { consent }),
            },
            joinedAt,
          ),
          updatedAt: changedAt,
        }
      },
    })
    const list = subscriberListId === undefined ? undefined : listed(subscriberListId)
    const results = await upsert(rows, { projectId, list, suppressed, tags })
    return new Map([...results].map(([row, result]) => [row, resultOf(row, result)]))
  }

  const taking = (
    projectId: string,
    options: z.output<typeof ContactImportOptions>,
    fields: readonly CustomField[],
  ) => {
    const read = readerOf(fields)
    return async (batch: readonly ImportRow[], before: UnderWay | undefined): Promise<UnderWay> => {
      const rows: (Row | ImportRowResult)[] = []
      let cost = 0
      for (const one of batch) {
        const row = read(one)
        rows.push(row)
        cost += 'ok' in row ? wrongRowCost : 1
        if (cost < mostInStep) continue
        cost = 0
        await sleep(0)
      }
      const good = rows.filter((row): row is Row => !('ok' in row))
      const take = async (): Promise<readonly ImportRowResult[]> => {
        if (before && good.some(({ emailKey }) => before.addresses.has(emailKey))) await before.results
        const written = await retryInHalves(good, (some) => writeRows(projectId, some, options), sleep)
        return rows.flatMap((row) => ('ok' in row ? row : (written.get(row) ?? [])))
      }
      return { addresses: addressesOf(good), results: take() }
    }
  }

  const importBatches = async function* (
    { projectId }: Scope,
    batches: AsyncIterable<readonly ImportRow[]>,
    options: ContactImportOptions = {},
  ): AsyncGenerator<readonly ImportRowResult[]> {
    const asked = parsed(ContactImportOptions, options)
    const { subscriberListId } = asked
    if (subscriberListId !== undefined) await getOrNotFound(subscriberLists, { _id: subscriberListId, projectId })
    const take = taking(projectId, asked, await deps.contactDirectory.fieldsOf(projectId))
    let before: UnderWay | undefined
    try {
      for await (const batch of resized(batches)) {
        const next = await take(batch, before)
        // Awaited later, after the previous batch.
        next.results.catch(() => {})
        const finished = before
        before = next
        if (finished) yield await finished.results
      }
      const last = before
      before = undefined
      if (last) yield await last.results
    } finally {
      await before?.results.catch(() => {})
    }
  }

  /**
   * A row's error is its result. @throws Refusal `invalid` for the options, `not-found` for a list of another project;
   * ImportInterrupted
   */
  const importContacts = async function* (
    scope: Scope,
    rows: AsyncIterable<ImportRow> | Iterable<ImportRow>,
    options: ContactImportOptions = {},
  ): AsyncGenerator<ImportRowResult> {
    for await (const results of importBatches(scope, chunked(rows, batchSize), options)) yield* results
  }

  return { importContacts, importBatches }
}
