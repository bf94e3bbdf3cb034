import type { ReactNode } from 'react'
import type { Campaign } from '../api/types.js'
import { booksOf } from '../campaigns/live.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { ButtonLink } from '../ui/button.js'
import { DeliveryCountsBar } from '../ui/delivery-counts.js'
import { Icon, type IconName } from '../ui/icons.js'
import { Long } from '../ui/long.js'
import { failedReads, ReadErrorNote, Skeleton } from '../ui/states.js'
import { ScheduledCampaignsCalendar } from './calendar.js'
import css from './home.module.css'
import type { Home } from './home-queries.js'

export const Line = ({
  icon,
  tone,
  title,
  text,
  aside,
  fix,
}: {
  readonly icon: IconName
  readonly tone?: 'bad' | 'warn' | 'good' | undefined
  readonly title: string
  readonly text?: ReactNode
  readonly aside?: ReactNode
  readonly fix?: { readonly label: string; readonly href: string } | undefined
}) => (
  <li className={css.line}>
    <span className={`${css.disc} ${tone ? css[tone] : ''}`}>
      <Icon name={icon} />
    </span>
    <div className={css.words}>
      <b>
        <Long>{title}</Long>
      </b>
      {text !== undefined && text !== '' && (
        <small>
          <Long>{text}</Long>
        </small>
      )}
    </div>
    {aside}
    {fix && (
      <span className={css.fix}>
        <ButtonLink href={fix.href}>{fix.label}</ButtonLink>
      </span>
    )}
  </li>
)

export const Waits = ({ home }: { readonly home: Home }) => {
  const { say, number, dateTime } = useText()
  const { href, may } = useProject()
  const { running, scheduled, drafts, sent, imports, progress } = home
  const failed = failedReads([running, scheduled, drafts, sent, imports])
  if (failed.length > 0) return <ReadErrorNote failed={failed} />
  if (!running.data || !scheduled.data || !drafts.data || !sent.data || !imports.data) return <Skeleton rows={5} />
  const at = ({ _id }: Campaign) => href(`/campaigns/${_id}`)
  const isEmpty = [running, scheduled, drafts].every(({ data }) => data?.items.length === 0)
  return (
    <div className={css.card}>
      <ul>
        {running.data.items.map((campaign, place) => {
          const live = progress[place]?.data
          const books = live && booksOf(live)
          return (
            <Line
              key={campaign._id}
              icon="send"
              title={say('homeSending', { name: campaign.name })}
              text={books && say('homeSendingText', { waiting: books.waiting, sent: books.sent })}
              aside={
                <span className={css.books}>
                  <DeliveryCountsBar books={books ?? { recipients: 0, sent: 0, failed: 0, excluded: 0, waiting: 0 }} />
                </span>
              }
              fix={{ label: say('homeWatch'), href: at(campaign) }}
            />
          )
        })}
        {imports.data.map(({ _id, fileName }) => (
          <Line
            key={_id}
            icon="people"
            title={say('homeImporting', { file: fileName })}
            fix={{ label: say('homeWatch'), href: href(`/audience/imports/${_id}`) }}
          />
        ))}
        {drafts.data.items.map((campaign) => (
          <Line
            key={campaign._id}
            icon="pencil"
            title={campaign.name}
            text={say('homeDraft', { time: dateTime(campaign.updatedAt) })}
            fix={{ label: say(may('content.edit') ? 'homeContinue' : 'homeOpen'), href: at(campaign) }}
          />
        ))}
      </ul>
      {isEmpty && <p className={css.none}>{say('homeNothingWaits')}</p>}
      <ScheduledCampaignsCalendar campaigns={[...scheduled.data.items, ...running.data.items, ...sent.data.items]} />
      {scheduled.data.count > scheduled.data.items.length && (
        <p className={css.none}>
          {say('homeMoreScheduled', { count: scheduled.data.count - scheduled.data.items.length })}{' '}
          <ButtonLink kind="linklike" href={`${href('/campaigns')}?status=scheduled`}>
            {number(scheduled.data.count)}
          </ButtonLink>
        </p>
      )}
    </div>
  )
}
