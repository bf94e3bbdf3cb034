import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callOperator } from '../api/client.js'
import { PageFrame } from '../shell/layout.js'
import { useSession } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { ErrorNote, Skeleton } from '../ui/states.js'
import { ProjectCard } from './project-card.js'
import { ViewDialog } from './read-only-view.js'

export const OperatorProjectPage = ({ id }: { readonly id: string }) => {
  const { say } = useText()
  const { projects, embedded = false } = useSession()
  const [isBeginning, setBeginning] = useState(false)
  const isOwn = projects.some(({ _id }) => _id === id)
  const { data, error, refetch } = useQuery({
    queryKey: ['operator', 'project', id],
    queryFn: ({ signal }) => callOperator('get', '/projects/{id}', { params: { id }, signal }),
  })
  return (
    <PageFrame
      title={data?.name ?? say('project')}
      crumb={{ label: say('projects'), href: '/operator/projects' }}
      actions={data && !embedded && !isOwn && <Button onPress={() => setBeginning(true)}>{say('viewBegin')}</Button>}
    >
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <ProjectCard project={data} whole />
      ) : (
        <Skeleton />
      )}
      {data && isBeginning && <ViewDialog id={id} name={data.name} onClose={() => setBeginning(false)} />}
    </PageFrame>
  )
}
