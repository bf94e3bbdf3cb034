import { z } from 'zod'
import { addressKey } from '../kernel/email-address.js'
import { asked, type ListQueryFields } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock } from '../kernel/ports.js'
import { invalid, notFound } from '../kernel/refusal.js'
import type { Listed, Scalar, Where, WhereValue } from '../kernel/repository.js'
import type { Repositories } from '../records.js'
import { conditionViolations } from '../segments/conditions.js'
import { meantBy } from '../segments/meaning.js'
import { Groups } from '../segments/segment.js'
import { subscriberStatuses } from '../subscriptions/subscriber.js'
import { type Contact, ContactShape } from './contact.js'
import { type ContactChange, storedTags } from './contact-change.js'
import type { ContactChanges } from './contact-changes.js'
import { type CustomField, type FieldType, storedDate } from './custom-field.js'
import type { ContactSearch } from './ports.js'

type Query = z.output<typeof ListQueryFields>

export type ContactListDeps = {
  readonly repositories: Pick<Repositories, 'subscriberLists' | 'segments'>
  readonly contactSearch: ContactSearch
  readonly contactChanges: Pick<ContactChanges, 'pending'>
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

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Finds the contacts that a list query asks for. */
export const contactList = ({
  repositories: { subscriberLists, segments },
  contactSearch,
  contactChanges,
  clock,
}: ContactListDeps) => {
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

  /** A condition on a contact's record, for a filter on what a client sees of it. */
  const recordCondition = (
    key: string,
    value: Scalar,
    type: FieldType | undefined,
    changes: readonly ContactChange[],
  ): [string, WhereValue] => {
    const text = String(value)
    if (type === 'date') {
      const instant = storedDate(text)
      if (instant === undefined) throw invalid(`filter[${key}]: expected an ISO date`)
      return [`customFields.${key}`, instant]
    }
    if (type) return [`customFields.${key}`, value]
    if (key === 'email') return ['emailKey', addressKey(text)]
    return [key, key === 'tags' ? storedTags(text.toLowerCase(), changes) : value]
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
    const changes = await contactChanges.pending(projectId)
    const where: Where<Contact> = {
      ...Object.fromEntries(
        Object.entries(conditions).map(([key, value]) => recordCondition(key, value, types.get(key), changes)),
      ),
      projectId,
    }

    if (subscriberListId !== undefined && !(await subscriberLists.get({ _id: subscriberListId, projectId })))
      throw notFound('Subscriber list')
    const groups = await groupsOf(projectId, narrowing, fields)
    return contactSearch.page({
      projectId,
      where,
      ...(subscriberListId !== undefined && {
        list: { subscriberListId, ...(narrowing.subscriberStatus && { status: narrowing.subscriberStatus }) },
      }),
      segments: groups.map((one) => meantBy(one, { fields, changes })),
      sort: { by: types.has(sort.by) ? `customFields.${sort.by}` : (sort.by as keyof Contact), order: sort.order },
      skip: query.skip,
      limit: query.limit,
      now: clock().toISOString(),
    })
  }
}
