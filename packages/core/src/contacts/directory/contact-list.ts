import { z } from 'zod'
import { addressKey } from '../../kernel/email-address.js'
import {
  collected,
  FindText,
  ListQueryFields,
  listQueryViolations,
  parsedSortAndFilter,
  type SortAndFilterQuery,
} from '../../kernel/listing.js'
import { without } from '../../kernel/merged.js'
import { schemaViolationsOf, violationsOf } from '../../kernel/parsed.js'
import type { Clock } from '../../kernel/ports.js'
import { assertNoViolations } from '../../kernel/refusal.js'
import {
  getOrNotFound,
  type Page,
  type RecordLookup,
  type RepositoriesFor,
  type Scalar,
  type Where,
  type WhereValue,
} from '../../kernel/repository.js'
import { nestedViolation, type Violation, wrongFieldViolation } from '../../kernel/violation.js'
import {
  isSubscriberStatus,
  type Subscriber,
  type SubscriberStatus,
  subscriberStatuses,
} from '../../lists/subscriber.js'
import type { SubscriberList } from '../../lists/subscriber-list.js'
import { conditionViolations, resolveSegment } from '../../segments/conditions.js'
import { type ResolvedGroups, type Segment, SegmentGroups } from '../../segments/segment.js'
import { type Contact, ContactShape } from '../contact.js'
import { type AllContactsChange, storedSpellingsOfTag } from '../contact-change.js'
import { type CustomField, customFieldDateText, type FieldType } from '../custom-field.js'
import type { ChangesOfAllContacts } from './contact-changes.js'

export type ContactQuery = {
  readonly projectId: string
  readonly where: Where<Contact>
  /** An expired pause counts as active. `where` applies to the membership. */
  readonly list?: {
    readonly subscriberListId: string
    readonly status?: SubscriberStatus
    readonly where?: Where<Subscriber>
  }
  /** Whatever the status; an empty array matches no contact. */
  readonly onOneOf?: readonly string[]
  /** All match, as `matchesSegment` evaluates them. */
  readonly segments: readonly ResolvedGroups[]
  /** Beginning of the address, in lower case. */
  readonly emailPrefix?: string
  /** Of one type. Absent ones first when ascending; ties by `_id`. */
  readonly sort: { readonly by: keyof Contact | `customFields.${string}`; readonly order: 'asc' | 'desc' }
  readonly skip: number
  readonly limit: number
  readonly now: string
}

/** Newest first; with `emailPrefix`, by address. */
export type NextContactsQuery = Pick<ContactQuery, 'projectId' | 'segments' | 'emailPrefix' | 'limit' | 'now'> & {
  readonly list?: { readonly subscriberListId: string; readonly status?: SubscriberStatus }
  readonly where?: Where<Contact>
  /** `_id` of the last contact of the page before; with `emailPrefix`, its `emailKey`. */
  readonly after?: string
}

/** Does not block the main thread. */
export interface ContactSearch {
  /** @throws Refusal `busy` if the query takes longer than the store allows */
  page(question: ContactQuery): Promise<Page<Contact>>
  /** Costs the same however deep the page. @throws Refusal `busy` */
  next(question: NextContactsQuery): Promise<readonly Contact[]>
}

export const contactFindParameter = FindText.describe(
  'Only contacts whose address begins with this text, in lower or upper case',
)

export const ContactListQuery = ListQueryFields.extend({ find: contactFindParameter })
type Query = z.output<typeof ContactListQuery>

export type ContactListDeps = {
  readonly repositories: RepositoriesFor<{ subscriberLists: SubscriberList; segments: Segment }>
  readonly contactSearch: ContactSearch
  readonly contactChanges: Pick<ChangesOfAllContacts, 'pending'>
  readonly clock: Clock
}

const typeOfField = {
  string: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  date: z.string(),
} as const satisfies Record<FieldType, z.ZodType>

