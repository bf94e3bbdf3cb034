import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Copied } from '../ui/copied.js'
import { Icon } from '../ui/icons.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import { CheckStep, useCloudCheck } from './cloud-check.js'
import { CredentialsStep } from './cloud-credentials.js'
import { UseStep } from './cloud-use.js'
import { type Settings, useSaveSettings, useSettings } from './project-queries.js'
import css from './settings.module.css'

const RoleStep = () => {
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

/** What the account refuses may concern the fields of the credentials. */
const AccountSteps = ({ project }: { readonly project: Settings }) => {
  const checking = useCloudCheck()
  const using = useSaveSettings()
  const { roleArnHint, accessKeyIdHint } = project.cloudConfig ?? {}
  return (
    <>
      <CredentialsStep project={project} refusal={checking.error ?? using.error} />
      {(roleArnHint ?? accessKeyIdHint) !== undefined && (
        <>
          <CheckStep {...checking} />
          <UseStep project={project} {...using} />
        </>
      )}
    </>
  )
}

export const CloudPage = () => {
  const { say } = useText()
  const { may } = useProject()
  const { data, error, refetch } = useSettings()
  if (!may('settings.edit'))
    return (
      <PageFrame title={say('setCloud')}>
        <Note>{say('errorForbidden')}</Note>
      </PageFrame>
    )
  return (
    <PageFrame
      title={say('setCloud')}
      under={data && say(data.status === 'byoCloudSes' ? 'setCloudUsed' : 'setCloudUnused')}
    >
      <Note>{say('setCloudText')}</Note>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : (
        <>
          <RoleStep />
          <AccountSteps key={JSON.stringify(data.cloudConfig ?? {})} project={data} />
        </>
      )}
    </PageFrame>
  )
}
