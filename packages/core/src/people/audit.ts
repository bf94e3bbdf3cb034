import { z } from 'zod'
import type { Runtime } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Id, Instant, type Stamped, stamps } from '../kernel/shapes.js'

const authors = ['person', 'key', 'operator', 'command line'] as const

/** Who changed something. `operator`: a token of `posthorn token`. */
export type AuditAuthor = { readonly by: (typeof authors)[number]; readonly byId?: string; readonly byName?: string }

/** Without a project: about a person's own account. Kept for `auditDays`. */
export type AuditEntry = Stamped &
  AuditAuthor & {
    readonly projectId?: string
    /** The id of the endpoint, such as `updateCampaign`, or the command. */
    readonly action: string
    readonly record?: string
    /** The fields that differ, without secrets; each is cut to about 4 KB of JSON. */
    readonly before?: unknown
    readonly after?: unknown
  }

export const AuditEntryView = z
  .object({
    _id: Id,
    createdAt: Instant,
    by: z.enum(authors),
    byId: z.string().optional(),
    byName: z.string().optional(),
    action: z.string().meta({ description: 'The operation, such as updateCampaign, or the command' }),
    record: z.string().optional(),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
  })
  .meta({ id: 'AuditEntry' })

export const AuditPage = z.object({
  items: z.array(AuditEntryView),
  cursor: z.string().nullable().meta({ description: 'For the next page; null on the last one' }),
})
export type AuditPage = z.output<typeof AuditPage>

const filtered = z.string().min(1).max(200).optional()
const time = z.iso
  .datetime({ offset: true, error: 'expected an instant in ISO 8601' })
  .transform((text) => new Date(text).toISOString())
  .optional()

export const AuditQuery = z.strictObject({
  by: z.enum(authors).optional(),
  byId: filtered,
  action: filtered,
  record: filtered,
  from: time,
  until: time.meta({ description: 'Entries of this moment are not included' }),
  cursor: z
    .string()
    .regex(/^\d{1,12}$/, 'expected the cursor of the page before')
    .optional(),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'expected a whole number')
    .transform((text) => Math.min(100, Math.max(1, Number(text))))
    .default(50),
})

export const auditDays = 400

export const commandLineAuthor: AuditAuthor = { by: 'command line' }

export const personAuthor = ({ _id, name }: { readonly _id: string; readonly name: string }): AuditAuthor => ({
  by: 'person',
  byId: _id,
  byName: name,
})

/** Undefined for callers that are not logged: visitors, and the embedding program. */
export const auditAuthorOf = ({ caller, person, apiKey }: Scope): AuditAuthor | undefined => {
  if (person) return personAuthor(person)
  if (apiKey) return { by: 'key', byId: apiKey._id }
  return caller === 'operator' ? { by: 'operator' } : undefined
}

/** `link` and `uri` are those of invitations and authenticator apps. */
const secret = /password|secret|token|digest|hash|credential|recoverycode|^code$|^link$|^uri$|key(id)?$|^whsec/i
const [longestText, mostItems, mostKeys, deepest] = [300, 20, 50, 6]
/** Of the JSON of `before`, and of `after`, each. */
const mostBytes = 4_000
const encoder = new TextEncoder()

/** Only the origin: paths and queries often contain a secret of the receiver. */
const originOf = (text: string): string => (URL.canParse(text) ? new URL(text).origin : text)

const shortened = (text: string): string => (text.length > longestText ? `${text.slice(0, longestText)}…` : text)

