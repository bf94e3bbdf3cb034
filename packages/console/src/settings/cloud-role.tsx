import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Copied } from '../ui/copied.js'
import { Icon } from '../ui/icons.js'
import { ErrorNote, Skeleton } from '../ui/states.js'
import css from './settings.module.css'

export const RoleStep = () => {
  const { say } = useText()
  const { projectId } = useProject()
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'setup-link'],
    queryFn: ({ signal }) => call(projectId, 'get', '/setup-link', { signal }),
  })
  return (
    <section className={css.step} aria-labelledby="cloud-role">
      <h2 id="cloud-role">1. {say('setCloudCreate')}</h2>
      <p>{say('setCloudCreateText')}</p>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={2} />
      ) : (
        <>
          <a className={css.outside} href={data.link} target="_blank" rel="noreferrer">
            <Icon name="globe" />
            {say('setCloudOpen')}
          </a>
          <dl className={css.pair}>
            <dt>{say('setCloudExternalId')}</dt>
            <dd>
              <Copied text={data.externalId} label={say('setCloudExternalIdCopy')} />
            </dd>
          </dl>
          <p className={css.quiet}>{say('setCloudExternalIdText')}</p>
        </>
      )}
    </section>
  )
}
