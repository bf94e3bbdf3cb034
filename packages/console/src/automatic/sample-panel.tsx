import { useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { call } from '../api/client.js'
import { reasonLabels } from '../campaigns/reasons.js'
import { useProject, useSession } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { ErrorNote, Note, Skeleton, useToast } from '../ui/states.js'
import css from './automatic.module.css'
import type { Kind } from './emails.js'
import type { SampleData } from './sample-data.js'

const CodeEditor = lazy(async () => ({ default: (await import('../editor/code-editor.js')).CodeEditor }))

export const TestSendPanel = ({
  kind,
  id,
  sample,
  onBefore,
  preview,
}: {
  readonly kind: Kind
  readonly id: string
  readonly sample: SampleData
  /** Saves the email; false if the server refused. */
  readonly onBefore: () => Promise<boolean>
  readonly preview: ReactNode
}) => {
  const { say } = useText()
  const { projectId, may } = useProject()
  const { person } = useSession()
  const client = useQueryClient()
  const toast = useToast()
  const [failed, setFailed] = useState<unknown>()
  const [excluded, setExcluded] = useState<string>()
  const { text, data, isObject, problem, set } = sample
  const { email } = person

  const sendNow = async (): Promise<string | undefined> => {
    if (kind === 'transactional') {
      await call(projectId, 'post', '/send-transactional', { body: { email, transactionalId: id, data } })
      return undefined
    }
    const answer = await call(projectId, 'post', '/send-triggered', {
      body: { triggeredId: id, emails: [email], data },
    })
    return answer.excluded?.[0]?.reason
  }
  const sendTest = async (): Promise<undefined> => {
    await call(projectId, 'post', '/test-email/{id}', { params: { id }, body: { type: kind, email, data } })
  }
  const act = async (send: () => Promise<string | undefined>) => {
    setFailed(undefined)
    setExcluded(undefined)
    try {
      if (!(await onBefore())) return
      const reason = await send()
      if (reason === undefined) toast(say('testsQueued', { addresses: email }))
      else setExcluded(reason)
      await client.invalidateQueries({ queryKey: [projectId, 'automatic-figures'] })
    } catch (thrown) {
      setFailed(thrown)
    }
  }
  const reasonText = (reason: string) =>
    Object.hasOwn(reasonLabels, reason) ? say(reasonLabels[reason as keyof typeof reasonLabels]) : reason
  return (
    <div className={css.halves}>
      <section className={css.card}>
        <h2>{say('autoData')}</h2>
        <p className={css.quiet}>{say('autoDataText')}</p>
        <div className={css.data}>
          <Suspense fallback={<Skeleton rows={4} />}>
            <CodeEditor
              label={say('autoDataLabel')}
              language="visual"
              value={text}
              onChange={set}
              names={[]}
              problems={[]}
              isReadOnly={false}
            />
          </Suspense>
        </div>
        {!isObject && (
          <Note kind="bad">
            {problem
              ? say('atPosition', { line: problem.line, column: problem.column, sentence: problem.sentence })
              : say('autoDataObject')}
          </Note>
        )}
        {failed !== undefined && <ErrorNote error={failed} />}
        {excluded !== undefined && (
          <Note kind="warn">{say('autoExcluded', { email, reason: reasonText(excluded) })}</Note>
        )}
        <div className={css.row}>
          {may('emails.send') && (
            <Button
              kind="primary"
              icon="send"
              why={isObject ? undefined : say('autoDataObject')}
              onPress={() => void act(sendNow)}
            >
              {say('autoSendMe')}
            </Button>
          )}
          {may('emails.test') && (
            <Button icon="mail" why={isObject ? undefined : say('autoDataObject')} onPress={() => void act(sendTest)}>
              {say('testToMe')}
            </Button>
          )}
        </div>
        {may('emails.test') && <p className={css.quiet}>{say('autoSendNote')}</p>}
      </section>
      {preview}
    </div>
  )
}
