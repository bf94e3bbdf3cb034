import { z } from 'zod'
import { chunked, collected } from '../../kernel/listing.js'
import { parsed } from '../../kernel/parsed.js'
import type { Clock, NewId, Sleep } from '../../kernel/ports.js'
import { isBusy, notFound, Refusal, StoreUnavailable } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { foundIn } from '../../kernel/repository.js'
import type { Scope } from '../../kernel/scope.js'
import type { MembershipStore, MemberToAdd } from '../../lists/membership-store.js'
import { newSubscriber, type Subscriber } from '../../lists/subscriber.js'
import type { SubscriberList } from '../../lists/subscriber-list.js'
import { assertNotBounced, assertNotSuppressed, type Suppression } from '../../suppressions/suppression.js'
import type { Contact } from '../contact.js'
import { changedContact, newContact } from '../contact-input.js'
import type { CustomField } from '../custom-field.js'
import type { ContactChanges } from './contact-changes.js'
import type { ContactDirectory } from './contact-directory.js'
import { type ReadCells, rowReader } from './import-rows.js'

/** In rows; then a failing store ends the import. */
const smallestSlice = 125
/** In ms. */
const retryPause = 1_000

/** Rows before that line may be imported; repeating the import adds the others. */
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

/**
 * If the store fails, retries once, then with half the rows. Rows may be written twice.
 * @throws ImportInterrupted
 */
export const inSlices = async <Row extends { readonly line: number }, Result>(
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
      if (error instanceof Refusal && !isBusy(error)) throw error
      failures += 1
      if (failures > 1 && size <= smallestSlice) throw new ImportInterrupted(slice[0]?.line ?? 0, error)
      if (failures > 1) size = Math.ceil(size / 2)
      await sleep(retryPause)
    }
  }
  return results
}

/** `line` is for reports. */
export type ImportRow = { readonly line: number; readonly values: Readonly<Record<string, unknown>> }

/** The result for a row. */
export type ImportResult =
  | { readonly line: number; readonly ok: true; readonly outcome: 'created' | 'updated' | 'unchanged' }
  | { readonly line: number; readonly ok: false; readonly error: string }

export const ImportOptions = z.strictObject({
  subscriberListId: z.string().optional(),
  /** Of new subscribers. */
  status: z.enum(['active', 'unverified']).default('active'),
})
export type ImportOptions = z.input<typeof ImportOptions>

export type ContactImportDeps = {
  readonly repositories: RepositoriesFor<{
    contacts: Contact
    subscribers: Subscriber
    subscriberLists: SubscriberList
    suppressions: Suppression
  }>
  readonly contactDirectory: Pick<ContactDirectory, 'fieldsOf' | 'keepTags' | 'unknownTags'>
  readonly contactChanges: Pick<ContactChanges, 'freeTags'>
  readonly clock: Clock
  readonly newId: NewId
  readonly sleep: Sleep
  readonly membershipStore: Pick<MembershipStore, 'upsertMembers'>
}

type ReadRow = ReadCells & {
  readonly line: number
}

type Outcome = Extract<ImportResult, { ok: true }>['outcome']

type Plan = { readonly contact: Contact; readonly outcome: Outcome; readonly membership: Subscriber | undefined }

type Failed = { readonly failure: unknown }

type Known = {
  readonly contacts: Map<string, Contact>
  readonly suppressions: ReadonlyMap<string, Suppression>
  readonly members: Set<string>
}

const nothing: readonly string[] = []

/** Rows written together. */
const batchSize = 1000
/** In characters, to limit memory. */
const longestBatch = 4_000_000

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const addressesOf = (rows: readonly ReadRow[]): ReadonlySet<string> => new Set(rows.map(({ emailKey }) => emailKey))

/** Each address at most once per turn, so that a second row sees the first. */
const turnsOf = (rows: readonly ReadRow[], addresses: ReadonlySet<string>): readonly (readonly ReadRow[])[] => {
  if (addresses.size === rows.length) return [rows]
  const turns: ReadRow[][] = []
  const seen = new Map<string, number>()
  for (const row of rows) {
    const turn = seen.get(row.emailKey) ?? 0
    seen.set(row.emailKey, turn + 1)
    turns[turn] ??= []
    turns[turn].push(row)
  }
  return turns
}

/** An unavailable store is not a row’s failure. */
const failureOf = (failure: unknown): string => {
  if (failure instanceof Refusal) return failure.message
  if (failure === 'taken') return 'Another change of this address came between.'
  if (failure === 'contact') return notFound('Contact').message
  if (failure === 'list') return notFound('Subscriber list').message
  return `The row could not be kept: ${messageOf(failure)}`
}

