import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { ResponseOf } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Select, TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { Badge, ErrorNote, Note, Skeleton } from '../ui/states.js'
import { type Column, Second, Table } from '../ui/table.js'
import { actionText } from './action-words.js'
import { usePasswordAgain } from './password-field.js'
import { type Settings, useSaveSettings, useSettings } from './project-queries.js'
import { SettingsForm } from './settings-form.js'

type Access = Settings['browserAccess']
type BrowserCall = ResponseOf<'get', '/browser-calls'>['items'][number]

const accesses = {
  full: ['setAccessFull', 'setAccessFullText'],
  'subscribe-only': ['setAccessSubscribe', 'setAccessSubscribeText'],
  none: ['setAccessNone', 'setAccessNoneText'],
} as const

/** The most access first. */
const levels = Object.keys(accesses) as Access[]

/** The one that a sign-up form needs first. */
const choices: readonly Access[] = ['subscribe-only', 'none', 'full']

/** The project's; before any website is named, as little as a form needs. */
const proposedAccess = ({ browserAccess, whiteList }: Settings): Access =>
  browserAccess === 'full' && whiteList.length === 0 ? 'subscribe-only' : browserAccess

const opens = (access: Access, { needs }: BrowserCall): boolean =>
  access === 'full' || (access === 'subscribe-only' && needs === 'subscribe-only')

/** The server names hosts by their place in the list. */
const hostProblems = (
  hosts: readonly string[],
  problemAt: (field: string) => string | undefined,
): string | undefined => {
  const found = hosts.flatMap((host, at) => {
    const problem = problemAt(`whiteList[${at}]`)
    return problem === undefined ? [] : [`${host}: ${problem}`]
  })
  return found.length === 0 ? undefined : found.join(' ')
}

const AccessForm = ({
  project,
  access,
  onChoose,
}: {
  readonly project: Settings
  readonly access: Access
  readonly onChoose: (access: Access) => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const { may } = useProject()
  const { isBusy, error, save } = useSaveSettings()
  const [text, setText] = useState(project.whiteList.join('\n'))
  const [sent, setSent] = useState<readonly string[]>([])
  const { isMissing, proof, field } = usePasswordAgain()
  const isAllowed = may('settings.edit')
  const whiteList = text.split(/[\s,;]+/).filter((host) => host !== '')
  const isWider =
    levels.indexOf(access) < levels.indexOf(project.browserAccess) ||
    whiteList.some((host) => !project.whiteList.includes(host.toLowerCase()))
  const submit = () => {
    setSent(whiteList)
    void save({ browserAccess: access, whiteList, ...(isWider && proof) })
  }
  return (
    <SettingsForm
      title={say('setSites')}
      text={say('setBrowserText')}
      {...{ isAllowed, isBusy, error }}
      isChanged={access !== proposedAccess(project) || text.trim() !== project.whiteList.join('\n')}
      why={lacks({ [say('currentPassword')]: isWider && isMissing })}
      onSubmit={submit}
    >
      {(problemAt) => (
        <>
          <TextField
            label={say('setHosts')}
            value={text}
            onChange={setText}
            rows={4}
            note={say('setHostsNote')}
            error={hostProblems(sent, problemAt) ?? problemAt('whiteList')}
            isDisabled={!isAllowed}
          />
          <Select
            label={say('setAccess')}
            options={choices.map((value) => ({ value, label: say(accesses[value][0]) }))}
            value={access}
            onChange={onChoose}
            isDisabled={!isAllowed}
            note={say(accesses[access][1])}
            error={problemAt('browserAccess')}
          />
          {access === 'full' && <Note kind="warn">{say('setAccessFullWarning')}</Note>}
          {access !== project.browserAccess && access === proposedAccess(project) && (
            <Note>{say('setAccessProposed')}</Note>
          )}
          {isWider && field}
        </>
      )}
    </SettingsForm>
  )
}

const Calls = ({ access }: { readonly access: Access }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'browser-calls'],
    queryFn: async ({ signal }) => (await call(projectId, 'get', '/browser-calls', { signal })).items,
  })
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton />
  const columns: readonly Column<BrowserCall>[] = [
    {
      id: 'call',
      label: say('setCall'),
      cell: ({ method, path }) => (
        <Second>
          <code>
            {method.toUpperCase()} {path}
          </code>
        </Second>
      ),
    },
    {
      id: 'open',
      label: say('setOpen'),
      isShort: true,
      cell: (row) =>
        opens(access, row) ? (
          <Badge tone="good" icon="check">
            {say('yes')}
          </Badge>
        ) : (
          <Badge tone="plain" icon="barred">
            {say('no')}
          </Badge>
        ),
    },
  ]
  return (
    <Table
      label={say('setCalls')}
      columns={columns}
      rows={data}
      keyOf={({ id }) => id}
      nameOf={({ id }) => actionText(id)}
    />
  )
}

const BrowserSettings = ({ project }: { readonly project: Settings }) => {
  const { say } = useText()
  const isAllowed = useProject().may('settings.edit')
  const [access, setAccess] = useState(isAllowed ? proposedAccess(project) : project.browserAccess)
  return (
    <>
      <AccessForm project={project} access={access} onChoose={setAccess} />
      <h2>{say('setCalls')}</h2>
      <Calls access={access} />
    </>
  )
}

export const AllowedOriginsPage = () => {
  const { say } = useText()
  const { data, error, refetch } = useSettings()
  return (
    <PageFrame title={say('setBrowser')}>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <BrowserSettings key={JSON.stringify([data.whiteList, data.browserAccess])} project={data} />
      ) : (
        <Skeleton />
      )}
    </PageFrame>
  )
}
