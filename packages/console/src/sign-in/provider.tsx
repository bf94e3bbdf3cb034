import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { consoleBase } from '../api/client.js'
import { asApiError } from '../api/errors.js'
import { finishProviderSignIn, getSignInOptions, type SignInOptions, signInByProvider } from '../api/session.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { ErrorNote, Note } from '../ui/states.js'
import { Card, linkClass, Page } from './plain.js'

/** Undefined while they load; passwords if they cannot be loaded. */
export const useSignInOptions = (): SignInOptions | undefined => {
  const { data, error } = useQuery({
    queryKey: ['sign-in'],
    queryFn: ({ signal }) => getSignInOptions(signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return data ?? (error ? { passwords: true } : undefined)
}

/** By the server's code: what happened, and the next step. */
const texts: Readonly<Record<string, keyof Messages>> = {
  'sign-in-expired': 'providerExpired',
  'no-role': 'providerNoRole',
  'address-taken': 'providerAddressTaken',
  'address-differs': 'providerAddressDiffers',
  'no-address': 'providerNoAddress',
  'role-not-applied': 'providerRoleNotApplied',
  'provider-denied': 'providerDenied',
  'provider-invalid': 'providerInvalid',
  'provider-unreachable': 'providerUnreachable',
  'provider-misconfigured': 'providerMisconfigured',
}

export const ProviderError = ({ error, provider }: { readonly error: unknown; readonly provider: string }) => {
  const { say } = useText()
  const text = texts[asApiError(error).code]
  return text ? <Note kind="bad">{say(text, { provider })}</Note> : <ErrorNote error={error} />
}

/** `go` leaves for the provider; errors appear below the button. */
export const ProviderButton = ({
  provider,
  label,
  isPrimary = false,
  go = signInByProvider,
}: {
  readonly provider: string
  readonly label: string
  readonly isPrimary?: boolean
  readonly go?: () => Promise<void>
}) => {
  const { say } = useText()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const leave = () => {
    setBusy(true)
    setError(undefined)
    go().catch((thrown: unknown) => {
      setError(thrown)
      setBusy(false)
    })
  }
  return (
    <>
      <Button {...(isPrimary && { kind: 'primary' })} isDisabled={isBusy} onPress={leave}>
        {isBusy ? say('working') : label}
      </Button>
      {error !== undefined && <ProviderError error={error} provider={provider} />}
    </>
  )
}

/** Removes the answer from the URL at once: neither history nor a reload may send it again. */
const useAnswer = (): string => {
  const [answer] = useState(() => {
    const { search, pathname } = window.location
    if (search !== '') window.history.replaceState(null, '', pathname)
    return search
  })
  return answer
}

/** Where the provider sends the browser back to. */
export const CallbackPage = () => {
  const { say } = useText()
  const answer = useAnswer()
  const { provider = '' } = useSignInOptions() ?? {}
  const [error, setError] = useState<unknown>()
  const isSent = useRef(false)
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    finishProviderSignIn(answer).then(() => window.location.replace(`${consoleBase}/`), setError)
  }, [answer])
  return (
    <Page title={say('linkTitle')}>
      <Card title={say('linkTitle')}>
        {error === undefined ? (
          <p role="status">{say('working')}</p>
        ) : (
          <>
            <ProviderError error={error} provider={provider} />
            <p className={linkClass}>
              <a href={`${consoleBase}/`}>{say('backToSignIn')}</a>
            </p>
          </>
        )}
      </Card>
    </Page>
  )
}
