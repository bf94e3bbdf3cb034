import { useText } from '../text/text.js'
import css from './sending.module.css'

type Rate = { readonly rate: number; readonly pct: number; readonly windowLabel?: string }

const windowWords = { 'last 7 days': 'in7Days', 'last 30 days': 'in30Days', 'last 90 days': 'in90Days' } as const

/** In percent of a threshold. */
const nearThreshold = 70

const Distance = ({ label, rate: { rate, pct, windowLabel } }: { readonly label: string; readonly rate: Rate }) => {
  const { say, percent } = useText()
  const under = [
    say('ofThreshold', { share: percent(pct / 100, 0) }),
    ...(windowLabel !== undefined && rate > 0 ? [say(windowWords[windowLabel as keyof typeof windowWords])] : []),
  ]
  return (
    <div>
      <div className={css.ends}>
        <span>{label}</span>
        <b>{percent(rate / 100, 3)}</b>
      </div>
      <div className={`${css.bar} ${css.distance}`} data-near={pct >= nearThreshold || undefined}>
        <span style={{ width: `${Math.min(pct, 100)}%` }} />
      </div>
      <small className={css.quiet}>{under.join(' · ')}</small>
    </div>
  )
}

export const DistanceBars = ({
  rates: { bounce, complaint },
}: {
  readonly rates: { readonly bounce: Rate; readonly complaint: Rate }
}) => {
  const { say } = useText()
  return (
    <div className={css.stack}>
      <Distance label={say('bounceRate')} rate={bounce} />
      <Distance label={say('complaintRate')} rate={complaint} />
    </div>
  )
}
