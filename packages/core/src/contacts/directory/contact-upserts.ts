import { z } from 'zod'
import { grouped } from '../../kernel/collections.js'
import { collected } from '../../kernel/listing.js'
import type { Runtime } from '../../kernel/ports.js'
import { invalid, notFound, Refusal, StoreUnavailable } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { Count } from '../../kernel/shapes.js'
import type { MembershipStore, MembershipToAdd } from '../../lists/membership-store.js'
import type { Subscriber } from '../../lists/subscriber.js'
import { assertNotBounced, assertNotSuppressed, type Suppression } from '../../suppressions/suppression.js'
import { type Contact, mostTags } from '../contact.js'
import { type ContactInput, changedContact, newContact } from '../contact-input.js'
import type { ChangesOfAllContacts } from './contact-changes.js'
import type { ContactDirectory } from './contact-directory.js'

export const upsertOutcomes = ['created', 'updated', 'unchanged'] as const
export type UpsertOutcome = (typeof upsertOutcomes)[number]

export type UpsertRow = {
  readonly line: number
  readonly email: string
  readonly emailKey: string
  readonly given: ContactInput
}

export type UpsertedContact = {
  readonly outcome: UpsertOutcome
  readonly contact: Contact
  /** On the list of the upsert, as it is now. */
  readonly membership?: Subscriber | undefined
  readonly isNewMember?: boolean
}
type UpsertFailure = { readonly failure: string }
export type UpsertResult = UpsertedContact | UpsertFailure

export const isUpserted = (result: UpsertResult): result is UpsertedContact => !('failure' in result)

/** What an earlier attempt at the row did or was about to do. */
export type EarlierUpsertAttempt = { readonly outcome: UpsertOutcome; readonly contactId: string }

export type UpsertOptions<Row extends UpsertRow> = {
  readonly projectId: string
  /** Default `update`. */
  readonly existing?: 'update' | 'skip' | undefined
  /** Default `replace`. */
  readonly tags?: 'replace' | 'add' | undefined
  /** Default `refuse`. */
  readonly suppressed?: 'refuse' | 'keep' | undefined
  /** With the membership of a contact who is not on it. */
  readonly list?: { readonly _id: string; readonly membership: (contact: Contact, row: Row) => Subscriber } | undefined
  readonly expected?: ((row: Row) => EarlierUpsertAttempt | undefined) | undefined
  /** Called before the first write, with the results if all writes succeed. */
  readonly planned?: ((results: ReadonlyMap<Row, UpsertResult>) => Promise<void>) | undefined
}

type ContactUpsertsDeps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ contacts: Contact; subscribers: Subscriber; suppressions: Suppression }>
  readonly contactDirectory: Pick<ContactDirectory, 'keepTags' | 'unknownTags'>
  readonly contactChanges: Pick<ChangesOfAllContacts, 'freeTags'>
  readonly membershipStore: Pick<MembershipStore, 'upsertMembers'>
}

/** All rows of one address, and the single write that they become. */
type Plan<Row> = {
  readonly results: Map<Row, UpsertResult>
  readonly rows: readonly Row[]
  readonly upsert?: MembershipToAdd
  /** Applied to the contact as it is then. */
  readonly change?: (current: Contact) => Contact
}

type Known = {
  readonly contacts: ReadonlyMap<string, Contact>
  readonly suppressions: ReadonlyMap<string, Suppression>
  /** By contact. */
  readonly members: ReadonlyMap<string, Subscriber>
}

const nothing: readonly string[] = []

const messageOf = (failure: unknown): string => {
  if (failure instanceof Refusal) return failure.message
  if (failure === 'taken') return 'Another change of this address came between.'
  if (failure === 'contact') return notFound('Contact').message
  if (failure === 'list') return notFound('Subscriber list').message
  return `The row could not be kept: ${failure instanceof Error ? failure.message : String(failure)}`
}

/** @throws an unavailable store, which is not a row’s failure */
const failed = (failure: unknown): UpsertFailure => {
  if (failure instanceof StoreUnavailable) throw failure
  return { failure: messageOf(failure) }
}

/**
 * Creates or changes the contacts of a batch of rows, and adds those not on the list to it: one write for each address,
 * whatever the number of its rows. Repeating a batch changes nothing.
 */
