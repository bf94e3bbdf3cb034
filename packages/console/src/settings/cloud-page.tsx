import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import { CheckStep, useCloudCheck } from './cloud-check.js'
import { CredentialsStep } from './cloud-credentials.js'
import { RoleStep } from './cloud-role.js'
import { UseStep } from './cloud-use.js'
import { type Settings, useSaveSettings, useSettings } from './project-queries.js'

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
