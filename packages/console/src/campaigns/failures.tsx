import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { Campaign, CampaignReport } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { FormDialog } from '../ui/dialog.js'
import { Checkbox } from '../ui/field.js'
import { useErrorText, useToast } from '../ui/states.js'
import { reasonLabels } from './reasons.js'
import css from './run.module.css'

type Failure = CampaignReport['failures'][number]

/** Error of mails that were not sent because a person stopped the campaign. */
export const campaignStopped = 'CampaignStopped'

const keyOf = ({ name, message }: Pick<Failure, 'name' | 'message'>) => JSON.stringify([name, message])

/** `552` and `5.2.2` of `552 5.2.2 Mailbox full`, before the relay's words. */
const partsOf = ({ name, message }: Failure): readonly [code: string, words: string] => {
  const [, code, words] = /^(\d{3}[ -](?:\d\.\d{1,3}\.\d{1,3})?)\s*(.*)$/s.exec(message) ?? []
  return code === undefined ? [name, message === '' ? name : message] : [code.trim(), words ?? '']
}

/** In the relay's words. A retry first shows who would get the mail now. */
export const Failures = ({
  campaign,
  report,
  failed = report.failed,
  mayRetry,
  onRetried,
}: {
  readonly campaign: Campaign
  readonly report: CampaignReport
  /** From a newer count than the report, which has the reasons. */
  readonly failed?: number
  readonly mayRetry: boolean
  readonly onRetried: () => void
}) => {
  const { say, number } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const errorText = useErrorText()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isRetrying, setRetrying] = useState(false)
  const picked = report.failures.filter((one) => chosen.has(keyOf(one)))
  const params = { id: campaign._id }
  const previews = useQueries({
    queries: picked.map(({ name, message, count }) => ({
      queryKey: [projectId, 'retry-preview', campaign._id, name, message, count],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        call(projectId, 'post', '/campaigns/{id}/retry-failed/preview', {
          params,
          body: { reasons: [{ name, message }] },
          signal,
        }),
      staleTime: 30_000,
    })),
  })
  const previewOf = (failure: Failure) => previews[picked.indexOf(failure)]
  const isCounted = previews.every(({ data }) => data !== undefined)
  const reached = previews.reduce((sum, { data }) => sum + (data?.recipients ?? 0), 0)
  const noteOf = (failure: Failure): string => {
    const preview = previewOf(failure)
    if (!preview) return failure.name === campaignStopped ? say('stoppedFailure') : ''
    if (preview.error) return errorText(preview.error)[0] ?? ''
    if (!preview.data) return say('countingAgain')
    const { recipients, excluded, isComplete } = preview.data
    const others = Object.entries(excluded).map(
      ([reason, n]) => `${number(n ?? 0)} ${say(reasonLabels[reason as keyof typeof reasonLabels]).toLowerCase()}`,
    )
    const wouldGet = say(isComplete ? 'wouldGetIt' : 'wouldGetItAtLeast', { count: recipients })
    return [wouldGet, ...others].join(' · ')
  }
  return (
    <section className={css.card}>
      <div className={css.head}>
        <h2>{say('failedCount', { count: failed })}</h2>
        <small>{say('inRelayWords')}</small>
        {mayRetry && report.failures.length > 0 && (
          <Button
            small
            kind={picked.length > 0 ? 'primary' : undefined}
            icon="retry"
            isDisabled={!isCounted}
            why={picked.length === 0 ? say('retryChooseFirst') : reached === 0 ? say('retryNobody') : undefined}
            onPress={() => setRetrying(true)}
          >
            {picked.length === 0 ? say('retryChosen') : say('retryThese', { count: reached })}
          </Button>
        )}
      </div>
      {failed > report.failed && <p className={css.body}>{say('reasonsFollow')}</p>}
      {report.failures.length === 0
        ? failed <= report.failed && <p className={css.body}>{say('noneFailed')}</p>
        : report.failures.map((failure) => {
            const key = keyOf(failure)
            const [code, words] = partsOf(failure)
            return (
              <div key={key} className={`${css.failure} ${chosen.has(key) ? css.chosen : ''}`}>
                {mayRetry && (
                  <Checkbox
                    label={say('choose', { name: `${code} ${words}` })}
                    isSelected={chosen.has(key)}
                    onChange={(isChosen) => {
                      const next = new Set(chosen)
                      if (isChosen) next.add(key)
                      else next.delete(key)
                      setChosen(next)
                    }}
                  />
                )}
                <code className={css.code}>{failure.name === campaignStopped ? '–' : code}</code>
                <span>
                  {words}
                  <small aria-live="polite">{noteOf(failure)}</small>
                </span>
                <span className={css.number}>{number(failure.count)}</span>
              </div>
            )
          })}
      <p className={css.foot}>{say('retryNote')}</p>
      <FormDialog
        title={say('retryTitle', { count: reached })}
        isOpen={isRetrying}
        onClose={() => setRetrying(false)}
        submit={say('retryThese', { count: reached })}
        onSubmit={async () => {
          const reasons = picked.map(({ name, message }) => ({ name, message }))
          const { again } = await call(projectId, 'post', '/campaigns/{id}/retry-failed', { params, body: { reasons } })
          toast(say('retried', { count: again }))
          setChosen(new Set())
          await client.invalidateQueries({ queryKey: [projectId] })
          onRetried()
        }}
      >
        <ul>
          {picked.map((failure) => (
            <li key={keyOf(failure)}>
              <code>{partsOf(failure).join(' ')}</code>: {noteOf(failure)}
            </li>
          ))}
        </ul>
        <p>{say('retryText')}</p>
        <p>{say('retryNote')}</p>
      </FormDialog>
    </section>
  )
}