export const batchUpsert = (deps: ContactUpsertsDeps) => {
  const { repositories, contactDirectory, contactChanges, membershipStore, clock, newId } = deps
  const { contacts, subscribers, suppressions } = repositories

  const lookUp = async (projectId: string, emailKey: readonly string[], listId: string | undefined): Promise<Known> => {
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
      members: new Map(members.map((one) => [one.contactId, one])),
    }
  }

  /** Beyond the tag limit, rows with new tags are refused. */
  const refusedTags = async <Row extends UpsertRow>(
    projectId: string,
    rows: readonly Row[],
  ): Promise<ReadonlyMap<Row, UpsertFailure>> => {
    const tags = [...new Set(rows.flatMap(({ given }) => given.tags ?? nothing))]
    await contactChanges.freeTags(projectId, tags)
    try {
      await contactDirectory.keepTags(projectId, tags)
      return new Map()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const unknown = new Set(await contactDirectory.unknownTags(projectId, tags))
      const refused = rows.filter(({ given }) => given.tags?.some((tag) => unknown.has(tag)))
      return new Map(refused.map((row) => [row, failed(error)]))
    }
  }

  const merged = (
    contact: Contact,
    { given }: UpsertRow,
    tags: 'replace' | 'add' | undefined,
    now: string,
  ): Contact => {
    const all = tags === 'add' && given.tags ? [...new Set([...contact.tags, ...given.tags])] : given.tags
    if (all && all.length > mostTags) throw invalid(`tags: at most ${mostTags} for a contact`)
    return changedContact(contact, { ...given, tags: all, email: undefined }, now)
  }

  const planOf = <Row extends UpsertRow>(
    rows: readonly Row[],
    known: Known,
    { projectId, existing, tags, suppressed, list, expected }: UpsertOptions<Row>,
    now: string,
  ): Plan<Row> => {
    const results = new Map<Row, UpsertResult>()
    const [first] = rows as readonly [Row, ...Row[]]
    const suppression = suppressed === 'keep' ? undefined : known.suppressions.get(first.emailKey)
    try {
      if (list) assertNotSuppressed(suppression)
      else assertNotBounced(suppression)
    } catch (error) {
      const refused = failed(error)
      for (const row of rows) results.set(row, refused)
      return { results, rows }
    }
    const found = known.contacts.get(first.emailKey)
    const { email, emailKey, given } = first
    const before = expected?.(first)
    const fresh = (): Contact =>
      newContact({ _id: before?.contactId ?? newId(), projectId, email, emailKey }, given, now)
    const start = found ?? fresh()
    const member = known.members.get(start._id)
    const membership = member ?? list?.membership(start, first)
    const isNewMember = membership !== undefined && !member
    const applied: Row[] = []
    let contact = start
    for (const row of rows) {
      const isCreation = !found && row === first
      let outcome: UpsertOutcome = isCreation ? 'created' : 'unchanged'
      if (!isCreation && existing !== 'skip')
        try {
          const next = merged(contact, row, tags, now)
          if (next !== contact) {
            outcome = 'updated'
            applied.push(row)
          }
          contact = next
        } catch (error) {
          results.set(row, failed(error))
          continue
        }
      const earlier = expected?.(row)
      if (outcome === 'unchanged' && row === first && isNewMember) outcome = 'updated'
      if (earlier?.contactId === contact._id && (outcome === 'unchanged' || earlier.outcome === 'created'))
        outcome = earlier.outcome
      results.set(row, { outcome, contact, membership, isNewMember: isNewMember && row === first })
    }
    if (!found) return { results, rows, upsert: { contact, ...(isNewMember && { membership }) } }
    return {
      results,
      rows,
      ...(isNewMember && { upsert: { membership } }),
      ...(applied.length > 0 && {
        change: (current) => applied.reduce((one, row) => merged(one, row, tags, now), current),
      }),
    }
  }

  const fail = <Row extends UpsertRow>({ results, rows }: Plan<Row>, failure: unknown): void => {
    for (const row of rows) results.set(row, failed(failure))
  }

  const change = async <Row extends UpsertRow>(plan: Plan<Row>): Promise<void> => {
    const [contact] = [...plan.results.values()].filter(isUpserted).map((one) => one.contact)
    if (!contact || !plan.change) return
    try {
      await contacts.change({ _id: contact._id, projectId: contact.projectId }, plan.change)
    } catch (error) {
      fail(plan, error)
    }
  }

  const write = async <Row extends UpsertRow>(plans: readonly Plan<Row>[]): Promise<void> => {
    await Promise.all(plans.filter((plan) => plan.change).map(change))
    const begun = plans.filter(({ upsert, results }) => upsert && [...results.values()].some(isUpserted))
    const upserts = begun.flatMap(({ upsert }) => upsert ?? [])
    if (upserts.length === 0) return
    const failures = await membershipStore.upsertMembers(upserts)
    for (const [index, plan] of begun.entries()) if (failures[index]) fail(plan, failures[index])
  }

  /** @throws store errors; some rows may then be written */
  return async <Row extends UpsertRow>(
    rows: readonly Row[],
    options: UpsertOptions<Row>,
  ): Promise<ReadonlyMap<Row, UpsertResult>> => {
    const { projectId, list, planned } = options
    const refused = await refusedTags(projectId, rows)
    const groups = grouped(
      refused.size > 0 ? rows.filter((row) => !refused.has(row)) : rows,
      ({ emailKey }) => emailKey,
    )
    const known = await lookUp(projectId, [...groups.keys()], list?._id)
    const now = clock().toISOString()
    const plans = [...groups.values()].map((group) => planOf(group, known, options, now))
    const results = () => {
      const all = new Map<Row, UpsertResult>(refused)
      for (const plan of plans) for (const [row, result] of plan.results) all.set(row, result)
      return all
    }
    await planned?.(results())
    await write(plans)
    return results()
  }
}
export type BatchUpsert = ReturnType<typeof batchUpsert>

export const RowCounts = z
  .object({
    created: Count.describe('Rows that created a contact'),
    updated: Count.describe('Rows that changed a contact, or added it to the list'),
    unchanged: Count.describe('Rows that were stored already'),
    failed: Count.describe('Rows that were refused'),
  })
  .meta({ id: 'RowCounts', description: 'Rows by what became of them' })
export type RowCounts = z.output<typeof RowCounts>

export const zeroRowCounts: RowCounts = { created: 0, updated: 0, unchanged: 0, failed: 0 }
