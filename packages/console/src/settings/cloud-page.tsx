import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { ResponseOf } from '../api/types.js'
import { RegionSelect } from '../sending/region-select.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button, Segmented } from '../ui/button.js'
import { FormDialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import { Icon } from '../ui/icons.js'
import { Badge, ErrorNote, Note, Skeleton } from '../ui/states.js'
import { type Settings, useSaveSettings, useSettings } from './project-queries.js'
import css from './settings.module.css'
import { SettingsForm } from './settings-form.js'

type Kind = 'role' | 'keys'

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
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data && (
        <a className={css.outside} href={data.link} target="_blank" rel="noreferrer">
          <Icon name="globe" />
          {say('setCloudOpen')}
        </a>
      )}
    </section>
  )
}

/** Undefined for none, null for a text that is no whole number above zero. */
const rateIn = (text: string): number | undefined | null => {
  if (text.trim() === '') return undefined
  const rate = Number(text)
  return Number.isSafeInteger(rate) && rate > 0 ? rate : null
}

const CredentialsStep = ({ project: { cloudConfig = {} } }: { readonly project: Settings }) => {
  const { say } = useText()
  const { isBusy, error, save } = useSaveSettings()
  const { roleArnHint, accessKeyIdHint } = cloudConfig
  const [kind, setKind] = useState<Kind>(accessKeyIdHint === undefined ? 'role' : 'keys')
  const [region, setRegion] = useState(cloudConfig.region ?? '')
  const [limit, setLimit] = useState(cloudConfig.limit === undefined ? '' : String(cloudConfig.limit))
  const [roleArn, setRole] = useState('')
  const [accessKeyId, setKeyId] = useState('')
  const [secretAccessKey, setSecret] = useState('')
  const rate = rateIn(limit)
  const hint = kind === 'role' ? roleArnHint : accessKeyIdHint
  const stored = hint === undefined ? undefined : say('setCloudStored', { hint })
  const given =
    kind === 'role'
      ? { ...(roleArn.trim() !== '' && { roleArn: roleArn.trim() }) }
      : {
          ...(accessKeyId.trim() !== '' && { accessKeyId: accessKeyId.trim() }),
          ...(secretAccessKey.trim() !== '' && { secretAccessKey: secretAccessKey.trim() }),
        }
  const isGiven = Object.keys(given).length > 0
  const submit = async () => {
    const other = kind === 'role' ? accessKeyIdHint : roleArnHint
    const isSaved = await save({
      cloudConfig: {
        region,
        limit: rate ?? null,
        ...given,
        ...(other !== undefined && isGiven && { removeCredentials: kind === 'role' ? 'keys' : 'role' }),
      },
    })
    if (!isSaved) return
    setRole('')
    setKeyId('')
    setSecret('')
  }
  return (
    <div className={css.step}>
      <SettingsForm
        title={`2. ${say('setCloudEnter')}`}
        text={say('setCloudEnterText')}
        isAllowed
        isBusy={isBusy}
        error={error}
        isDisabled={region === '' || rate === null || (hint === undefined && !isGiven)}
        onSubmit={() => void submit()}
      >
        <div>
          <Segmented
            label={say('setCloudKind')}
            value={kind}
            onChange={setKind}
            choices={[
              { value: 'role', label: say('setCloudRole') },
              { value: 'keys', label: say('setCloudKeys') },
            ]}
          />
        </div>
        {kind === 'role' ? (
          <TextField
            label={say('setCloudArn')}
            value={roleArn}
            onChange={setRole}
            autoComplete="off"
            placeholder="arn:aws:iam::123456789012:role/posthorn"
            note={stored}
          />
        ) : (
          <>
            <TextField
              label={say('setCloudKeyId')}
              value={accessKeyId}
              onChange={setKeyId}
              autoComplete="off"
              note={stored}
            />
            <TextField
              label={say('setCloudSecret')}
              type="password"
              value={secretAccessKey}
              onChange={setSecret}
              autoComplete="new-password"
              dense
            />
          </>
        )}
        <RegionSelect value={region} onChange={setRegion} />
        <TextField
          label={say('setCloudRate')}
          value={limit}
          onChange={setLimit}
          note={say('setCloudRateNote')}
          error={rate === null ? say('setCloudRateWrong') : undefined}
        />
      </SettingsForm>
    </div>
  )
}

type Checked = ResponseOf<'post', '/cloud-check'>

const CheckStep = () => {
  const { say } = useText()
  const { projectId } = useProject()
  const [isBusy, setBusy] = useState(false)
  const [checked, setChecked] = useState<Checked>()
  const [error, setError] = useState<unknown>()
  const check = async () => {
    setBusy(true)
    setChecked(undefined)
    setError(undefined)
    try {
      setChecked(await call(projectId, 'post', '/cloud-check', { body: {} }))
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className={css.step} aria-labelledby="cloud-check">
      <h2 id="cloud-check">3. {say('setCloudCheck')}</h2>
      <p>{say('setCloudCheckText')}</p>
      <div>
        <Button isDisabled={isBusy} onPress={() => void check()}>
          {isBusy ? say('working') : say('setCloudCheckDo')}
        </Button>
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {checked && (
        <div role="status">
          <Badge tone="good" icon="check">
            {say('setCloudFine')}
          </Badge>
        </div>
      )}
      {checked?.warnings?.map((warning) => (
        <Note key={warning} kind="warn">
          <span lang="en">{warning}</span>
        </Note>
      ))}
    </section>
  )
}

const UseStep = ({ project }: { readonly project: Settings }) => {
  const { say } = useText()
  const { isBusy, error, save } = useSaveSettings()
  const [isRemoving, setRemoving] = useState(false)
  const isUsed = project.status === 'byoCloudSes'
  return (
    <section className={css.step} aria-labelledby="cloud-use">
      <h2 id="cloud-use">4. {say('setCloudUse')}</h2>
      <p>{say(isUsed ? 'setCloudUsedText' : 'setCloudUseText')}</p>
      {error !== undefined && <ErrorNote error={error} />}
      {!isUsed && (
        <div className={css.buttons}>
          <Button kind="primary" isDisabled={isBusy} onPress={() => void save({ status: 'byoCloudSes' })}>
            {isBusy ? say('working') : say('setCloudUseDo')}
          </Button>
          <Button danger onPress={() => setRemoving(true)}>
            {say('setCloudRemove')}
          </Button>
        </div>
      )}
      {isRemoving && <RemoveDialog onClose={() => setRemoving(false)} />}
    </section>
  )
}

const RemoveDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const { refetch } = useSettings()
  return (
    <FormDialog
      title={say('setCloudRemoveTitle')}
      isOpen
      onClose={onClose}
      submit={say('removeDo')}
      danger
      onSubmit={async () => {
        await call(projectId, 'patch', '', { body: { cloudConfig: null } })
        await refetch()
      }}
    >
      <p>{say('setCloudRemoveText')}</p>
    </FormDialog>
  )
}

/** The project's own account at Amazon SES, step by step. */
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
  const config = data?.cloudConfig
  const hasCredentials = config?.roleArnHint !== undefined || config?.accessKeyIdHint !== undefined
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
          <CredentialsStep key={JSON.stringify(config ?? {})} project={data} />
          {hasCredentials && <CheckStep />}
          {hasCredentials && <UseStep project={data} />}
        </>
      )}
    </PageFrame>
  )
}
