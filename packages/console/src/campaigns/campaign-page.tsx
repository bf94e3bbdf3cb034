import { useQuery } from '@tanstack/react-query'
import { lazy, useState } from 'react'
import { useParams } from 'wouter'
import { call } from '../api/client.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { ErrorNote, Skeleton } from '../ui/states.js'
import { hasRun } from './campaign-status.js'

const Compose = lazy(async () => ({ default: (await import('./compose.js')).Compose }))
const Run = lazy(async () => ({ default: (await import('./run.js')).Run }))

/** In ms; a scheduled campaign begins by itself, and its page follows. */
const watchInterval = 3_000

/** The same address for a draft, for what happens while it is sent, and for its report. */
export const CampaignPage = () => {
  const { say } = useText()
  const { projectId, href } = useProject()
  const { id } = useParams<{ id: string }>()
  const [reloads, setReloads] = useState(0)
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'campaign', id],
    queryFn: ({ signal }) => call(projectId, 'get', '/campaigns/{id}', { params: { id }, signal }),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.status === 'scheduled' || state.data?.status === 'being-sent' ? watchInterval : false,
    refetchOnWindowFocus: false,
  })
  if (data && hasRun(data.status)) return <Run campaign={data} onReload={() => void refetch()} />
  // Composes from what was loaded first; `useDraft` watches for changes by others.
  if (data)
    return (
      <Compose
        key={`${data._id} ${data.status} ${reloads}`}
        campaign={data}
        onReload={() => void refetch().then(() => setReloads((count) => count + 1))}
      />
    )
  return (
    <PageFrame title={say('campaign')} crumb={{ label: say('campaigns'), href: href('/campaigns') }}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton />}
    </PageFrame>
  )
}
