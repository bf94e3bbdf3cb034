import { useState } from 'react'
import { Link } from 'wouter'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { ChartTable, MailsChart } from '../ui/chart.js'
import { DeliveryCountsBar, DeliveryCountsLine } from '../ui/delivery-counts.js'
import { ErrorNote, failedReads, ReadErrorNote, Skeleton } from '../ui/states.js'
import css from './home.module.css'
import type { Home } from './home-queries.js'
import { Line } from './waits.js'

const mostShown = 5

export const RecentActivity = ({ home: { sent, results, contacts } }: { readonly home: Home }) => {
  const { say, percent, dateTime } = useText()
  const { href } = useProject()
  const failed = failedReads([sent, results, contacts])
  if (failed.length > 0) return <ReadErrorNote failed={failed} />
  if (!sent.data || results.isLoading || contacts.isLoading) return <Skeleton rows={4} />
  const last = sent.data.items.slice(0, mostShown)
  return (
    <div className={css.card}>
      <ul>
        {last.map((campaign) => {
          const books = results.data?.get(campaign._id)
          const rates = books &&
            books.sent > 0 && [
              `${percent(books.uniqueOpens / books.sent)} ${say('openedByPeople').toLowerCase()}`,
              `${percent(books.uniqueClicks / books.sent)} ${say('clickedByPeople').toLowerCase()}`,
            ]
          return (
            <Line
              key={campaign._id}
              icon="check"
              tone="good"
              title={campaign.name}
              text={books && [DeliveryCountsLine({ books }), ...(rates || [])].join(' · ')}
              aside={
                books && (
                  <span className={css.books}>
                    <DeliveryCountsBar books={books} />
                    <small>{dateTime(campaign.scheduledTo ?? campaign.updatedAt)}</small>
                  </span>
                )
              }
              fix={{ label: say('homeOpen'), href: href(`/campaigns/${campaign._id}`) }}
            />
          )
        })}
        {contacts.data && (
          <Line
            icon="people"
            title={say('homeNewContacts', { count: contacts.data.fresh })}
            text={say('homeAllContacts', { count: contacts.data.all })}
            fix={{ label: say('homeOpen'), href: href('/audience/contacts') }}
          />
        )}
      </ul>
      {last.length === 0 && <p className={css.none}>{say('homeNothingHappened')}</p>}
    </div>
  )
}

export const Mails = ({ home: { overview } }: { readonly home: Home }) => {
  const { say, number, locale } = useText()
  const { href, may } = useProject()
  const [isTable, setTable] = useState(false)
  if (overview.error) return <ErrorNote error={overview.error} onRetry={() => void overview.refetch()} />
  if (!overview.data) return <Skeleton rows={4} />
  const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const points = overview.data.days.map(({ day, sent, failed }) => ({
    label: format.format(new Date(`${day}T00:00:00Z`)),
    ...{ sent, failed },
  }))
  const sum = (of: 'sent' | 'failed') => points.reduce((total, one) => total + one[of], 0)
  const title = say('homeMailsChart', { sent: sum('sent'), failed: sum('failed') })
  return (
    <section className={css.card}>
      <div className={css.head}>
        <h3>{say('homeMails')}</h3>
        <b>{number(sum('sent'))}</b>
        <Button kind="linklike" onPress={() => setTable(!isTable)}>
          {say(isTable ? 'asChart' : 'asTable')}
        </Button>
      </div>
      <div className={css.body}>
        {isTable ? (
          <ChartTable
            title={title}
            labels={[say('booksSent'), say('booksFailed')]}
            points={points.map(({ label, sent, failed }) => ({ label, people: sent, machines: failed }))}
          />
        ) : (
          <MailsChart title={title} points={points} />
        )}
        {may('addresses.read') && <Link href={href('/deliveries')}>{say('homeAllMails')}</Link>}
      </div>
    </section>
  )
}
