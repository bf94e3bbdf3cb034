import { z } from 'zod'
import type { Contact } from '../../contacts/contact.js'
import {
  type BulkDeps,
  BulkQuery,
  BulkRowResult,
  bulkAnswerSchema,
  bulkRequestExecution,
  bulkRowsIn,
  bulkViolations,
  mostBulkContactRows,
} from '../../contacts/directory/bulk.js'
import type { BulkContactRow } from '../../contacts/directory/bulk-rows.js'
import { isUpserted, type UpsertedContact, type UpsertResult } from '../../contacts/directory/contact-upserts.js'
import { chunked } from '../../kernel/listing.js'
import { parsed } from '../../kernel/parsed.js'
import type { Runtime } from '../../kernel/ports.js'
import { ifRefused } from '../../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor } from '../../kernel/repository.js'
import type { Scope } from '../../kernel/scope.js'
import {
  newSubscriber,
  SubscribeFields,
  type Subscriber,
  subscriberStatusAt,
  subscriberStatuses,
} from '../subscriber.js'
import type { SubscriberList } from '../subscriber-list.js'
import { type ListJoiner, listOptInMail } from './join.js'
import type { SubscriptionRecorder } from './subscription-recorder.js'

export const BulkSubscribers = z
  .strictObject({ subscribers: z.array(SubscribeFields).max(mostBulkContactRows).describe('In order') })
  .meta({ id: 'BulkSubscribers' })
export type BulkSubscribers = z.input<typeof BulkSubscribers>

const Result = BulkRowResult.extend({
  subscriberStatus: z.enum(subscriberStatuses).optional().describe('On the list, unless the row failed'),
})
type Result = z.output<typeof Result>
type Kept = Omit<Result, 'email'>
export const BulkSubscribed = bulkAnswerSchema(Result).meta({ id: 'BulkSubscribed' })
export type BulkSubscribed = z.output<typeof BulkSubscribed>

type Row = BulkContactRow<typeof SubscribeFields>

type Deps = BulkDeps &
  Pick<Runtime, 'clock' | 'newId'> & {
    readonly repositories: RepositoriesFor<{ subscriberLists: SubscriberList }>
    readonly joins: ListJoiner
    readonly subscriptionRecorder: SubscriptionRecorder
  }

const failedBy = (violation: string): Kept => ({ status: 'failed', violations: [violation] })

/** Events and verification mails written together. */
const atOnce = 50

