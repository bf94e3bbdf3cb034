import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.js'
import type { RepeatedRequest } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Empty, ErrorNote, Note, Skeleton } from '../ui/states.js'
import { Pager, Table } from '../ui/table.js'
import css from './developers.module.css'
import { routeOf } from './reference-page.js'
import { ReferenceLink, useApiDescription } from './shared.js'

const pageSize = 20

/** Requests answered with the stored response to the same Idempotency-Key. */
export const RepeatsPage = () => {
  const { say, number, dateTime } = useText()
  const { projectId, href, may } = useProject()
  const { get, set } = useUrlState()
  const isAllowed = may('settings.edit')
  const skip = skipOf(get('skip'))
  const description = useApiDescription()
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'repeated-requests'],
    queryFn: ({ signal }) => call(projectId, 'get', '/repeated-requests', { signal }),
    enabled: isAllowed,
    staleTime: 0,
  })
  const shownRoute = ({ operation }: RepeatedRequest) => {
    const found = description.data?.operations.find(({ operationId }) => operationId === operation)
    return <code>{found ? routeOf(found) : operation}</code>
  }
  if (!isAllowed)
    return (
      <PageFrame title={say('repeats')}>
        <Note>{say('errorForbidden')}</Note>
      </PageFrame>
    )
  return (
    <PageFrame title={say('repeats')} under={data && number(data.items.length)} actions={<ReferenceLink />}>
      <p className={css.quiet}>{say('repeatsText')}</p>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : data.items.length === 0 ? (
        <Empty icon="retry" title={say('repeatsNone')}>
          {say('repeatsNoneText')}
        </Empty>
      ) : (
        <div>
          <Table<RepeatedRequest>
            label={say('repeats')}
            rows={data.items.slice(skip, skip + pageSize)}
            keyOf={({ _id }) => _id}
            nameOf={({ key }) => key}
            hrefOf={({ operation }) => href(`/developers/api/${operation}`)}
            columns={[
              { id: 'key', label: 'Idempotency-Key', cell: shownRoute },
              { id: 'repeats', label: say('repeatsCount'), numeric: true, cell: ({ repeats }) => number(repeats) },
              { id: 'first', label: say('repeatsFirst'), isShort: true, cell: ({ createdAt }) => dateTime(createdAt) },
              { id: 'last', label: say('repeatsLast'), isShort: true, cell: ({ repeatedAt }) => dateTime(repeatedAt) },
            ]}
          />
          <Pager
            label={say('repeats')}
            skip={skip}
            limit={pageSize}
            count={data.items.length}
            onSkip={(to) => set({ skip: to === 0 ? undefined : String(to) })}
          />
        </div>
      )}
    </PageFrame>
  )
}
