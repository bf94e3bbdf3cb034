import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { consoleBase, sessionEnded, signedInAgain } from '../api/client.js'
import { asApiError } from '../api/errors.js'
import { getSession, type ProjectOfPerson, type Session, signOut } from '../api/session.js'
import { bodyClass, Card, Page, Waiting } from '../sign-in/plain.js'
import { ExpiredDialog, SignInPage } from '../sign-in/sign-in.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { ErrorNote } from '../ui/states.js'
import { followTheme } from './theme.js'

const SessionContext = createContext<Session | undefined>(undefined)

export const useSession = (): Session => {
  const session = useContext(SessionContext)
  if (!session) throw new Error('There is no session')
  return session
}

export const sessionQueryKey = ['session'] as const

/** A session that ends later is renewed above the page. */
export const SessionGate = ({ children }: { readonly children: ReactNode }) => {
  const { say, setLanguage } = useText()
  const client = useQueryClient()
  const [isExpired, setExpired] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: sessionQueryKey,
    queryFn: ({ signal }) => getSession(signal),
    staleTime: 60_000,
  })

  useEffect(() => {
    const expire = () => setExpired(true)
    window.addEventListener(sessionEnded, expire)
    return () => window.removeEventListener(sessionEnded, expire)
  }, [])

  const language = data?.person.language
  const theme = data?.person.theme
  useEffect(() => {
    if (language && ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl'].includes(language))
      setLanguage(language as Parameters<typeof setLanguage>[0], false)
  }, [language, setLanguage])
  useEffect(() => followTheme(theme), [theme])

  const renew = useCallback(async () => {
    const before = client.getQueryData<Session>(sessionQueryKey)?.person._id
    const { data: renewed } = await refetch()
    // Somebody else's pages must not stay on the screen.
    if (before !== undefined && renewed && renewed.person._id !== before) return window.location.reload()
    if (!renewed) return
    setExpired(false)
    window.dispatchEvent(new Event(signedInAgain))
    await client.invalidateQueries()
  }, [client, refetch])

  if (data)
    return (
      <SessionContext.Provider value={data}>
        {children}
        <ExpiredDialog
          isOpen={isExpired}
          email={data.person.email}
          isExternal={data.person.external === true}
          onSignedIn={renew}
        />
      </SessionContext.Provider>
    )
  if (error && asApiError(error).kind === 'session') return <SignInPage onSignedIn={renew} />
  if (error)
    return (
      <Page title={say('notStarted')}>
        <Card title={say('notStarted')}>
          <div className={bodyClass}>
            <ErrorNote error={error} onRetry={() => void refetch()} />
          </div>
        </Card>
      </Page>
    )
  return <Waiting label={say('loading')} />
}

export const SignOutButton = () => {
  const { say } = useText()
  const [error, setError] = useState<unknown>()
  const leave = () => signOut().then(() => window.location.assign(`${consoleBase}/`), setError)
  return (
    <>
      <Button onPress={() => void leave()}>{say('signOut')}</Button>
      {error !== undefined && <ErrorNote error={error} />}
    </>
  )
}

type ProjectScope = {
  readonly project: ProjectOfPerson
  readonly projectId: string
  /** `href('/campaigns')`: below this project. */
  readonly href: (path: string) => string
  readonly may: (permission: string) => boolean
}

const ProjectContext = createContext<ProjectScope | undefined>(undefined)

export const useProject = (): ProjectScope => {
  const scope = useContext(ProjectContext)
  if (!scope) throw new Error('There is no project')
  return scope
}

const lastProjectAt = 'posthorn-project'
export const lastProject = (): string | null => localStorage.getItem(lastProjectAt)

export const ProjectGate = ({ projectId, children }: { readonly projectId: string; readonly children: ReactNode }) => {
  const { say } = useText()
  const { projects } = useSession()
  const project = projects.find(({ _id }) => _id === projectId)
  useEffect(() => {
    if (project) localStorage.setItem(lastProjectAt, project._id)
  }, [project])
  const scope = useMemo<ProjectScope | undefined>(
    () =>
      project && {
        project,
        projectId: project._id,
        href: (path) => `/${project._id}${path}`,
        may: (permission) => project.permissions.includes(permission),
      },
    [project],
  )
  if (!scope)
    return (
      <Page title={say('noProjectTitle')}>
        <Card title={say('noProjectTitle')} under={say('noProjectText')}>
          <div className={bodyClass}>
            {projects.map(({ _id, name }) => (
              <Link key={_id} href={`/${_id}/home`}>
                {name}
              </Link>
            ))}
            {projects.length === 0 && <SignOutButton />}
          </div>
        </Card>
      </Page>
    )
  return <ProjectContext.Provider value={scope}>{children}</ProjectContext.Provider>
}
