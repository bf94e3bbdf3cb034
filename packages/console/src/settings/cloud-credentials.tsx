import { useState } from 'react'
import { RegionSelect } from '../sending/region-select.js'
import { useText } from '../text/text.js'
import { Segmented } from '../ui/button.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { usePasswordAgain } from './password-field.js'
import { type Settings, useSaveSettings } from './project-queries.js'
import css from './settings.module.css'
import { SettingsForm } from './settings-form.js'

type Kind = 'role' | 'keys'

/** Fields of this step that a check of the account may refuse. */
export const checkedFields = ['limit']

/** Undefined for an empty text, null for an invalid one. */
const rateIn = (text: string): number | undefined | null => {
  if (text.trim() === '') return undefined
  const rate = Number(text)
  return Number.isSafeInteger(rate) && rate > 0 ? rate : null
}

export const CredentialsStep = ({
  project: { cloudConfig = {} },
  refusal,
}: {
  readonly project: Settings
  /** The refusal of a later step. */
  readonly refusal: unknown
}) => {
  const { say } = useText()
  const lacks = useLacks()
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
  const { isMissing, proof, field } = usePasswordAgain()
  const submit = async () => {
    const other = kind === 'role' ? accessKeyIdHint : roleArnHint
    const isSaved = await save({
      cloudConfig: {
        region,
        limit: rate ?? null,
        ...given,
        ...(other !== undefined && isGiven && { removeCredentials: kind === 'role' ? 'keys' : 'role' }),
      },
      ...(isGiven && proof),
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
        elsewhere={refusal}
        why={
          lacks({
            [say(kind === 'role' ? 'setCloudArn' : 'setCloudKeyId')]: hint === undefined && !isGiven,
            [say('region')]: region === '',
            [say('currentPassword')]: isGiven && isMissing,
          }) ?? (rate === null ? say('fixMarked') : undefined)
        }
        isChanged={isGiven || region !== (cloudConfig.region ?? '') || limit !== String(cloudConfig.limit ?? '')}
        onSubmit={() => void submit()}
      >
        {(problemAt) => (
          <>
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
                error={problemAt('cloudConfig.roleArn')}
              />
            ) : (
              <>
                <TextField
                  label={say('setCloudKeyId')}
                  value={accessKeyId}
                  onChange={setKeyId}
                  autoComplete="off"
                  note={stored}
                  error={problemAt('cloudConfig.accessKeyId')}
                />
                <TextField
                  label={say('setCloudSecret')}
                  type="password"
                  value={secretAccessKey}
                  onChange={setSecret}
                  autoComplete="new-password"
                  error={problemAt('cloudConfig.secretAccessKey')}
                  dense
                />
              </>
            )}
            <RegionSelect value={region} onChange={setRegion} error={problemAt('cloudConfig.region')} />
            <TextField
              label={say('setCloudRate')}
              value={limit}
              onChange={setLimit}
              note={say('setCloudRateNote')}
              error={rate === null ? say('setCloudRateWrong') : (problemAt('cloudConfig.limit') ?? problemAt('limit'))}
            />
            {isGiven && field}
          </>
        )}
      </SettingsForm>
    </div>
  )
}