/** "…" is where something was cut. */
const redacted = (whole: unknown): unknown => {
  let left = mostBytes
  const fits = (value: unknown): boolean => {
    const size = encoder.encode(`${JSON.stringify(value)},`).length
    if (size > left) return false
    left -= size
    return true
  }
  const scalar = (value: unknown): unknown => (fits(value) ? value : '…')
  const of = (value: unknown, name: string, depth: number): unknown => {
    if (secret.test(name)) return value === undefined || value === null ? value : scalar('(secret)')
    if (typeof value === 'string') return scalar(shortened(name === 'url' ? originOf(value) : value))
    if (typeof value !== 'object' || value === null) return scalar(value)
    if (depth === deepest || !fits({ '…': '…' })) return '…'
    if (Array.isArray(value)) {
      const kept = value.slice(0, mostItems).filter(() => fits('…'))
      return [...kept.map((one) => of(one, name, depth + 1)), ...(kept.length < value.length ? ['…'] : [])]
    }
    // Names come before values: a long value must not hide which other fields changed.
    const fields = Object.entries(value)
    const kept = fields.slice(0, mostKeys).filter(([key]) => fits({ [shortened(key)]: '…' }))
    return Object.fromEntries([
      ...kept.map(([key, one]) => [shortened(key), of(one, key, depth + 1)]),
      ...(kept.length < fields.length ? [['…', '…']] : []),
    ])
  }
  return of(whole, '', 0)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const differing = (value: unknown, other: unknown): unknown =>
  isRecord(value) && isRecord(other)
    ? Object.fromEntries(
        Object.entries(value).filter(
          ([key, one]) => key !== 'updatedAt' && JSON.stringify(one) !== JSON.stringify(other[key]),
        ),
      )
    : value

export type AuditedChange = Pick<AuditEntry, 'action' | 'before' | 'after'> & {
  readonly projectId?: string | undefined
  readonly record?: string | undefined
}

type Deps = Pick<Runtime, 'clock' | 'newId' | 'log'> & {
  readonly repositories: RepositoriesFor<{ auditEntries: AuditEntry }>
}

const given = (wanted: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))

/** Position, counted from the newest, of the first entry before the time. */
const firstBefore = async (
  time: string | undefined,
  count: number,
  entryAt: (position: number) => Promise<AuditEntry | undefined>,
): Promise<number> => {
  if (time === undefined) return 0
  let [low, high] = [0, count]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const entry = await entryAt(middle)
    if (entry && entry.createdAt >= time) low = middle + 1
    else high = middle
  }
  return low
}

/** Entries are added after the change; one that cannot be stored is logged instead. */
export const auditLog = ({ repositories: { auditEntries }, clock, newId, log }: Deps) => {
  const record = async (
    author: AuditAuthor,
    { action, projectId, record, before, after }: AuditedChange,
  ): Promise<void> => {
    const entry: AuditEntry = {
      _id: newId(),
      ...author,
      ...(projectId !== undefined && { projectId }),
      action,
      ...(record !== undefined && { record }),
      ...(before !== undefined && { before: redacted(differing(before, after)) }),
      ...(after !== undefined && { after: redacted(differing(after, before)) }),
      ...stamps(clock().toISOString()),
    }
    await auditEntries
      .add(JSON.parse(JSON.stringify(entry)))
      .catch((error: unknown) => log('error', 'An entry of the audit log could not be stored', { entry, error }))
  }

  return {
    record,

    /** What the caller changed in its project; nothing for visitors and the embedding program. */
    note: async (scope: Scope, change: AuditedChange): Promise<void> => {
      const author = auditAuthorOf(scope)
      if (author) await record(author, { projectId: scope.projectId, ...change })
    },

    /** Newest first. @throws Refusal `invalid` */
    list: async ({ projectId }: Scope, query: z.output<typeof AuditQuery>): Promise<AuditPage> => {
      const { cursor, limit, from, until, ...wanted } = query
      const where = { projectId, ...given(wanted) }
      const newest = { where, sort: { by: 'createdAt', order: 'desc' } } as const
      const at = (skip: number) => auditEntries.list({ ...newest, skip, limit: 1 })
      // The cursor counts older entries: new ones do not change it.
      const { count } = await at(0)
      const skip =
        cursor === undefined
          ? await firstBefore(until, count, async (one) => (await at(one)).items[0])
          : Math.max(0, count - Number(cursor))
      const { items } = await auditEntries.list({ ...newest, skip, limit })
      const within = from === undefined ? items : items.filter(({ createdAt }) => createdAt >= from)
      const older = within.length < items.length ? 0 : count - skip - items.length
      return {
        items: within.map((one) => AuditEntryView.parse(one)),
        cursor: older > 0 && items.length > 0 ? String(older) : null,
      }
    },
  }
}
export type AuditLog = ReturnType<typeof auditLog>
