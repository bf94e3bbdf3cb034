import type { Subscription } from '../api/types.js'
import { useProject } from '../shell/session.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { Icon } from '../ui/icons.js'
import { Long } from '../ui/long.js'
import { ErrorNote, Skeleton } from '../ui/states.js'
import css from './explain.module.css'
import { mostMails, useContact, useHistory, useSubscriptions, useSuppression } from './history.js'
import { MembershipMenu } from './membership-menu.js'
import { AddressTimeline, useSubscriptionSource } from './timeline.js'

export const useAddressQueries = (email: string) => {
  const { projectId } = useProject()
  const contact = useContact(projectId, email)
  const isContact = contact.data !== undefined && contact.data !== null
  const suppression = useSuppression(projectId, email)
  const subscriptions = useSubscriptions(projectId, email, isContact)
  const history = useHistory(projectId, email)
  return {
    ...{ contact, suppression, subscriptions, history },
    retry: (): void => {
      for (const { error, refetch } of [contact, suppression, subscriptions, history]) if (error) void refetch()
    },
  }
}
export type AddressQueries = ReturnType<typeof useAddressQueries>

export const HistoryCard = ({
  address: { contact, suppression, subscriptions, history },
}: {
  readonly address: AddressQueries
}) => {
  const { say, dateTime } = useText()
  const since = history.data?.keptSince.mails
  const note = [
    say('historyLimit', { count: mostMails }),
    ...(since ? [say('historySince', { time: dateTime(since) })] : []),
  ].join(' ')
  return (
    <section className={css.card}>
      <h2>{say('everything')}</h2>
      {history.error ? (
        <ErrorNote error={history.error} onRetry={() => void history.refetch()} />
      ) : !history.data || subscriptions.isLoading ? (
        <Skeleton rows={4} />
      ) : (
        <AddressTimeline
          mails={history.data.items}
          subscriptions={subscriptions.data?.items ?? []}
          suppression={suppression.data ?? undefined}
          contact={contact.data ?? undefined}
        />
      )}
      <p className={css.note}>{note}</p>
    </section>
  )
}

const statusLooks = {
  active: ['check', 'good', 'statusActive'],
  paused: ['pause', 'warn', 'statusPaused'],
  unverified: ['clock', 'warn', 'statusUnverified'],
  unsubscribed: ['leave', 'bad', 'statusUnsubscribed'],
} as const

const takenOffLabels = {
  bounce: 'takenOffBounce',
  complaint: 'takenOffComplaint',
} as const satisfies Readonly<Record<NonNullable<Subscription['endedBy']>, keyof Messages>>

const Lists = ({
  email,
  subscriptions,
  count,
}: {
  readonly email: string
  readonly subscriptions: readonly Subscription[]
  readonly count: number
}) => {
  const { say, dateTime } = useText()
  const originOf = useSubscriptionSource()
  return (
    <>
      {subscriptions.map((one) => {
        const [icon, tone, label] = statusLooks[one.status]
        const details = [say('joinedSince', { time: dateTime(one.joinedAt) }), ...originOf(one)]
        return (
          <div key={one._id} className={css.line}>
            <span className={css[tone]}>
              <Icon name={icon} />
            </span>
            <div className={css.wide}>
              <Long>{one.name}</Long>
              <small>
                {one.pausedUntil
                  ? say('pausedUntil', { time: dateTime(one.pausedUntil) })
                  : one.endedBy
                    ? say(takenOffLabels[one.endedBy])
                    : say(label)}
              </small>
              {details.map((detail) => (
                <small key={detail}>
                  <Long>{detail}</Long>
                </small>
              ))}
            </div>
            <MembershipMenu email={email} subscription={one} />
          </div>
        )
      })}
      {count > subscriptions.length && (
        <p className={css.note}>{say('someLists', { shown: subscriptions.length, count })}</p>
      )}
    </>
  )
}

export const MayWriteCard = ({
  address: { contact, suppression, subscriptions },
}: {
  readonly address: AddressQueries
}) => {
  const { say, dateTime } = useText()
  const suppressed = suppression.data
  const lists = subscriptions.data
  return (
    <section className={css.card}>
      <h2>{say('mayWeWrite')}</h2>
      {suppressed && (
        <div className={css.line}>
          <span className={css.bad}>
            <Icon name="barred" />
          </span>
          <div>
            {say('reasonSuppressed')}
            <small>
              <Long>
                {suppressed.reason} {dateTime(suppressed.createdAt)}
              </Long>
            </small>
          </div>
        </div>
      )}
      {contact.data === null ? (
        <p className={css.note}>{say('onNoList')}</p>
      ) : subscriptions.error ? (
        <ErrorNote error={subscriptions.error} onRetry={() => void subscriptions.refetch()} />
      ) : !lists ? (
        <Skeleton rows={2} />
      ) : lists.items.length === 0 ? (
        <p className={css.note}>{say('onNoList')}</p>
      ) : (
        <Lists email={contact.data?.email ?? ''} subscriptions={lists.items} count={lists.count} />
      )}
    </section>
  )
}
