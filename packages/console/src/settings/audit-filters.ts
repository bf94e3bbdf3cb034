import type { AuditEntry } from '../api/types.js'
import { instantOf, isDay } from '../deliveries/mail-filters.js'
import { useText } from '../text/text.js'

const names = ['by', 'byId', 'action', 'record', 'from', 'to'] as const
export type AuditFilters = Readonly<Record<(typeof names)[number], string>>

export const filtersIn = (get: (name: string) => string): AuditFilters =>
  Object.fromEntries(names.map((name) => [name, get(name)])) as AuditFilters

export const authorKinds = ['person', 'key', 'operator', 'command line'] as const
const isKind = (by: string): by is AuditEntry['by'] => (authorKinds as readonly string[]).includes(by)

/** Both days of a span are included. */
export const auditQuery = ({ by, byId, action, record, from, to }: AuditFilters) => ({
  ...(isKind(by) && { by }),
  ...(byId !== '' && { byId }),
  ...(action !== '' && { action }),
  ...(record !== '' && { record }),
  ...(isDay(from) && { from: instantOf(from) }),
  ...(isDay(to) && { until: instantOf(to, 1) }),
})

export const useAuthor = () => {
  const { say } = useText()
  return ({ by, byId = '', byName }: Pick<AuditEntry, 'by' | 'byId' | 'byName'>): string => {
    if (by === 'person') return byName ?? (byId || say('team'))
    if (by === 'key') return byId === '' ? say('apiKeys') : say('byKey', { id: byId.slice(-4) })
    return say(by === 'operator' ? 'byOperator' : 'byCommandLine')
  }
}
