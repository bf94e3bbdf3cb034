import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { consoleBase } from '../api/client.js'
import { asApiError } from '../api/errors.js'
import {
  acceptInvitation,
  requestReset,
  resetPassword,
  secondFactorRequiredCode,
  setUp,
  signInByLink,
} from '../api/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { ErrorNote, Note } from '../ui/states.js'
import { Card, formClass, linkClass, Page } from './plain.js'

/** 256 bits in base64url, without padding. */
const tokenLength = 43

/** In the URL's fragment: no log and no Referer contains it. Removes it from the URL at once. Empty if its end is missing. */
const useToken = (): string => {
  const [token] = useState(() => {
    const found = decodeURIComponent(window.location.hash.slice(1))
    if (found !== '') window.history.replaceState(null, '', window.location.pathname)
    return found.length < tokenLength ? '' : found
  })
  return token
}

const enter = () => window.location.assign(`${consoleBase}/`)

const leastPassword = 10

/** `code` is undefined until the server requires it. */
const useCode = () => {
  const [code, setCode] = useState<string>()
  return {
    code,
    setCode,
    given: code ? { code: code.replaceAll(' ', '') } : {},
    /** @throws whatever else was thrown */
    orAsk: (thrown: unknown): void => {
      if (asApiError(thrown).code !== secondFactorRequiredCode) throw thrown
      setCode('')
    },
  }
}

const CodeField = ({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) => {
  const { say } = useText()
  return (
    <TextField
      label={say('secondFactor')}
      note={say('secondFactorNote')}
      name="code"
      autoComplete="one-time-code"
      autoFocus
      value={value}
      onChange={onChange}
    />
  )
}

/** Stays on the page if `run` returns `false`. */
const useSubmit = (run: () => Promise<unknown>) => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const submit = async () => {
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      if ((await run()) !== false) return enter()
    } catch (thrown) {
      setError(thrown)
    }
    setBusy(false)
  }
  return { isBusy, error, submit }
}

const TokenForm = ({
  children,
  label,
  why,
  isBusy,
  error,
  onSubmit,
}: {
  readonly children: ReactNode
  readonly label: string
  /** Why it cannot be submitted yet. */
  readonly why: string | undefined
  readonly isBusy: boolean
  readonly error: unknown
  readonly onSubmit: () => Promise<void>
}) => {
  const { say } = useText()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (why === undefined) void onSubmit()
  }
  return (
    <form className={formClass} onSubmit={submit} noValidate>
      {children}
      <Button type="submit" kind="primary" isDisabled={isBusy} why={why}>
        {isBusy ? say('working') : label}
      </Button>
      <TokenError error={error} />
    </form>
  )
}

const TokenError = ({ error }: { readonly error: unknown }) => {
  const { say } = useText()
  if (error === undefined) return null
  const { kind } = asApiError(error)
  if (kind === 'session' || kind === 'forbidden' || kind === 'gone') return <Note kind="bad">{say('tokenWrong')}</Note>
  return <ErrorNote error={error} />
}

export const SetupPage = () => {
  const { say } = useText()
  const token = useToken()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const { isBusy, error, submit } = useSubmit(() => setUp({ token, email: email.trim(), name: name.trim(), password }))
  const why = useLacks()({
    [say('name')]: name.trim() === '',
    [say('email')]: !email.includes('@'),
    [say('password')]: password.length < leastPassword,
  })
  return (
    <Page title={say('setupTitle')} foot={say('signInFoot')}>
      <Card title={say('setupTitle')} under={say('setupText')}>
        {token === '' ? (
          <Note kind="bad">{say('tokenMissing')}</Note>
        ) : (
          <TokenForm label={say('setupDo')} why={why} isBusy={isBusy} error={error} onSubmit={submit}>
            <TextField
              label={say('name')}
              autoComplete="name"
              autoFocus
              value={name}
              onChange={setName}
              maxLength={200}
              dense
            />
            <TextField
              label={say('email')}
              type="email"
              autoComplete="username"
              value={email}
              onChange={setEmail}
              dense
            />
            <TextField
              label={say('password')}
              type="password"
              autoComplete="new-password"
              value={password}
              onChange={setPassword}
              note={say('passwordNote', { count: leastPassword })}
            />
          </TokenForm>
        )}
      </Card>
    </Page>
  )
}

