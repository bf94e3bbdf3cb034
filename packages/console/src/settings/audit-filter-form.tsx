import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { AuditEntry } from '../api/types.js'
import { instantOf, isDay } from '../deliveries/mail-filters.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Select, TextField } from '../ui/field.js'
import { actionLabel, actionText } from './action-words.js'
import css from './settings.module.css'

const names = ['by', 'byId', 'action', 'record', 'from', 'to'] as const
export type AuditFilters = Readonly<Record<(typeof names)[number], string>>

export const filtersIn = (get: (name: string) => string): AuditFilters =>
  Object.fromEntries(names.map((name) => [name, get(name)])) as AuditFilters

export const authorKinds = ['person', 'key', 'operator', 'command line'] as const
const isKind = (by: string): by is AuditEntry['by'] => (authorKinds as readonly string[]).includes(by)

/** As the API takes them; both days of a span are part of it. */
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

type Author = Pick<AuditEntry, 'by' | 'byId' | 'byName'>
const keyOf = ({ by, byId = '' }: Author) => `${by} ${byId}`

/** Members, if the person may see them, and authors of the shown entries. */
const useAuthors = (entries: readonly AuditEntry[], { by, byId }: AuditFilters): readonly Author[] => {
  const { projectId, may } = useProject()
  const { data } = useQuery({
    queryKey: [projectId, 'people'],
    queryFn: ({ signal }) => call(projectId, 'get', '/people', { signal }),
    enabled: may('people.edit'),
  })
  const chosen = by === '' ? [] : [{ by: by as Author['by'], ...(byId !== '' && { byId }) }]
  const all: readonly Author[] = [
    ...(data?.people ?? []).map(({ _id, name }) => ({ by: 'person', byId: _id, byName: name }) as const),
    { by: 'person' },
    { by: 'key' },
    { by: 'operator' },
    { by: 'command line' },
    ...entries,
    ...chosen,
  ]
  return [...new Map(all.toReversed().map((one) => [keyOf(one), one])).values()].toReversed()
}

/** Offers only the entries' actions; others are found by a row's menu or link. */
export const AuditFilterForm = ({
  filters,
  entries,
  onChange,
}: {
  readonly filters: AuditFilters
  readonly entries: readonly AuditEntry[]
  readonly onChange: (filters: Partial<AuditFilters>) => void
}) => {
  const { say } = useText()
  const authors = useAuthors(entries, filters)
  const authorOf = useAuthor()
  const [record, setRecord] = useState(filters.record)
  const actions = [...new Set([...entries.map(({ action }) => action), filters.action])].filter((one) => one !== '')
  const nameOf = (action: string) => `${actionLabel(say, action)} · ${actionText(action)}`
  const isFiltered = Object.values(filters).some((one) => one !== '')
  return (
    <form
      className={css.filters}
      noValidate
      aria-label={say('auditLog')}
      onSubmit={(event) => {
        event.preventDefault()
        onChange({ record: record.trim() })
      }}
    >
      <Select
        label={say('who')}
        value={filters.by === '' ? '' : keyOf({ by: filters.by as Author['by'], byId: filters.byId })}
        onChange={(key) => {
          const author = authors.find((one) => keyOf(one) === key)
          onChange({ by: author?.by ?? '', byId: author?.byId ?? '' })
        }}
        options={[
          { value: '', label: say('all') },
          ...authors.map((author) => ({ value: keyOf(author), label: authorOf(author) })),
        ]}
        dense
      />
      <Select
        label={say('action')}
        value={filters.action}
        onChange={(action) => onChange({ action })}
        options={[
          { value: '', label: say('all') },
          ...actions.map((value) => ({ value, label: nameOf(value) })).sort((a, b) => a.label.localeCompare(b.label)),
        ]}
        dense
      />
      <TextField label={say('setRecord')} value={record} onChange={setRecord} maxLength={200} dense />
      <TextField
        label={say('mailFrom')}
        type="date"
        value={filters.from}
        onChange={(from) => onChange({ from })}
        dense
      />
      <TextField label={say('mailTo')} type="date" value={filters.to} onChange={(to) => onChange({ to })} dense />
      <div className={css.buttons}>
        <Button type="submit" kind="primary" icon="search">
          {say('mailFind')}
        </Button>
        {isFiltered && (
          <Button kind="quiet" onPress={() => onChange({ by: '', byId: '', action: '', record: '', from: '', to: '' })}>
            {say('setAll')}
          </Button>
        )}
      </div>
    </form>
  )
}
