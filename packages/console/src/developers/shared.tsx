import { useQuery } from '@tanstack/react-query'
import { apiUrl, consoleBase } from '../api/client.js'
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
    queryFn: async ({ signal }) => {
      const response = await fetch(`${apiUrl()}/v1/openapi.json`, { signal })
      if (!response.ok) throw new Error(`The description of the API was not answered: ${response.status}`)
      return descriptionOf((await response.json()) as OpenApi)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}
