import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import { useProject } from '../shell/session.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { Checkbox } from '../ui/field.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import css from './settings.module.css'

const kinds = {
  weekly: 'noticesWeekly',
  done: 'noticesDone',
  problems: 'noticesProblems',
} as const satisfies Readonly<Record<string, keyof Messages>>
type Kind = keyof typeof kinds

/** Saves each choice at once, with the browser's time zone. */
export const Notices = () => {
  const { say } = useText()
  const { projectId, project } = useProject()
  const client = useQueryClient()
  const [failure, setFailure] = useState<unknown>()
  const queryKey = [projectId, 'notices']
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call(projectId, 'get', '/notices', { signal }),
  })
  const choose = async (kind: Kind, isWanted: boolean) => {
    setFailure(undefined)
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    try {
      const changed = await call(projectId, 'patch', '/notices', { body: { [kind]: isWanted, timeZone } })
      client.setQueryData(queryKey, changed)
    } catch (thrown) {
      setFailure(thrown)
    }
  }
  return (
    <section className={css.section}>
      <h2>{say('noticesTitle', { project: project.name })}</h2>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={3} />
      ) : (
        <>
          {!data.mails && <Note>{say('noticesNoMail')}</Note>}
          {(Object.keys(kinds) as Kind[]).map((kind) => (
            <Checkbox
              key={kind}
              isSelected={data[kind]}
              isDisabled={!data.mails && !data[kind]}
              onChange={(isWanted) => void choose(kind, isWanted)}
            >
              {say(kinds[kind])}
            </Checkbox>
          ))}
          <p className={css.quiet}>{say('noticesText', { zone: data.timeZone })}</p>
        </>
      )}
      {failure !== undefined && <ErrorNote error={failure} />}
    </section>
  )
}
