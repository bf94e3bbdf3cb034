import { useEffect, useState } from 'react'
import type { Campaign, CampaignProgress } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { ButtonLink } from '../ui/button.js'
import { PaceChart } from '../ui/chart.js'
import type { DeliveryCounts } from '../ui/delivery-counts.js'
import { Badge, Note } from '../ui/states.js'
import { paceOf, pacePoints, type Sample, storedSamples, storeSamples, withSample } from './pace.js'
import css from './run.module.css'

/** The same terms as in the report, from the latest run. */
export const booksOf = ({ deliveries }: CampaignProgress): DeliveryCounts => {
  const { sent, failed, excluded, queued, sending, uncertain } = deliveries
  const waiting = queued + sending + uncertain
  return { recipients: sent + failed + excluded + waiting, sent, failed, excluded, waiting }
}

/** Samples of what is done; they survive loading the page again. */
export const usePace = (id: string, progress: CampaignProgress | undefined, at: number) => {
  const [samples, setSamples] = useState<readonly Sample[]>(() => storedSamples(id))
  useEffect(() => {
    if (progress?.status !== 'being-sent') return
    const { sent, failed } = progress.deliveries
    setSamples((before) => {
      const next = withSample(before, { at, done: sent + failed })
      storeSamples(id, next)
      return next
    })
  }, [id, progress, at])
  return { pace: paceOf(samples), points: pacePoints(samples) }
}

export const PaceCard = ({
  pace,
  points,
  waitsFor,
}: ReturnType<typeof usePace> & { readonly waitsFor: string | undefined }) => {
  const { say } = useText()
  return (
    <section className={css.card}>
      <div className={css.head}>
        <h2>{say('sendRate')}</h2>
        <small>{pace !== undefined && say('pace', { count: Math.round(pace * 10) / 10 })}</small>
        {waitsFor !== undefined && (
          <Badge tone="warning" icon="clock">
            {say('relayWaits')}
          </Badge>
        )}
      </div>
      <div className={css.body}>
        {waitsFor !== undefined && (
          <Note kind="warn">
            <p>{say('waitsForText')}</p>
            <code>{waitsFor}</code>
          </Note>
        )}
        {points.length > 1 ? (
          <PaceChart title={say('sendRateChart')} points={points} />
        ) : (
          <p className={css.quiet}>{say('measuringPace')}</p>
        )}
      </div>
    </section>
  )
}

const states = [
  ['queued', 'stateQueued', undefined],
  ['sending', 'stateSending', undefined],
  ['uncertain', 'stateUncertain', 'uncertainNote'],
] as const

export const WaitingCard = ({
  campaign,
  progress,
  at,
}: {
  readonly campaign: Campaign
  readonly progress: CampaignProgress
  readonly at: number
}) => {
  const { say, number, time } = useText()
  const { href, may } = useProject()
  const { deliveries, expanding } = progress
  const { waiting } = booksOf(progress)
  return (
    <section className={css.card}>
      <div className={css.head}>
        <h2>{say('waitingCount', { count: waiting })}</h2>
        <small className={css.end}>{say('countedAt', { time: time(at) })}</small>
      </div>
      {states.map(([state, label, note]) => (
        <div key={state} className={css.line}>
          <span>
            <span className={css.state}>
              <span className={`${css.dot} ${css[state]}`} />
              {say(label)}
            </span>
            {note && deliveries[state] > 0 && <small>{say(note)}</small>}
          </span>
          <span className={css.number}>
            {may('addresses.read') && deliveries[state] > 0 ? (
              <ButtonLink kind="linklike" href={`${href(`/campaigns/${campaign._id}`)}?part=waiting`}>
                {number(deliveries[state])}
              </ButtonLink>
            ) : (
              number(deliveries[state])
            )}
          </span>
        </div>
      ))}
      <p className={css.foot}>{say(expanding ? 'stillAdding' : 'liveNote')}</p>
    </section>
  )
}