export const InvitationPage = () => {
  const { say } = useText()
  const token = useToken()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const { code, setCode, given, orAsk } = useCode()
  const { isBusy, error, submit } = useSubmit(() =>
    acceptInvitation({ token, name: name.trim(), password, ...given }).catch((thrown: unknown) => {
      orAsk(thrown)
      return false
    }),
  )
  const why = useLacks()({ [say('name')]: name.trim() === '', [say('password')]: password.length < leastPassword })
  return (
    <Page title={say('invitationTitle')} foot={say('signInFoot')}>
      <Card title={say('invitationTitle')} under={say('invitationText')}>
        {token === '' ? (
          <Note kind="bad">{say('tokenMissing')}</Note>
        ) : (
          <TokenForm label={say('invitationDo')} why={why} isBusy={isBusy} error={error} onSubmit={submit}>
            <TextField
              label={say('name')}
              autoComplete="name"
              autoFocus
              value={name}
              onChange={setName}
              maxLength={200}
              dense
            />
            <TextField
              label={say('password')}
              type="password"
              autoComplete="new-password"
              value={password}
              onChange={setPassword}
              note={`${say('passwordNote', { count: leastPassword })} ${say('invitationNote')}`}
            />
            {code !== undefined && <CodeField value={code} onChange={setCode} />}
          </TokenForm>
        )}
      </Card>
    </Page>
  )
}

/** The second factor stays, so its code is required. */
export const ResetPage = () => {
  const { say } = useText()
  const lacks = useLacks()
  const token = useToken()
  const [password, setPassword] = useState('')
  const { code, setCode, given, orAsk } = useCode()
  const { isBusy, error, submit } = useSubmit(() =>
    resetPassword({ token, password, ...given }).catch((thrown: unknown) => {
      orAsk(thrown)
      return false
    }),
  )
  return (
    <Page title={say('resetTitle')} foot={say('signInFoot')}>
      <Card title={say('resetTitle')} under={say('resetText')}>
        {token === '' ? (
          <Note kind="bad">{say('tokenMissing')}</Note>
        ) : (
          <TokenForm
            label={say('resetDo')}
            why={lacks({ [say('newPassword')]: password.length < leastPassword })}
            isBusy={isBusy}
            error={error}
            onSubmit={submit}
          >
            <TextField
              label={say('newPassword')}
              type="password"
              autoComplete="new-password"
              autoFocus
              value={password}
              onChange={setPassword}
              note={say('passwordNote', { count: leastPassword })}
            />
            {code !== undefined && <CodeField value={code} onChange={setCode} />}
          </TokenForm>
        )}
      </Card>
    </Page>
  )
}

/** Says the same for every address. */
export const ForgotPage = () => {
  const { say } = useText()
  const lacks = useLacks()
  const [email, setEmail] = useState('')
  const [mails, setMails] = useState<boolean>()
  const { isBusy, error, submit } = useSubmit(async () => {
    setMails((await requestReset(email.trim())).mails)
    return false
  })
  return (
    <Page title={say('forgotTitle')} foot={say('signInFoot')}>
      <Card title={say('forgotTitle')} {...(mails === undefined && { under: say('forgotText') })}>
        {mails === undefined ? (
          <TokenForm
            label={say('forgotDo')}
            why={lacks({ [say('email')]: !email.includes('@') })}
            isBusy={isBusy}
            error={error}
            onSubmit={submit}
          >
            <TextField
              label={say('email')}
              type="email"
              autoComplete="username"
              autoFocus
              value={email}
              onChange={setEmail}
              dense
            />
          </TokenForm>
        ) : mails ? (
          <p role="status">{say('forgotSent', { email: email.trim() })}</p>
        ) : (
          <div role="status">
            <p>{say('forgotCannot')}</p>
            <p>
              <code>posthorn person reset {email.trim()}</code>
            </p>
          </div>
        )}
        <p className={linkClass}>
          <Link href="/">{say('backToSignIn')}</Link>
        </p>
      </Card>
    </Page>
  )
}

export const SignInLinkPage = () => {
  const { say } = useText()
  const token = useToken()
  const [error, setError] = useState<unknown>()
  const isSent = useRef(false)
  useEffect(() => {
    if (token === '' || isSent.current) return
    isSent.current = true
    signInByLink(token).then(enter, setError)
  }, [token])
  return (
    <Page title={say('linkTitle')} foot={say('signInFoot')}>
      <Card title={say('linkTitle')}>
        {token === '' ? (
          <Note kind="bad">{say('tokenMissing')}</Note>
        ) : error === undefined ? (
          <p role="status">{say('working')}</p>
        ) : (
          <TokenError error={error} />
        )}
      </Card>
    </Page>
  )
}
