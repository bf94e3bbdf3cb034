import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ResponseOf, Scalar } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button, Segmented } from '../ui/button.js'
import { ChartTable, PeopleChart } from '../ui/chart.js'
import { Icon, type IconName } from '../ui/icons.js'
import { ErrorNote, Skeleton } from '../ui/states.js'
import css from './run.module.css'

export const Stat = ({
  icon,
  label,
  share,
  basis,
}: {
  readonly icon: IconName
  readonly label: string
  readonly share: string
  readonly basis: string
}) => (
  <div className={css.stat}>
    <span>
      <Icon name={icon} size={14} />
      {label}
    </span>
    <b>{share}</b>
    <small>{basis}</small>
  </div>
)

type Statistics = ResponseOf<'get', '/campaigns/{id}/stats'>

export const OverTime = ({
  id,
  from,
  isLive,
  statsOf,
}: {
  readonly id: string
  readonly from: string
  readonly isLive: boolean
  readonly statsOf: (query: Readonly<Record<string, Scalar>>, signal: AbortSignal) => Promise<Statistics>
}) => {
  const { say, locale } = useText()
  const { projectId } = useProject()
  const [metric, setMetric] = useState<'opens' | 'clicks'>('opens')
  const [isTable, setTable] = useState(false)
  const days = (Date.now() - Date.parse(from)) / 86_400_000
  const interval = days <= 4 ? 'hourly' : 'daily'
  const series = useQuery({
    queryKey: [projectId, 'series', id, metric, interval],
    queryFn: async ({ signal }) => {
      const of = (name: string) => statsOf({ interval, metric: name, from: `${from.slice(0, 19)}Z` }, signal)
      const [people, machines] = await Promise.all([
        of(metric),
        of(metric === 'opens' ? 'machineOpens' : 'machineClicks'),
      ])
      if (!('buckets' in people) || !('buckets' in machines)) return []
      const format = new Intl.DateTimeFormat(locale, {
        timeZone: 'UTC',
        ...(interval === 'hourly'
          ? { weekday: 'short', hour: '2-digit', minute: '2-digit' }
          : { day: 'numeric', month: 'short' }),
      })
      return people.buckets.map(({ period, count = 0 }, at) => {
        const start = Date.parse(period.length === 10 ? `${period}T00:00:00Z` : `${period.slice(0, 16)}:00Z`)
        return {
          label: Number.isNaN(start) ? period : format.format(start),
          people: count,
          machines: machines.buckets[at]?.count ?? 0,
        }
      })
    },
    refetchInterval: isLive ? 15_000 : false,
  })
  const title = say(metric === 'opens' ? 'opensOverTime' : 'clicksOverTime')
  return (
    <section className={css.card}>
      <div className={css.head}>
        <h2>{say('overTime')}</h2>
        <Segmented
          label={say('overTime')}
          value={metric}
          onChange={setMetric}
          choices={[
            { value: 'opens', label: say('opens') },
            { value: 'clicks', label: say('clicks') },
          ]}
        />
        <small />
        <Button kind="linklike" onPress={() => setTable(!isTable)}>
          {say(isTable ? 'asChart' : 'asTable')}
        </Button>
      </div>
      <div className={css.body}>
        {series.error ? (
          <ErrorNote error={series.error} onRetry={() => void series.refetch()} />
        ) : !series.data ? (
          <Skeleton rows={5} />
        ) : series.data.every(({ people, machines }) => people + machines === 0) ? (
          <p>{say('nothingYet')}</p>
        ) : isTable ? (
          <ChartTable title={title} points={series.data} />
        ) : (
          <PeopleChart title={title} points={series.data} />
        )}
      </div>
    </section>
  )
}