const lengthOf = ({ values }: ImportRow): number => {
  let length = 0
  for (const value of Object.values(values)) if (typeof value === 'string') length += value.length
  return length
}

/** The last batch and those of long rows may be smaller. */
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

type UnderWay = { readonly addresses: ReadonlySet<string>; readonly results: Promise<readonly ImportResult[]> }

/**
 * Creates or updates contacts by address and subscribes those not on the list; unsubscribed ones stay so. Idempotent. Results come in row order; at
 * most one more batch is read meanwhile.
 */
export const contactImport = (deps: ContactImportDeps) => {
  const { repositories, membershipStore, clock, newId, sleep } = deps
  const { contacts, subscribers, subscriberLists, suppressions } = repositories

  const lookUp = async (
    projectId: string,
    addresses: ReadonlySet<string>,
    listId: string | undefined,
  ): Promise<Known> => {
    const emailKey = [...addresses]
    const [found, suppressed] = await Promise.all([
      collected(contacts.each({ projectId, emailKey })),
      collected(suppressions.each({ projectId, emailKey })),
    ])
    const contactId = found.map(({ _id }) => _id)
    const isAsked = listId !== undefined && contactId.length > 0
    const members = isAsked ? await collected(subscribers.each({ subscriberListId: listId, contactId })) : []
    return {
      contacts: new Map(found.map((contact) => [contact.emailKey, contact])),
      suppressions: new Map(suppressed.map((suppression) => [suppression.emailKey, suppression])),
      members: new Set(members.map((one) => one.contactId)),
    }
  }

  const plansOf = async (
    projectId: string,
    rows: readonly ReadRow[],
    known: Known,
    { subscriberListId, status }: z.output<typeof ImportOptions>,
  ): Promise<readonly (Plan | Failed)[]> => {
    const now = clock().toISOString()

    const plan = (contact: Contact, outcome: Outcome): Plan => {
      const membership =
        subscriberListId && !known.members.has(contact._id)
          ? newSubscriber({ _id: newId(), projectId, subscriberListId, contactId: contact._id, status }, now)
          : undefined
      return { contact, outcome: membership && outcome === 'unchanged' ? 'updated' : outcome, membership }
    }
    const change = async (row: ReadRow, found: Contact): Promise<Plan> => {
      const after = await contacts.change({ _id: found._id, projectId }, (one) =>
        changedContact(one, { ...row.given, email: undefined }, now),
      )
      return plan(after ?? found, 'updated')
    }
    const decide = (row: ReadRow): Plan | Promise<Plan> => {
      const { email, emailKey, given } = row
      const suppression = known.suppressions.get(emailKey)
      if (subscriberListId) assertNotSuppressed(suppression)
      else assertNotBounced(suppression)
      const found = known.contacts.get(emailKey)
      if (!found) return plan(newContact({ _id: newId(), projectId, email, emailKey }, given, now), 'created')
      return changedContact(found, { ...given, email: undefined }, now) === found
        ? plan(found, 'unchanged')
        : change(row, found)
    }

    const changes: Promise<void>[] = []
    const failed = (failure: unknown): Failed => ({ failure })
    const plans = rows.map((row, index): Plan | Failed => {
      try {
        const decided = decide(row)
        if (!(decided instanceof Promise)) return decided
        const change = decided.catch(failed).then((done) => {
          plans[index] = done
        })
        changes.push(change)
        return failed(undefined)
      } catch (error) {
        return failed(error)
      }
    })
    await Promise.all(changes)
    return plans
  }

  const write = async (plans: readonly (Plan | Failed)[]): Promise<readonly (Plan | Failed)[]> => {
    const begun: number[] = []
    const upserts: MemberToAdd[] = []
    for (const [index, plan] of plans.entries()) {
      if ('failure' in plan) continue
      const { contact, outcome, membership } = plan
      if (outcome === 'created') upserts.push(membership ? { contact, membership } : { contact })
      else if (membership) upserts.push({ membership })
      else continue
      begun.push(index)
    }
    const answers = upserts.length > 0 ? await membershipStore.upsertMembers(upserts) : []
    if (answers.every((answer) => answer === undefined)) return plans
    const failures = new Map(begun.map((index, place) => [index, answers[place]]))
    return plans.map((plan, index) => {
      const failure = failures.get(index)
      return failure ? { failure } : plan
    })
  }

  const resultOf = ({ line }: ReadRow, plan: Plan | Failed | undefined): ImportResult =>
    !plan || 'failure' in plan
      ? { line, ok: false, error: failureOf(plan?.failure) }
      : { line, ok: true, outcome: plan.outcome }

  const remember = (known: Known, plans: readonly (Plan | Failed)[]): void => {
    for (const plan of plans) {
      if ('failure' in plan) continue
      known.contacts.set(plan.contact.emailKey, plan.contact)
      if (plan.membership) known.members.add(plan.contact._id)
    }
  }

  const readerOf = (fields: readonly CustomField[]) => {
    const readRow = rowReader(fields)
    return ({ line, values }: ImportRow): ReadRow | ImportResult => {
      try {
        const { email, emailKey, given } = readRow(values)
        return { line, email, emailKey, given }
      } catch (error) {
        return { line, ok: false, error: messageOf(error) }
      }
    }
  }

  /** Beyond the tag limit, rows with new tags are refused. */
  const refusedTags = async (
    projectId: string,
    rows: readonly ReadRow[],
  ): Promise<ReadonlyMap<ReadRow, ImportResult>> => {
    const { contactDirectory: directory, contactChanges } = deps
    const tags = [...new Set(rows.flatMap(({ given }) => given.tags ?? nothing))]
    await contactChanges.freeTags(projectId, tags)
    try {
      await directory.keepTags(projectId, tags)
      return new Map()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const unknown = new Set(await directory.unknownTags(projectId, tags))
      const refused = rows.filter(({ given }) => given.tags?.some((tag) => unknown.has(tag)))
      return new Map(refused.map((row) => [row, { line: row.line, ok: false, error: error.message }]))
    }
  }

  /** @throws store errors; some rows may then be written */
  const writeRows = async (
    projectId: string,
    rows: readonly ReadRow[],
    options: z.output<typeof ImportOptions>,
  ): Promise<ReadonlyMap<ReadRow, ImportResult>> => {
    const refused = await refusedTags(projectId, rows)
    const kept = refused.size > 0 ? rows.filter((row) => !refused.has(row)) : rows
    const addresses = addressesOf(kept)
    const known = await lookUp(projectId, addresses, options.subscriberListId)
    const results = new Map<ReadRow, ImportResult>(refused)
    for (const turn of turnsOf(kept, addresses)) {
      const written = await write(await plansOf(projectId, turn, known, options))
      for (const plan of written) if ('failure' in plan && plan.failure instanceof StoreUnavailable) throw plan.failure
      if (turn.length < kept.length) remember(known, written)
      for (const [index, row] of turn.entries()) results.set(row, resultOf(row, written[index]))
    }
    return results
  }

  const taking = (projectId: string, options: z.output<typeof ImportOptions>, fields: readonly CustomField[]) => {
    const read = readerOf(fields)
    return (batch: readonly ImportRow[], before: UnderWay | undefined): UnderWay => {
      const rows = batch.map(read)
      const good = rows.filter((row): row is ReadRow => !('ok' in row))
      const take = async (): Promise<readonly ImportResult[]> => {
        if (before && good.some(({ emailKey }) => before.addresses.has(emailKey))) await before.results
        const written = await inSlices(good, (some) => writeRows(projectId, some, options), sleep)
        return rows.flatMap((row) => ('ok' in row ? row : (written.get(row) ?? [])))
      }
      return { addresses: addressesOf(good), results: take() }
    }
  }

  const importBatches = async function* (
    { projectId }: Scope,
    batches: AsyncIterable<readonly ImportRow[]>,
    options: ImportOptions = {},
  ): AsyncGenerator<readonly ImportResult[]> {
    const asked = parsed(ImportOptions, options)
    const { subscriberListId } = asked
    if (subscriberListId !== undefined) await foundIn(subscriberLists, { _id: subscriberListId, projectId })
    const take = taking(projectId, asked, await deps.contactDirectory.fieldsOf(projectId))
    let before: UnderWay | undefined
    try {
      for await (const batch of resized(batches)) {
        const next = take(batch, before)
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
   * A row's error is its result.
   * @throws Refusal `invalid` for the options, `not-found` for a list of another project; ImportInterrupted if the store fails
   */
  const importContacts = async function* (
    scope: Scope,
    rows: AsyncIterable<ImportRow> | Iterable<ImportRow>,
    options: ImportOptions = {},
  ): AsyncGenerator<ImportResult> {
    for await (const results of importBatches(scope, chunked(rows, batchSize), options)) yield* results
  }

  return { importContacts, importBatches }
}
