import { z } from 'zod'
import { addressKey } from '../kernel/email-address.js'
import { asked, chunked, collected, type ListQueryFields, scannedPage } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock } from '../kernel/ports.js'
import { invalid, notFound } from '../kernel/refusal.js'
import type { Listed, Scalar, Where } from '../kernel/repository.js'
import type { Repositories } from '../records.js'
import { conditionViolations } from '../segments/conditions.js'
import { matches } from '../segments/matches.js'
import { Groups } from '../segments/segment.js'
import { type SubscriberStatus, statusAt, subscriberStatuses } from '../subscriptions/subscriber.js'
import { type Contact, ContactShape } from './contact.js'
import { type CustomField, type FieldType, storedDate } from './custom-field.js'

type Query = z.output<typeof ListQueryFields>

export type ContactListDeps = {
  readonly repositories: Pick<Repositories, 'contacts' | 'subscribers' | 'subscriberLists' | 'segments'>
  readonly clock: Clock
}

const typeOfField = {
  string: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  date: z.string(),
} as const satisfies Record<FieldType, z.ZodType>

/** What else a contact list can be narrowed by (gaps.md, "Contacts"). */
const Narrowing = z.object({
  subscriberListId: z.string().optional(),
  subscriberStatus: z.enum(subscriberStatuses).optional(),
  segmentId: z.string().optional(),
  segment: z.string().optional(),
})
type Narrowing = z.output<typeof Narrowing>

const SegmentFilter = z.strictObject({ groups: Groups })

const chunkSize = 500

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Finds the contacts that a list query asks for. */
export const contactList = ({ repositories, clock }: ContactListDeps) => {
  const { contacts, subscribers, subscriberLists, segments } = repositories

  const givenGroups = (text: string, fields: readonly CustomField[]): Groups => {
    const input = asJson(text)
    if (input === undefined) throw invalid('filter[segment]: expected JSON of the form {"groups":[…]}')
    const { groups } = parsed(SegmentFilter, input)
    const wrong = conditionViolations(groups, fields)
    if (wrong.length > 0) throw invalid(...wrong.map((violation) => `filter[segment].${violation}`))
    return groups
  }

  /** The conditions of the segments that are named or given. @throws Refusal `not-found`, `invalid` */
  const groupsOf = async (projectId: string, { segmentId, segment }: Narrowing, fields: readonly CustomField[]) => {
    const given = segment === undefined ? [] : [givenGroups(segment, fields)]
    if (segmentId === undefined) return given
    const stored = await segments.get({ _id: segmentId, projectId })
    if (!stored) throw notFound('Segment')
    return [stored.groups, ...given]
  }

  /** Ids of the list's contacts, in chunks. A pause that is over counts as active. */
  async function* membersOf(subscriberListId: string, status: SubscriberStatus | undefined) {
    const stored = status === 'active' ? (['active', 'paused'] as const) : status
    const where = { subscriberListId, ...(stored && { status: stored }) }
    const now = clock().toISOString()
    for await (const chunk of chunked(subscribers.each(where), chunkSize))
      yield chunk.filter((one) => !status || statusAt(one, now) === status).map(({ contactId }) => contactId)
  }

  async function* candidates(where: Where<Contact>, { subscriberListId, subscriberStatus }: Narrowing) {
    if (subscriberListId === undefined) {
      yield* contacts.each(where)
      return
    }
    for await (const ids of membersOf(subscriberListId, subscriberStatus))
      yield* contacts.each({ ...where, _id: where._id === undefined ? ids : ids.filter((id) => id === where._id) })
  }

  const scanned = async (
    where: Where<Contact>,
    narrowing: Narrowing,
    groups: readonly Groups[],
    keyOf: (contact: Contact) => Scalar | undefined,
    { order, skip, limit }: { order: 'asc' | 'desc' } & Pick<Query, 'skip' | 'limit'>,
  ): Promise<Listed<Contact>> => {
    const now = clock()
    async function* found() {
      for await (const contact of candidates(where, narrowing))
        if (groups.every((one) => matches(one, contact, now))) yield { _id: contact._id, key: keyOf(contact) }
    }
    const { items, count } = await scannedPage(found(), order, { skip, limit })
    const ids = items.map(({ _id }) => _id)
    const byId = new Map((await collected(contacts.each({ _id: ids }))).map((contact) => [contact._id, contact]))
    return { items: ids.flatMap((id) => byId.get(id) ?? []), count }
  }

  /** A condition on a contact's record, for a filter on what a client sees of it. */
  const recordCondition = (key: string, value: Scalar, type: FieldType | undefined): [string, Scalar] => {
    const text = String(value)
    if (type === 'date') {
      const instant = storedDate(text)
      if (instant === undefined) throw invalid(`filter[${key}]: expected an ISO date`)
      return [`customFields.${key}`, instant]
    }
    if (type) return [`customFields.${key}`, value]
    if (key === 'email') return ['emailKey', addressKey(text)]
    return [key, key === 'tags' ? text.toLowerCase() : value]
  }

  /**
   * One page of contacts. `filter` takes what a contact shows, and a list, a status on it, and segments, stored or given.
   * @throws Refusal `invalid`, `not-found` for a list or segment of another project
   */
  return async (projectId: string, query: Query, fields: readonly CustomField[]): Promise<Listed<Contact>> => {
    const { subscriberListId, subscriberStatus, segmentId, segment, ...filter } = query.filter ?? {}
    const narrowing = parsed(Narrowing, { subscriberListId, subscriberStatus, segmentId, segment })
    if (subscriberStatus !== undefined && subscriberListId === undefined)
      throw invalid('filter[subscriberStatus]: needs filter[subscriberListId], too')

    const types = new Map(fields.map(({ name, type }) => [name, type]))
    const custom = Object.fromEntries(fields.map(({ name, type }) => [name, typeOfField[type]]))
    const { _lists: _named, ...shown } = ContactShape.shape
    const { where: conditions, sort } = asked({ ...custom, ...shown }, { ...query, filter })
    const where: Where<Contact> = {
      ...Object.fromEntries(
        Object.entries(conditions).map(([key, value]) => recordCondition(key, value, types.get(key))),
      ),
      projectId,
    }

    if (subscriberListId !== undefined && !(await subscriberLists.get({ _id: subscriberListId, projectId })))
      throw notFound('Subscriber list')
    const groups = await groupsOf(projectId, narrowing, fields)
    const by = sort.by as keyof Contact & keyof typeof shown
    const { skip, limit } = query
    const byCustomField = types.has(by)
    if (subscriberListId === undefined && groups.length === 0 && !byCustomField)
      return contacts.list({ where, sort: { by, order: sort.order }, skip, limit })
    const keyOf = (contact: Contact): Scalar | undefined =>
      byCustomField ? contact.customFields[by] : (contact[by] as Scalar | undefined)
    return scanned(where, narrowing, groups, keyOf, { order: sort.order, skip, limit })
  }
}
