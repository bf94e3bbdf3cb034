import { useQuery } from '@tanstack/react-query'
import { OverTime, Stat } from '../campaigns/over-time.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import css from './automatic.module.css'
import { type AutomaticEmail, type Kind, statsOf } from './emails.js'

/** In ms; each send of a program changes the figures. */
const refresh = 5_000

export const Figures = ({
  kind,
  email: { _id, createdAt },
}: {
  readonly kind: Kind
  readonly email: AutomaticEmail
}) => {
  const { say, number, percent } = useText()
  const { projectId, may } = useProject()
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'automatic-figures', _id],
    queryFn: ({ signal }) => statsOf(projectId, kind, _id, {}, signal),
    enabled: may('figures.read'),
    refetchInterval: refresh,
  })
  if (!may('figures.read')) return <Note>{say('errorForbidden')}</Note>
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />
  if (!data || !('sent' in data)) return <Skeleton rows={4} tall />
  const { sent, failed, uniqueOpens, uniqueClicks, bounce, complaint } = data
  const share = (count: number) => (sent > 0 ? percent(count / sent) : '–')
  return (
    <>
      <div className={css.stats}>
        <Stat
          icon="send"
          label={say('statusSent')}
          share={number(sent)}
          basis={say('booksSomeFailed', { count: failed })}
        />
        <Stat icon="eye" label={say('openedByPeople')} share={share(uniqueOpens)} basis={number(uniqueOpens)} />
        <Stat icon="click" label={say('clickedByPeople')} share={share(uniqueClicks)} basis={number(uniqueClicks)} />
        <Stat icon="retry" label={say('bounced')} share={share(bounce)} basis={number(bounce)} />
        <Stat icon="warning" label={say('complained')} share={share(complaint)} basis={number(complaint)} />
      </div>
      <OverTime
        id={_id}
        from={createdAt}
        isLive={false}
        statsOf={(query, signal) => statsOf(projectId, kind, _id, query, signal)}
      />
    </>
  )
}
