import type { ReactNode } from 'react'
import { useText } from '../text/text.js'
import { ButtonLink } from '../ui/button.js'
import { Long } from '../ui/long.js'
import { Badge, ErrorNote, Note, Skeleton } from '../ui/states.js'
import css from './sending.module.css'
import { useOverview, useSendingFigures } from './sending-queries.js'

/** The API's value for no known limit. */
const unlimitedRate = 10_000

const statusLabels = { sandbox: 'sandbox', production: 'production', byoCloudSes: 'cloudAccount' } as const
const statusTexts = { sandbox: 'sandboxText', production: 'productionText', byoCloudSes: 'ownCloudText' } as const

type Access = NonNullable<ReturnType<typeof useSendingFigures>['data']>['access']

export const Figure = ({
  label,
  value,
  under,
}: {
  readonly label: string
  readonly value: string
  readonly under?: ReactNode
}) => (
  <div>
    <dt>{label}</dt>
    <dd>
      <b>{value}</b>
      {under !== undefined && <small>{under}</small>}
    </dd>
  </div>
)

/** The account's credit and when it ends, if it does. */
const Credit = () => {
  const { say, number, dateTime } = useText()
  const { credit } = useOverview().data ?? {}
  if (!credit) return null
  const { left, perDay = 0, endsAt } = credit
  const end =
    left <= 0
      ? say('homeNoCredit')
      : endsAt !== undefined
        ? say('creditEnds', { time: dateTime(endsAt) })
        : perDay > 0
          ? say('creditLasts')
          : undefined
  return <Figure label={say('homeCredit')} value={number(Math.max(left, 0))} under={end} />
}

const Month = ({ sent, limit }: { readonly sent: number; readonly limit: number }) => {
  const { say, number, dateTime } = useText()
  const { month } = useOverview().data ?? {}
  const of = limit === 0 ? say('unlimited') : say('ofLimit', { limit: number(limit) })
  const end =
    month?.endsAt === undefined || month.left <= 0 ? '' : ` · ${say('limitEnds', { time: dateTime(month.endsAt) })}`
  return <Figure label={say('sentThisMonth')} value={number(sent)} under={`${of}${end}`} />
}

/** Regions of the same rate share a line. */
const Rates = ({ sendingRates }: Pick<Access, 'sendingRates'>) => {
  const { say, number } = useText()
  const [first] = sendingRates
  if (!first) return null
  const shown = (rate: number) => (rate >= unlimitedRate ? say('unlimited') : number(rate))
  if (sendingRates.every(({ ratePerSecond }) => ratePerSecond === first.ratePerSecond))
    return <Figure label={say('perSecond')} value={shown(first.ratePerSecond)} />
  return sendingRates.map(({ region, ratePerSecond }) => (
    <Figure key={region} label={say('perSecond')} value={shown(ratePerSecond)} under={<Long>{region}</Long>} />
  ))
}

export const SendingCard = ({ reputationHref }: { readonly reputationHref?: string }) => {
  const { say, number, percent } = useText()
  const { data, error, refetch } = useSendingFigures()
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={3} />
  const { project, access, sandbox, production } = data
  const { status } = project
  const rates = status === 'sandbox' ? sandbox : production
  const monthly = production?.monthly
  const reasons = access.sendingRates.flatMap(({ region, reason }) =>
    reason === undefined ? [] : [{ region, reason }],
  )
  return (
    <section className={css.card} aria-label={say('limitsTitle')}>
      <div className={css.head}>
        <h2>{say('limitsTitle')}</h2>
        <Badge tone={status === 'sandbox' ? 'warning' : 'good'} icon={status === 'sandbox' ? 'info' : 'check'} filled>
          {say(statusLabels[status])}
        </Badge>
        <span className={`${css.quiet} ${css.grow}`}>{say(statusTexts[status])}</span>
        {reputationHref !== undefined && (
          <ButtonLink kind="linklike" href={reputationHref}>
            {say('reputation')}
          </ButtonLink>
        )}
      </div>
      {access.restricted && (
        <Note kind="bad">{say('sendingRestricted', { reason: access.restrictedReason ?? '' })}</Note>
      )}
      {[access.answer, access.limitIncreases.at(-1)?.answer].map(
        (answer, at) => answer && <Note key={at === 0 ? 'access' : 'limit'}>{say('opAnswered', { answer })}</Note>,
      )}
      {[...new Set(reasons.map(({ reason }) => reason))].map((reason) => (
        <Note key={reason} kind="warn">
          {reason}
        </Note>
      ))}
      <dl className={css.figures}>
        {status === 'sandbox' && sandbox && <Figure label={say('sentToday')} value={number(sandbox.sentCount)} />}
        {status === 'production' && monthly && <Month {...monthly} />}
        <Credit />
        <Rates sendingRates={access.sendingRates} />
        {rates &&
          (['bounce', 'complaint'] as const).map((kind) => (
            <Figure
              key={kind}
              label={say(kind === 'bounce' ? 'bounceRate' : 'complaintRate')}
              value={percent(rates[kind].rate / 100, 2)}
              under={say('ofThreshold', { share: percent(rates[kind].pct / 100, 0) })}
            />
          ))}
      </dl>
      <p className={css.quiet}>{say('limitsNote')}</p>
    </section>
  )
}
