import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { callOperator } from '../api/client.js'
import { PageFrame } from '../shell/layout.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Segmented } from '../ui/button.js'
import { Empty, ErrorNote, Skeleton } from '../ui/states.js'
import { Pager } from '../ui/table.js'
import { ProjectCard } from './project-card.js'

const limit = 10

export const ReviewsPage = () => {
  const { say } = useText()
  const { get, set } = useUrlState()
  const state = get('state') === 'decided' ? 'decided' : 'waiting'
  const skip = skipOf(get('skip'))
  const { data, error, refetch } = useQuery({
    queryKey: ['operator', 'reviews', state, skip],
    queryFn: ({ signal }) => callOperator('get', '/reviews', { query: { state, skip, limit }, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <PageFrame title={say('opReviews')}>
      <div>
        <Segmented
          label={say('opReviews')}
          choices={[
            { value: 'waiting', label: say('opWaiting') },
            { value: 'decided', label: say('opDecided') },
          ]}
          value={state}
          onChange={(next) => set({ state: next === 'waiting' ? undefined : next, skip: undefined })}
        />
      </div>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : data.count === 0 ? (
        <Empty icon="check" title={say('opNoReviews')}>
          {say('opNoReviewsText')}
        </Empty>
      ) : (
        <>
          {data.items.map((project) => (
            <ProjectCard key={project._id} project={project} />
          ))}
          <Pager
            label={say('opReviews')}
            skip={skip}
            limit={limit}
            count={data.count}
            onSkip={(to) => set({ skip: to === 0 ? undefined : String(to) })}
          />
        </>
      )}
    </PageFrame>
  )
}
