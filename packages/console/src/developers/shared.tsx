import { useQuery } from '@tanstack/react-query'
import { consoleBase, readApiDescription } from '../api/client.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { descriptionOf, type OpenApi } from './description.js'
import css from './developers.module.css'

export const ReferenceLink = () => {
  const { say } = useText()
  return (
    <a className={css.reference} href={consoleBase.replace(/console$/, 'docs')} target="_blank" rel="noreferrer">
      {say('apiDocs')}
    </a>
  )
}

export const useApiDescription = () => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'openapi'],
    queryFn: async ({ signal }) => descriptionOf((await readApiDescription(signal)) as OpenApi),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
