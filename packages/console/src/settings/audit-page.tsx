import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../api/client.js'
import type { AuditEntry } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { SavedViews } from '../ui/saved-views.js'
import { Empty, ErrorNote, Note, Skeleton } from '../ui/states.js'
import { Second, Table } from '../ui/table.js'
import { actionLabel, actionText } from './action-words.js'
import { changedFields } from './changed-fields.js'
import css from './settings.module.css'

const useAuthor = () => {
  const { say } = useText()
  return ({ by, byId = '', byName }: AuditEntry): string => {
    if (by === 'person') return byName ?? byId
    if (by === 'key') return say('byKey', { id: byId.slice(-4) })
    return say(by === 'operator' ? 'byOperator' : 'byCommandLine')
  }
}

const Changes = ({ entry: { before, after } }: { readonly entry: AuditEntry }) => {
  const fields = changedFields(before, after)
  if (fields.length === 0) return '–'
  return (
    <span className={css.changes}>
      {fields.map(({ field, before: was, after: is }) => (
        <span key={field}>
          {field !== '' && <b>{field}: </b>}
          {was !== undefined && <del>{was}</del>}
          {was !== undefined && is !== undefined && ' → '}
          {is !== undefined && <ins>{is}</ins>}
        </span>
      ))}
    </span>
  )
}

/** Who changed what, and when. */
export const AuditPage = () => {
  const { say, dateTime } = useText()
  const { projectId, may } = useProject()
  const authorOf = useAuthor()
  const isAllowed = may('audit.read')
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [projectId, 'audit'],
    queryFn: ({ signal, pageParam }) =>
      call(projectId, 'get', '/audit', { query: { limit: 50, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    enabled: isAllowed,
  })
  const entries = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <PageFrame title={say('auditLog')}>
      {isAllowed && <SavedViews page="audit" />}
      {!isAllowed ? (
        <Note>{say('errorForbidden')}</Note>
      ) : error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : entries.length === 0 ? (
        <Empty icon="clock" title={say('noAudit')}>
          {say('noAuditText')}
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
                const page = await call(projectId, 'get', '/audit', { query: { limit: 50, cursor }, signal })
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
