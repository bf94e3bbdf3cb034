import { useQuery } from '@tanstack/react-query'
import { callOperator } from '../api/client.js'
import { PageFrame } from '../shell/layout.js'
import { useText } from '../text/text.js'
import { ErrorNote, Skeleton } from '../ui/states.js'
import { ProjectCard } from './project-card.js'

export const ProjectPage = ({ id }: { readonly id: string }) => {
  const { say } = useText()
  const { data, error, refetch } = useQuery({
    queryKey: ['operator', 'project', id],
    queryFn: ({ signal }) => callOperator('get', '/projects/{id}', { params: { id }, signal }),
  })
  return (
    <PageFrame title={data?.name ?? say('project')} crumb={{ label: say('projects'), href: '/operator/projects' }}>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <ProjectCard project={data} whole />
      ) : (
        <Skeleton />
      )}
    </PageFrame>
  )
}
