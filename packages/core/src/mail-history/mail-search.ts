import { z } from 'zod'
import { csvRow, escapedFormulas } from '../kernel/csv-cells.js'
import { addressKey, EmailAddress } from '../kernel/email-address.js'
import type { Clock } from '../kernel/ports.js'
import type { Scope } from '../kernel/scope.js'
import { Instant } from '../kernel/shapes.js'
import { zonedInstantOf } from '../kernel/zoned-time.js'
import { RecipientStatus, statusesShownAs } from '../reporting/recipients.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import type { Delivery } from '../sending/ledger/delivery.js'
import { dispatchKinds } from '../sending/ledger/dispatch.js'
import { MailHistory } from './mail-history.js'

type Place = { readonly createdAt: string; readonly _id: string }

const cursorOf = ({ createdAt, _id }: Place): string => `${createdAt}~${encodeURIComponent(_id)}`

const placeOf = (cursor: string): Place | undefined => {
  const [, createdAt = '', id = ''] = /^(\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)~([\w%.~*'()!-]{1,1000})$/.exec(cursor) ?? []
  try {
    return createdAt === '' ? undefined : { createdAt, _id: decodeURIComponent(id) }
  } catch {
    return undefined
  }
}

const part = z.string().trim().min(1).max(200).optional()
const instant = z
  .string()
  .refine((text) => zonedInstantOf(text, 'UTC') !== undefined, 'expected an ISO date or date-time')
  .transform((text) => zonedInstantOf(text, 'UTC') ?? text)
  .optional()

const [standardPage, largestPage] = [30, 100] as const

const Filters = z.strictObject({
  email: EmailAddress.optional().describe('The whole address, in upper or lower case'),
  subject: part.describe('Part of the subject, in upper or lower case'),
  status: RecipientStatus.optional(),
  reason: part.describe('Part of why it failed, bounced, was put off or excluded, in upper or lower case'),
  kind: z.enum(dispatchKinds).optional(),
  from: instant.describe('Created then or later'),
  to: instant.describe('Created before'),
})

export const MailExportQuery = Filters
export const MailSearchQuery = Filters.extend({
  after: z
    .string()
    .refine((text) => placeOf(text) !== undefined, 'expected `next` of a response')
    .optional()
    .describe('`next` of the page before'),
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'expected a whole number')
    .transform((text) => Math.min(Math.max(Number(text), 1), largestPage))
    .default(standardPage),
})
export type MailFilters = z.output<typeof Filters>
export type MailSearchQuery = z.output<typeof MailSearchQuery>

export const FoundMail = MailHistory.omit({ events: true, webhooks: true }).meta({ id: 'FoundMail' })
export type FoundMail = z.output<typeof FoundMail>

export const FoundMails = z.object({
  items: z.array(FoundMail).describe('The newest first'),
  next: z
    .string()
    .optional()
    .describe('Where the search goes on; absent at the end, and behind the newest 100,000 mails to an address'),
  searchedTo: Instant.optional().describe(
    'Present if the search stopped before the page was full: all mails since then were searched',
  ),
})
export type FoundMails = z.output<typeof FoundMails>

type Deps = {
  readonly deliveries: Pick<Deliveries, 'list' | 'newest'>
  /** Without mails of deleted dispatches; in the same order. */
  readonly described: (projectId: string, some: readonly Delivery[]) => Promise<readonly FoundMail[]>
  readonly clock: Clock
}

/** In mails: of one read, of one request, of an export, and in a file. */
const [pageSize, mostRead, mostExportRead, mostExported] = [500, 5_000, 100_000, 10_000] as const

const contains = (text: string | undefined, sought: string) => text?.toLowerCase().includes(sought) === true

const hasReason = ({ reason, error, returned }: Delivery, sought: string) =>
  [reason, error?.name, error?.message, returned?.name, returned?.message].some((text) => contains(text, sought))

const columns = ['email', 'subject', 'kind', 'name', 'status', 'reason', 'createdAt', 'sentAt'] as const
const counts = ['opens', 'clicks', 'bounced', 'complained'] as const

const rowOf = ({ errors, ...mail }: FoundMail): string => {
  const reason = errors.map(({ name, message }) => `${name} ${message}`.trim()).join('; ')
  const texts = { ...mail, reason, sentAt: mail.sentAt ?? '' }
  return csvRow([
    ...columns.map((column) => escapedFormulas(texts[column])),
    ...counts.map((column) => String(mail[column])),
    mail.deliveryId,
  ])
}

/** Newest first. A request reads a limited number of mails and reports how far it came. */
export const mailSearches = ({ deliveries, described, clock }: Deps) => {
  const reader = (projectId: string, { email, status, from, to }: MailFilters) => {
    const end = { createdAt: to ?? new Date(clock().getTime() + 60_000).toISOString(), _id: '' }
    const isBefore = ({ createdAt, _id }: Delivery, place: Place) =>
      createdAt < place.createdAt || (createdAt === place.createdAt && _id < place._id)
    let skip = 0
    /** By address, the store sorts the same; those before `place` have been read. */
    const ofAddress = async (address: string, place: Place, limit: number) => {
      const found: Delivery[] = []
      while (found.length < limit && skip < mostExportRead) {
        const where = { projectId, address: addressKey(address) }
        const { items } = await deliveries.list({ where, by: 'createdAt', order: 'desc', skip, limit })
        skip += items.length
        found.push(...items.filter((one) => isBefore(one, place) && one.createdAt >= (from ?? '')))
        if (items.length < limit) break
      }
      return found
    }
    return {
      start: end,
      /** The address has more mails than a search reads. */
      isCut: () => skip >= mostExportRead,
      read: (before: Place, limit: number): Promise<readonly Delivery[]> =>
        email === undefined
          ? deliveries.newest({ projectId, from, before, limit, ...(status === 'failed' && { failed: true }) })
          : ofAddress(email, before, limit),
    }
  }

  const matching = async (
    projectId: string,
    page: readonly Delivery[],
    { subject, status, reason, kind }: MailFilters,
  ): Promise<readonly FoundMail[]> => {
    const statuses = status && statusesShownAs(status)
    const some = page.filter(
      (one) =>
        (!statuses || statuses.includes(one.status)) && (reason === undefined || hasReason(one, reason.toLowerCase())),
    )
    const mails = some.length === 0 ? [] : await described(projectId, some)
    return mails.filter(
      (mail) =>
        (kind === undefined || mail.kind === kind) &&
        (subject === undefined || contains(mail.subject, subject.toLowerCase())),
    )
  }

  async function* exported(projectId: string, filters: MailFilters): AsyncGenerator<string> {
    yield csvRow([...columns, ...counts, 'deliveryId'])
    const { start, read } = reader(projectId, filters)
    let [place, seen, written]: [Place, number, number] = [start, 0, 0]
    while (seen < mostExportRead && written < mostExported) {
      const page = await read(place, pageSize)
      const mails = (await matching(projectId, page, filters)).slice(0, mostExported - written)
      if (mails.length > 0) yield mails.map(rowOf).join('')
      seen += page.length
      written += mails.length
      const last = page.at(-1)
      if (!last || page.length < pageSize) return
      place = last
    }
  }

  return {
    search: async ({ projectId }: Scope, query: MailSearchQuery): Promise<FoundMails> => {
      const { limit, after, subject, status, reason, kind } = query
      const { start, read, isCut } = reader(projectId, query)
      const isNarrow = [subject, status, reason, kind].some((one) => one !== undefined)
      const size = isNarrow ? pageSize : limit + 1
      const found: FoundMail[] = []
      let place = (after === undefined ? undefined : placeOf(after)) ?? start
      let isEnd = false
      for (let seen = 0; seen < mostRead && found.length <= limit && !isEnd; ) {
        const page = await read(place, size)
        found.push(...(await matching(projectId, page, query)))
        seen += page.length
        isEnd = page.length < size
        place = page.at(-1) ?? place
      }
      const items = found.slice(0, limit)
      const last = items.at(-1)
      if (found.length > limit && last)
        return { items, next: cursorOf({ createdAt: last.createdAt, _id: last.deliveryId }) }
      const searchedTo = place.createdAt
      if (isEnd) return isCut() ? { items, searchedTo } : { items }
      return { items, next: cursorOf(place), searchedTo }
    },

    /** CSV of at most 10,000 mails, found among the newest 100,000 of the span. Cells that begin like a formula are escaped. */
    exportFound: ({ projectId }: Scope, filters: MailFilters): AsyncGenerator<string> => exported(projectId, filters),
  }
}