/** gaps.md, "Contacts". */
const narrowingKeys = ['subscriberListId', 'subscriberStatus', 'segmentId', 'segment', '_lists'] as const

type Filter = NonNullable<SortAndFilterQuery['filter']>

const Status = z.enum(subscriberStatuses)

const split = (filter: Filter) => ({
  narrowing: Object.fromEntries(narrowingKeys.map((key) => [key, filter[key]])) as {
    readonly [K in (typeof narrowingKeys)[number]]: string | undefined
  },
  rest: without(filter, ...narrowingKeys),
})

const { _lists: _named, ...shownFields } = ContactShape.shape

const fieldsWith = (fields: readonly CustomField[]) => ({
  ...Object.fromEntries(fields.map(({ name, type }) => [name, typeOfField[type]])),
  ...shownFields,
})

/** Without the project’s custom fields. */
export const contactFilterFields = {
  ...shownFields,
  subscriberListId: z.string(),
  subscriberStatus: Status,
  segmentId: z.string(),
  segment: z.string(),
  _lists: z.string(),
}

const SegmentFilter = z.strictObject({ groups: SegmentGroups })

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const givenGroups = (text: string | undefined): readonly SegmentGroups[] => {
  const { data } = SegmentFilter.safeParse(text === undefined ? undefined : asJson(text))
  return data ? [data.groups] : []
}

const segmentViolations = async (text: string, fields: readonly CustomField[]): Promise<readonly Violation[]> => {
  const input = asJson(text)
  if (input === undefined) return [wrongFieldViolation('filter[segment]', 'expected JSON of the form {"groups":[…]}')]
  const wrong = await schemaViolationsOf(SegmentFilter, input, ({ groups = [] }) => conditionViolations(groups, fields))
  return wrong.map((one) => nestedViolation('filter[segment]', one))
}

export const contactQueryViolations = async (
  { sort, filter = {} }: SortAndFilterQuery,
  fields: readonly CustomField[],
): Promise<readonly Violation[]> => {
  const { narrowing, rest } = split(filter)
  const { subscriberStatus: status, subscriberListId, segment } = narrowing
  const dates = fields.filter(({ type }) => type === 'date').map(({ name }) => name)
  return [
    ...listQueryViolations(fieldsWith(fields), { sort, filter: rest }),
    ...Object.entries(rest)
      .filter(([key, text]) => dates.includes(key) && text !== undefined && customFieldDateText(text) === undefined)
      .map(([key]) => wrongFieldViolation(`filter[${key}]`, 'expected an ISO date')),
    ...violationsOf(Status.optional(), status).map((one) => nestedViolation('filter[subscriberStatus]', one)),
    ...(status !== undefined && isSubscriberStatus(status) && subscriberListId === undefined
      ? [wrongFieldViolation('filter[subscriberStatus]', 'needs filter[subscriberListId], too')]
      : []),
    ...(segment === undefined ? [] : await segmentViolations(segment, fields)),
  ]
}

const recordCondition = (
  key: string,
  value: Scalar,
  type: FieldType | undefined,
  changes: readonly AllContactsChange[],
): [string, WhereValue] => {
  const text = String(value)
  if (type === 'date') return [`customFields.${key}`, customFieldDateText(text) ?? text]
  if (type) return [`customFields.${key}`, value]
  if (key === 'email') return ['emailKey', addressKey(text)]
  return [key, key === 'tags' ? storedSpellingsOfTag(text.toLowerCase(), changes) : value]
}

/** @throws Refusal `not-found` for a segment of another project */
const segmentsOf = async (
  segments: RecordLookup<Segment>,
  projectId: string,
  { segmentId, segment }: { readonly segmentId?: string | undefined; readonly segment?: string | undefined },
  known: Parameters<typeof resolveSegment>[1],
): Promise<readonly ResolvedGroups[]> => {
  const stored = segmentId === undefined ? [] : [(await getOrNotFound(segments, { _id: segmentId, projectId })).groups]
  return [...stored, ...givenGroups(segment)].map((groups) => resolveSegment(groups, known))
}

