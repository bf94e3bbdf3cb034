import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  changeMe,
  changePassword,
  connectProvider,
  getSessions,
  type OwnSession,
  revokeSession,
} from '../api/session.js'
import { PageFrame } from '../shell/layout.js'
import { sessionQueryKey, useSession } from '../shell/session.js'
import { chooseTheme, chosenTheme, type Theme, themes } from '../shell/theme.js'
import { ProviderButton, useSignInOptions } from '../sign-in/provider.js'
import { type Language, languageNames } from '../text/language-names.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { FormDialog } from '../ui/dialog.js'
import { Select, TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { ErrorNote, Skeleton, useToast } from '../ui/states.js'
import { Second, Table } from '../ui/table.js'
import { Notices } from './notices.js'
import { SecondFactor } from './second-factor.js'
import css from './settings.module.css'
import { SettingsForm } from './settings-form.js'

const leastPassword = 10

const Profile = () => {
  const { say, language: shown, setLanguage } = useText()
  const lacks = useLacks()
  const { person } = useSession()
  const client = useQueryClient()
  const toast = useToast()
  const [name, setName] = useState(person.name)
  const [language, chooseLanguage] = useState<Language>(shown)
  const [theme, setTheme] = useState<Theme>(chosenTheme)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const save = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await changeMe({ name: name.trim(), language, theme })
      setLanguage(language)
      chooseTheme(theme)
      toast(say('saved'))
      await client.invalidateQueries({ queryKey: sessionQueryKey })
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <SettingsForm
      title={say('profile')}
      isAllowed
      why={lacks({ [say('name')]: name.trim() === '' })}
      isChanged={name.trim() !== person.name || language !== shown || theme !== chosenTheme()}
      {...{ isBusy, error }}
      onSubmit={() => void save()}
    >
      {(problemAt) => (
        <>
          <TextField
            label={say('name')}
            value={name}
            onChange={setName}
            autoComplete="name"
            maxLength={200}
            error={problemAt('name')}
            dense
          />
          <Select
            label={say('language')}
            options={Object.entries(languageNames).map(([value, label]) => ({ value: value as Language, label }))}
            value={language}
            onChange={chooseLanguage}
            error={problemAt('language')}
            dense
          />
          <Select
            label={say('theme')}
            options={themes.map((value) => ({
              value,
              label: say(value === 'system' ? 'themeSystem' : value === 'light' ? 'themeLight' : 'themeDark'),
            }))}
            value={theme}
            onChange={setTheme}
            note={say('keptWithAccount')}
            error={problemAt('theme')}
          />
        </>
      )}
    </SettingsForm>
  )
}

const Password = () => {
  const { say } = useText()
  const lacks = useLacks()
  const client = useQueryClient()
  const toast = useToast()
  const [isOpen, setOpen] = useState(false)
  const [password, setPassword] = useState('')
  const [newPassword, setNewPassword] = useState('')
  const close = () => {
    setOpen(false)
    setPassword('')
    setNewPassword('')
  }
  return (
    <section className={css.section}>
      <h2>{say('password')}</h2>
      <div>
        <Button onPress={() => setOpen(true)}>{say('changePassword')}</Button>
      </div>
      <FormDialog
        title={say('changePassword')}
        isOpen={isOpen}
        onClose={close}
        submit={say('changePassword')}
        why={lacks({
          [say('currentPassword')]: password === '',
          [say('newPassword')]: newPassword.length < leastPassword,
        })}
        onSubmit={async () => {
          await changePassword({ password, newPassword })
          toast(say('passwordChanged'))
          await client.invalidateQueries({ queryKey: ['sessions'] })
        }}
      >
        {(problemAt) => (
          <>
            <TextField
              label={say('currentPassword')}
              type="password"
              autoComplete="current-password"
              value={password}
              onChange={setPassword}
              error={problemAt('password')}
              autoFocus
              dense
            />
            <TextField
              label={say('newPassword')}
              type="password"
              autoComplete="new-password"
              value={newPassword}
              onChange={setNewPassword}
              note={say('passwordNote', { count: leastPassword })}
              error={problemAt('newPassword')}
            />
          </>
        )}
      </FormDialog>
    </section>
  )
}

/** `Mozilla/5.0 (X11; Linux x86_64) … Firefox/140.0` as "Firefox, Linux". */
export const browserName = (userAgent: string): string => {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)/.exec(userAgent.replace(/^.*?(Edg|OPR)/, '$1'))?.[1]
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|CrOS|Linux)/.exec(userAgent)?.[1]
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS', CrOS: 'ChromeOS' }
  const known = [browser, system].flatMap((one) => (one === undefined ? [] : [names[one] ?? one]))
  return known.length > 0 ? known.join(', ') : userAgent.slice(0, 60)
}

const Sessions = () => {
  const { say, dateTime } = useText()
  const client = useQueryClient()
  const toast = useToast()
  const [failure, setFailure] = useState<unknown>()
  const { data, error, refetch } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => getSessions(signal),
  })
  const end = async ({ _id }: OwnSession) => {
    setFailure(undefined)
    try {
      await revokeSession(_id)
      toast(say('sessionOver'))
    } catch (thrown) {
      setFailure(thrown)
    }
    await client.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <section className={css.section}>
      <h2>{say('sessionsTitle')}</h2>
      {failure !== undefined && <ErrorNote error={failure} />}
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={2} />
      ) : (
        <Table<OwnSession>
          label={say('sessionsTitle')}
          rows={data}
          keyOf={({ _id }) => _id}
          nameOf={({ userAgent }) => browserName(userAgent)}
          columns={[
            {
              id: 'browser',
              label: say('browser'),
              cell: ({ current }) => (current ? <Second>{say('thisSession')}</Second> : null),
            },
            { id: 'network', label: say('network'), cell: ({ addressBlock }) => addressBlock },
            { id: 'started', label: say('startedAt'), isShort: true, cell: ({ createdAt }) => dateTime(createdAt) },
            { id: 'seen', label: say('lastSeen'), isShort: true, cell: ({ seenAt }) => dateTime(seenAt) },
          ]}
          menuOf={(one) =>
            one.current
              ? []
              : [{ id: 'end', label: say('endSession'), icon: 'leave', danger: true, onAction: () => void end(one) }]
          }
        />
      )}
    </section>
  )
}

/** The session proves who connects; the provider then authenticates the same person. */
const Connecting = ({ provider }: { readonly provider: string }) => {
  const { say } = useText()
  return (
    <section className={css.section}>
      <h2>{say('connectTitle', { provider })}</h2>
      <p>{say('connectText', { provider })}</p>
      <div>
        <ProviderButton provider={provider} label={say('connectDo', { provider })} go={connectProvider} />
      </div>
    </section>
  )
}

/** Settings of the person, the same in every project except for the notices. */
export const AccountPage = () => {
  const { say } = useText()
  const { person, embedded } = useSession()
  const { provider } = useSignInOptions() ?? {}
  return (
    <PageFrame title={say('account')} under={person.email}>
      <div className={css.cards}>
        <Profile />
        <div className={css.cards}>
          {embedded !== true && <Notices />}
          {person.external ? (
            <section className={css.section}>
              <h2>{say('signIn')}</h2>
              <p>{say('externalText', { provider: provider ?? '' })}</p>
            </section>
          ) : (
            <>
              {provider !== undefined && embedded !== true && <Connecting provider={provider} />}
              <Password />
              <SecondFactor />
            </>
          )}
        </div>
      </div>
      <Sessions />
    </PageFrame>
  )
}
