import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../api/client.js'
import type { AuditEntry } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { SavedViews } from '../ui/saved-views.js'
import { Empty, ErrorNote, Note, Skeleton } from '../ui/states.js'
import { Second, Table } from '../ui/table.js'
import { actionLabel, actionText } from './action-words.js'
import { AuditFilterForm, auditQuery, filtersIn, useAuthor } from './audit-filter-form.js'
import css from './settings.module.css'

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value)

type ChangedField = {
  /** Empty if the value is no record. */
  readonly field: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** The fields of two versions of a record, first the later version's. */
const changedFields = (before: unknown, after: unknown): readonly ChangedField[] => {
  if (!isRecord(before ?? {}) || !isRecord(after ?? {}))
    return [{ field: '', before: textOf(before), after: textOf(after) }]
  const [earlier, later] = [before, after].map((one) => (isRecord(one) ? one : {}))
  return [...new Set([...Object.keys(later ?? {}), ...Object.keys(earlier ?? {})])].map((field) => ({
    field,
    before: textOf(earlier?.[field]),
    after: textOf(later?.[field]),
  }))
}

const Changes = ({ entry: { before, after } }: { readonly entry: AuditEntry }) => {
  const fields = changedFields(before, after)
  if (fields.length === 0) return '–'
  return (
    <span className={css.changes}>
      {fields.map(({ field, before: was, after: is }) => (
        <span key={field}>
          {field !== '' && <b>{`${field}: `}</b>}
          {was !== undefined && <del>{was}</del>}
          {was !== undefined && is !== undefined && ' → '}
          {is !== undefined && <ins>{is}</ins>}
        </span>
      ))}
    </span>
  )
}

export const AuditPage = () => {
  const { say, dateTime } = useText()
  const { projectId, may } = useProject()
  const { get, set } = useUrlState()
  const filters = filtersIn(get)
  const query = auditQuery(filters)
  const authorOf = useAuthor()
  const isAllowed = may('audit.read')
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [projectId, 'audit', query],
    queryFn: ({ signal, pageParam }) =>
      call(projectId, 'get', '/audit', { query: { ...query, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    enabled: isAllowed,
  })
  const isFiltered = Object.keys(query).length > 0
  const entries = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <PageFrame title={say('auditLog')}>
      {isAllowed && (
        <>
          <SavedViews page="audit" />
          <AuditFilterForm key={filters.record} filters={filters} entries={entries} onChange={set} />
        </>
      )}
      {!isAllowed ? (
        <Note>{say('errorForbidden')}</Note>
      ) : error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : entries.length === 0 ? (
        <Empty icon="clock" title={say(isFiltered ? 'setNothing' : 'noAudit')}>
          {say(isFiltered ? 'setNothingText' : 'noAuditText')}
        </Empty>
      ) : (
        <>
          <Table<AuditEntry>
            label={say('auditLog')}
            rows={entries}
            keyOf={({ _id }) => _id}
            nameOf={({ action }) => actionLabel(say, action)}
            pages={async function* (signal) {
              for (let cursor: string | undefined; ; ) {
                const page = await call(projectId, 'get', '/audit', { query: { ...query, limit: 50, cursor }, signal })
                yield page.items
                if (page.cursor === null || page.cursor === undefined) return
                cursor = page.cursor
              }
            }}
            columns={[
              {
                id: 'action',
                label: say('action'),
                cell: ({ action, record }) => (
                  <>
                    <Second>
                      <span lang="en">{actionText(action)}</span>
                    </Second>
                    {record && (
                      <Second>
                        <span className={css.whole}>{record}</span>
                      </Second>
                    )}
                  </>
                ),
              },
              {
                id: 'who',
                label: say('who'),
                cell: (entry) => <span className={css.author}>{authorOf(entry)}</span>,
              },
              {
                id: 'time',
                label: say('time'),
                cell: ({ createdAt }) => <span className={css.whole}>{dateTime(createdAt)}</span>,
              },
              {
                id: 'changes',
                label: say('changed'),
                cell: (entry) => <Changes entry={entry} />,
                text: ({ before, after }) =>
                  changedFields(before, after)
                    .map(({ field, before: was = '', after: is = '' }) => `${field}: ${was} → ${is}`)
                    .join('; '),
              },
            ]}
            menuOf={({ by, byId, action, record }) => [
              {
                id: 'author',
                label: say('setOnlyAuthor'),
                icon: 'people',
                onAction: () => set({ by, byId }),
              },
              { id: 'action', label: say('setOnlyAction'), icon: 'search', onAction: () => set({ action }) },
              ...(record === undefined
                ? []
                : [
                    {
                      id: 'record',
                      label: say('setOnlyRecord'),
                      icon: 'search',
                      onAction: () => set({ record }),
                    } as const,
                  ]),
            ]}
          />
          {hasNextPage && (
            <Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
              {isFetchingNextPage ? say('working') : say('older')}
            </Button>
          )}
        </>
      )}
    </PageFrame>
  )
}