type Search = Pick<ContactQuery, 'projectId' | 'where' | 'list' | 'onOneOf' | 'segments' | 'emailPrefix' | 'now'>

type Wanted = SortAndFilterQuery & { readonly find?: string | undefined }

/** What the filter of a list means, with its list and segment. */
export const contactFilterResolver = ({
  repositories: { subscriberLists, segments },
  contactChanges,
  clock,
}: Omit<ContactListDeps, 'contactSearch'>) => {
  const listsCalled = async (projectId: string, called: string): Promise<readonly string[]> => {
    const lists = [
      ...(await collected(subscriberLists.each({ projectId, name: called }))),
      ...(await collected(subscriberLists.each({ projectId, _id: called }))),
    ]
    return [...new Set(lists.map(({ _id }) => _id))]
  }

  /** @throws Refusal `invalid`, `not-found` for a list or segment of another project */
  return async (projectId: string, query: Wanted, fields: readonly CustomField[]): Promise<Search> => {
    assertNoViolations(await contactQueryViolations(query, fields))
    const { narrowing, rest } = split(query.filter ?? {})
    const { subscriberListId, subscriberStatus: status, segmentId, segment, _lists: called } = narrowing
    const { where: conditions } = parsedSortAndFilter(fieldsWith(fields), { filter: rest, order: undefined })
    const types = new Map(fields.map(({ name, type }) => [name, type]))
    const changes = await contactChanges.pending(projectId)
    if (subscriberListId !== undefined) await getOrNotFound(subscriberLists, { _id: subscriberListId, projectId })
    return {
      projectId,
      where: Object.fromEntries(
        Object.entries(conditions).map(([key, value]) => recordCondition(key, value, types.get(key), changes)),
      ),
      ...(subscriberListId !== undefined && {
        list: { subscriberListId, ...(status !== undefined && isSubscriberStatus(status) && { status }) },
      }),
      ...(called !== undefined && { onOneOf: await listsCalled(projectId, called) }),
      segments: await segmentsOf(segments, projectId, { segmentId, segment }, { fields, changes }),
      ...(query.find && { emailPrefix: addressKey(query.find) }),
      now: clock().toISOString(),
    }
  }
}

export const contactList = ({ contactSearch, ...deps }: ContactListDeps) => {
  const searchOf = contactFilterResolver(deps)

  /** @throws Refusal `invalid`, `not-found` for a list or segment of another project */
  return async (projectId: string, query: Query, fields: readonly CustomField[]): Promise<Page<Contact>> => {
    const search = await searchOf(projectId, query, fields)
    const { sort } = parsedSortAndFilter(fieldsWith(fields), { sort: query.sort, order: query.order })
    const isCustom = fields.some(({ name }) => name === sort.by)
    const own = sort.by === 'email' ? 'emailKey' : (sort.by as keyof Contact)
    return contactSearch.page({
      ...search,
      where: { ...search.where, projectId },
      sort: { by: isCustom ? `customFields.${sort.by}` : own, order: sort.order },
      skip: query.skip,
      limit: query.limit,
    })
  }
}

/** A page, and where the next one begins; null after the last. */
export const contactPageAfter = async (
  contactSearch: Pick<ContactSearch, 'next'>,
  query: Omit<NextContactsQuery, 'limit' | 'after'>,
  after: string | undefined,
  limit: number,
): Promise<{ readonly items: readonly Contact[]; readonly next: string | null }> => {
  const found = await contactSearch.next({ ...query, ...(after !== undefined && { after }), limit: limit + 1 })
  const items = found.slice(0, limit)
  const last = items.at(-1)
  const next = found.length > limit && last ? (query.emailPrefix === undefined ? last._id : last.emailKey) : null
  return { items, next }
}
