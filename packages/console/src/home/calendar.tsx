import { Link } from 'wouter'
import type { Campaign } from '../api/types.js'
import { StatusIcon } from '../campaigns/campaign-status.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import css from './home.module.css'

const [weeks, daysOfWeek] = [4, 7] as const

const dayOf = (at: Date) => `${at.getFullYear()}-${at.getMonth()}-${at.getDate()}`

/** The days of four weeks, from the last Monday on, at noon. */
export const daysFrom = (now: Date): readonly Date[] => {
  const monday = now.getDate() - ((now.getDay() + 6) % daysOfWeek)
  return Array.from(
    { length: weeks * daysOfWeek },
    (_, at) => new Date(now.getFullYear(), now.getMonth(), monday + at, 12),
  )
}

/** This and the next three weeks, in the person's time zone. */
export const ScheduledCampaignsCalendar = ({ campaigns }: { readonly campaigns: readonly Campaign[] }) => {
  const { say, time, locale } = useText()
  const { href } = useProject()
  const now = new Date()
  const days = daysFrom(now)
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' })
  const short = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
  const onDay = (day: Date) =>
    campaigns.filter(({ scheduledTo }) => scheduledTo !== undefined && dayOf(new Date(scheduledTo)) === dayOf(day))
  return (
    <table className={css.calendar} aria-label={say('homeCalendar')}>
      <thead>
        <tr>
          {days.slice(0, daysOfWeek).map((day) => (
            <th key={dayOf(day)} scope="col">
              {weekday.format(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: weeks }, (_, week) => days.slice(week * daysOfWeek, (week + 1) * daysOfWeek)).map(
          (row) => (
            <tr key={dayOf(row[0] ?? now)}>
              {row.map((day, at) => {
                const isToday = dayOf(day) === dayOf(now)
                return (
                  <td key={dayOf(day)} aria-current={isToday ? 'date' : undefined}>
                    <time dateTime={day.toISOString().slice(0, 10)}>
                      {at === 0 || day.getDate() === 1 ? short.format(day) : day.getDate()}
                    </time>
                    {onDay(day).map(({ _id, name, status, scheduledTo = '' }) => (
                      <Link key={_id} href={href(`/campaigns/${_id}`)} className={css.entry} data-status={status}>
                        <StatusIcon status={status} />
                        <span>
                          {time(scheduledTo)} {name}
                        </span>
                      </Link>
                    ))}
                  </td>
                )
              })}
            </tr>
          ),
        )}
      </tbody>
    </table>
  )
}
