import { type FormEvent, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { consoleBase } from '../api/client.js'
import { asApiError } from '../api/errors.js'
import { secondFactorRequiredCode, signIn } from '../api/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Dialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { ErrorNote, Note } from '../ui/states.js'
import { Card, formClass, linkClass, Page } from './plain.js'
import { ProviderButton, useSignInOptions } from './provider.js'

const SignInForm = ({
  knownEmail = '',
  onSignedIn,
}: {
  readonly knownEmail?: string
  readonly onSignedIn: () => Promise<void>
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const [email, setEmail] = useState(knownEmail)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || email.trim() === '' || password === '') return
    setBusy(true)
    setError(undefined)
    try {
      await signIn({ email: email.trim(), password, ...(code && { code: code.replaceAll(' ', '') }) })
      await onSignedIn()
    } catch (thrown) {
      if (asApiError(thrown).code === secondFactorRequiredCode) setCode('')
      else setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  const isWrong = error !== undefined && asApiError(error).kind === 'session'
  return (
    <form className={formClass} onSubmit={(event) => void submit(event)} noValidate>
      <TextField
        label={say('email')}
        type="email"
        name="email"
        autoComplete="username"
        autoFocus={knownEmail === ''}
        isRequired
        value={email}
        onChange={setEmail}
        dense
      />
      <TextField
        label={say('password')}
        type="password"
        name="password"
        autoComplete="current-password"
        autoFocus={knownEmail !== ''}
        isRequired
        value={password}
        onChange={setPassword}
        dense
      />
      {code !== undefined && (
        <TextField
          label={say('secondFactor')}
          note={say('secondFactorNote')}
          name="code"
          autoComplete="one-time-code"
          autoFocus
          value={code}
          onChange={setCode}
        />
      )}
      <Button
        type="submit"
        kind="primary"
        isDisabled={isBusy}
        why={lacks({ [say('email')]: email.trim() === '', [say('password')]: password === '' })}
      >
        {isBusy ? say('working') : say('signIn')}
      </Button>
      {isWrong ? <Note kind="bad">{say('signInWrong')}</Note> : error !== undefined && <ErrorNote error={error} />}
    </form>
  )
}

/** The second factor and refusals appear in the same place. */
export const SignInPage = ({ onSignedIn }: { readonly onSignedIn: () => Promise<void> }) => {
  const { say } = useText()
  const options = useSignInOptions()
  if (!options) return <output aria-label={say('loading')} />
  const { provider, passwords } = options
  return (
    <Page title={say('signIn')} {...(provider === undefined && { foot: say('signInFoot') })}>
      <Card title={say('signIn')} under={say('signInTo', { host: window.location.host })}>
        {provider !== undefined && (
          <div className={formClass}>
            <ProviderButton provider={provider} label={say('signInWith', { provider })} isPrimary={!passwords} />
          </div>
        )}
        {passwords && (
          <>
            <SignInForm onSignedIn={onSignedIn} />
            <p className={linkClass}>
              <Link href="/forgot">{say('forgot')}</Link>
            </p>
          </>
        )}
      </Card>
    </Page>
  )
}

/** In another window, so that what was typed stays. This window checks again on focus. */
const SignInElsewhere = ({ onSignedIn }: { readonly onSignedIn: () => Promise<void> }) => {
  const { say } = useText()
  useEffect(() => {
    const look = () => void onSignedIn()
    window.addEventListener('focus', look)
    return () => window.removeEventListener('focus', look)
  }, [onSignedIn])
  return (
    <>
      <p>{say('expiredProvider')}</p>
      <p className={linkClass}>
        <a href={`${consoleBase}/`} target="_blank" rel="noreferrer">
          {say('signIn')}
        </a>
      </p>
    </>
  )
}

/** Above the page, which keeps what was typed. `isExternal`: an identity provider signs the person in. */
export const ExpiredDialog = ({
  isOpen,
  email,
  isExternal,
  onSignedIn,
}: {
  readonly isOpen: boolean
  readonly email: string
  readonly isExternal: boolean
  readonly onSignedIn: () => Promise<void>
}) => {
  const { say } = useText()
  return (
    <Dialog title={say('expiredTitle')} isOpen={isOpen} isStaying onClose={() => undefined}>
      {isExternal ? (
        <SignInElsewhere onSignedIn={onSignedIn} />
      ) : (
        <>
          <p>{say('expiredText')}</p>
          <SignInForm knownEmail={email} onSignedIn={onSignedIn} />
        </>
      )}
    </Dialog>
  )
}
