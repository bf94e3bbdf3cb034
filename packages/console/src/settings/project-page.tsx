import { useState } from 'react'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { type Language, languageNames } from '../text/language-names.js'
import { useText } from '../text/text.js'
import { Checkbox, Select, TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import { usePasswordAgain } from './password-field.js'
import { type Settings, useSaveSettings, useSettings } from './project-queries.js'
import css from './settings.module.css'
import { SettingsForm } from './settings-form.js'

type FormProps = { readonly project: Settings; readonly isAllowed: boolean }

const General = ({ project, isAllowed }: FormProps) => {
  const { say } = useText()
  const lacks = useLacks()
  const { isBusy, error, save } = useSaveSettings()
  const [name, setName] = useState(project.name)
  const [logoUrl, setLogo] = useState(project.logoUrl ?? '')
  const [page, setPage] = useState(project.customSubscriptionPreferencesUrl ?? '')
  const { isMissing, proof, field } = usePasswordAgain()
  const isOtherPage = page.trim() !== '' && page.trim() !== project.customSubscriptionPreferencesUrl
  return (
    <SettingsForm
      title={say('project')}
      {...{ isAllowed, isBusy, error }}
      why={lacks({ [say('name')]: name.trim() === '', [say('currentPassword')]: isOtherPage && isMissing })}
      isChanged={
        name.trim() !== project.name ||
        logoUrl.trim() !== (project.logoUrl ?? '') ||
        page.trim() !== (project.customSubscriptionPreferencesUrl ?? '')
      }
      onSubmit={() =>
        void save({
          name: name.trim(),
          logoUrl: logoUrl.trim(),
          customSubscriptionPreferencesUrl: page.trim(),
          ...(isOtherPage && proof),
        })
      }
    >
      {(problemAt) => (
        <>
          <TextField
            label={say('name')}
            value={name}
            onChange={setName}
            maxLength={200}
            error={problemAt('name')}
            dense
            isDisabled={!isAllowed}
          />
          <TextField
            label={say('setLogo')}
            value={logoUrl}
            onChange={setLogo}
            maxLength={2000}
            note={say('setLogoNote')}
            error={problemAt('logoUrl')}
            isDisabled={!isAllowed}
          />
          <TextField
            label={say('setPreferences')}
            value={page}
            onChange={setPage}
            maxLength={2000}
            note={say('setPreferencesNote')}
            error={problemAt('customSubscriptionPreferencesUrl')}
            isDisabled={!isAllowed}
          />
          {isOtherPage && field}
        </>
      )}
    </SettingsForm>
  )
}

const Languages = ({ project, isAllowed }: FormProps) => {
  const { say } = useText()
  const { isBusy, error, save } = useSaveSettings()
  const [language, setLanguage] = useState(project.language)
  const isChanged = language !== project.language
  return (
    <SettingsForm
      title={say('setLanguages')}
      text={say('setLanguagesText')}
      {...{ isAllowed, isBusy, error }}
      isChanged={isChanged}
      why={isChanged ? undefined : say('nothingChanged')}
      onSubmit={() => void save({ language })}
    >
      {(problemAt) => (
        <Select
          label={say('setLanguage')}
          options={Object.entries(languageNames).map(([value, label]) => ({ value: value as Language, label }))}
          value={language as Language}
          onChange={setLanguage}
          isDisabled={!isAllowed}
          note={say('setLanguageNote')}
          error={problemAt('language')}
        />
      )}
    </SettingsForm>
  )
}

const Tracking = ({ project, isAllowed }: FormProps) => {
  const { say } = useText()
  const { isBusy, error, save } = useSaveSettings()
  const [tracking, setTracking] = useState(project.tracking)
  const isChanged = tracking.opens !== project.tracking.opens || tracking.clicks !== project.tracking.clicks
  return (
    <SettingsForm
      title={say('setTracking')}
      text={say('setTrackingText')}
      {...{ isAllowed, isBusy, error }}
      isChanged={isChanged}
      why={isChanged ? undefined : say('nothingChanged')}
      onSubmit={() => void save({ tracking })}
    >
      {(['opens', 'clicks'] as const).map((kind) => (
        <Checkbox
          key={kind}
          isSelected={tracking[kind]}
          isDisabled={!isAllowed}
          onChange={(is) => setTracking((before) => ({ ...before, [kind]: is }))}
        >
          {say(kind === 'opens' ? 'setOpens' : 'setClicks')}
        </Checkbox>
      ))}
    </SettingsForm>
  )
}

const removals = { off: 'setOff', removeFromLists: 'setRemove', deleteContact: 'setDelete' } as const
type Removal = keyof typeof removals

const Cleanup = ({ project, isAllowed }: FormProps) => {
  const { say } = useText()
  const { isBusy, error, save } = useSaveSettings()
  const { bounce, complaint } = project.autoRemoveFromList
  const [chosen, setChosen] = useState({ bounce, complaint })
  const isChanged = chosen.bounce !== bounce || chosen.complaint !== complaint
  return (
    <SettingsForm
      title={say('setCleanup')}
      text={say('setCleanupText')}
      {...{ isAllowed, isBusy, error }}
      isChanged={isChanged}
      why={isChanged ? undefined : say('nothingChanged')}
      onSubmit={() => void save({ autoRemoveFromList: chosen })}
    >
      {(problemAt) =>
        (['bounce', 'complaint'] as const).map((after) => (
          <Select
            key={after}
            label={say(after === 'bounce' ? 'setBounce' : 'setComplaint')}
            options={(Object.keys(removals) as Removal[]).map((value) => ({ value, label: say(removals[value]) }))}
            error={problemAt(`autoRemoveFromList.${after}`)}
            value={chosen[after]}
            onChange={(removal) => setChosen((before) => ({ ...before, [after]: removal }))}
            isDisabled={!isAllowed}
            dense
          />
        ))
      }
    </SettingsForm>
  )
}

export const ProjectPage = () => {
  const { say } = useText()
  const { may } = useProject()
  const { data, error, refetch } = useSettings()
  const isAllowed = may('settings.edit')
  return (
    <PageFrame title={say('project')}>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : (
        <>
          {!isAllowed && <Note>{say('setReadOnly')}</Note>}
          <div className={css.cards}>
            <General project={data} isAllowed={isAllowed} />
            <Languages project={data} isAllowed={isAllowed} />
            <Tracking project={data} isAllowed={isAllowed} />
            <Cleanup project={data} isAllowed={isAllowed} />
          </div>
          <Note>{say('setZones')}</Note>
        </>
      )}
    </PageFrame>
  )
}