/** By the rules of a single subscription; those on the list already stay unchanged. */
export const bulkSubscriptions = (deps: Deps) => {
  const { joins, subscriptionRecorder: recorder, upsert, clock, newId } = deps
  const requests = bulkRequestExecution(deps)

  /** Everything that happens to the rows of one request. */
  const writer = ({ projectId }: Scope, list: SubscriberList, { existing, tags }: z.output<typeof BulkQuery>) => {
    const isAsked = ({ beside }: Row) => list.doubleOptIn.active && beside.status !== 'active'
    const wished = (row: Row) => (isAsked(row) ? 'unverified' : (row.beside.status ?? 'active'))
    const verification = listOptInMail(list)
    const iso = () => clock().toISOString()

    const membership = ({ _id: contactId }: Contact, row: Row): Subscriber =>
      recorder.begun(
        newSubscriber({ _id: newId(), projectId, subscriberListId: list._id, contactId, status: wished(row) }, iso()),
      )

    const returns = ({ membership: member, isNewMember }: UpsertedContact) =>
      !isNewMember && member?.status === 'unsubscribed'

    const kept = (row: Row, result: UpsertResult): Kept => {
      if (!isUpserted(result)) return failedBy(result.failure)
      const { outcome, contact, membership: member } = result
      if (returns(result))
        return {
          status: outcome === 'unchanged' ? 'updated' : outcome,
          _id: contact._id,
          subscriberStatus: wished(row),
        }
      return {
        status: outcome,
        _id: contact._id,
        ...(member && { subscriberStatus: subscriberStatusAt(member, iso()) }),
      }
    }
    const allKept = (results: ReadonlyMap<Row, UpsertResult>) =>
      new Map([...results].map(([row, result]) => [row, kept(row, result)]))

    /** What one membership needs besides its record: its event, its return, its mail. @throws Refusal */
    const finish = async (row: Row, result: UpsertedContact, isRepeated: boolean): Promise<void> => {
      const { contact, membership: member, isNewMember } = result
      const isBack = returns(result)
      const entry = { list, before: isBack ? member : undefined, status: wished(row) } as const
      if (isBack) await joins.enter(entry, contact._id)
      else if (isNewMember && member) await recorder.settle(member)
      const isUnverified = isBack || isNewMember || (isRepeated && member?.status === 'unverified')
      if (!isUnverified || !isAsked(row)) return
      await joins.verify(verification, contact).catch(async (error: unknown) => {
        await joins.undo([entry], contact._id)
        throw error
      })
    }

    /** Rows that cannot be confirmed because no mail can be sent. */
    const unconfirmable = async (rows: readonly Row[]): Promise<ReadonlyMap<Row, Kept>> => {
      const asked = rows.filter(isAsked)
      const [first] = asked
      if (!first) return new Map()
      return joins.assertVerifiable(verification, first.email).then(
        () => new Map(),
        ifRefused(({ message }) => new Map(asked.map((row) => [row, failedBy(message)]))),
      )
    }

    return async (
      rows: readonly Row[],
      earlier: {
        readonly expected?:
          | ((row: Row) => { readonly outcome: UpsertedContact['outcome']; readonly contactId: string } | undefined)
          | undefined
        readonly planned: (results: ReadonlyMap<Row, Kept>) => Promise<void>
      },
    ): Promise<ReadonlyMap<Row, Kept>> => {
      const refused = await unconfirmable(rows)
      const results = await upsert(
        rows.filter((row) => !refused.has(row)),
        {
          ...{ projectId, existing, tags, expected: earlier.expected },
          list: { _id: list._id, membership },
          planned: (some) => earlier.planned(allKept(some)),
        },
      )
      const all = new Map<Row, Kept>([...refused, ...allKept(results)])
      const first = new Set<string>()
      const toFinish = [...results].filter((one): one is [Row, UpsertedContact] => {
        const [, result] = one
        if (!isUpserted(result) || first.has(result.contact._id)) return false
        first.add(result.contact._id)
        return true
      })
      for await (const some of chunked(toFinish, atOnce))
        await Promise.all(
          some.map(([row, result]) =>
            finish(row, result, earlier.expected?.(row) !== undefined).catch(
              ifRefused(({ message }) => void all.set(row, failedBy(message))),
            ),
          ),
        )
      return all
    }
  }

  return {
    /**
     * A row's error is its result.
     * @throws Refusal `invalid` for the options or too many rows, `not-found`, `busy` above the daily storage of Idempotency-Keys
     */
    run: async (
      scope: Scope,
      listId: string,
      body: BulkSubscribers,
      options: BulkQuery = {},
    ): Promise<BulkSubscribed> => {
      const given = parsed(BulkQuery, options)
      const rows = bulkRowsIn(body, 'subscribers')
      const list = await getOrNotFound(deps.repositories.subscriberLists, { _id: listId, projectId: scope.projectId })
      return requests.run<typeof SubscribeFields, Result>(scope, SubscribeFields, rows, writer(scope, list, given))
    },
    made: async (scope: Scope, body: BulkSubscribers): Promise<BulkSubscribed | undefined> =>
      requests.made<Result>(scope, bulkRowsIn(body, 'subscribers')),
    /** Of the whole body; violations of a row are in its result. */
    violations: (body: unknown) => bulkViolations(body, 'subscribers'),
  }
}
