import { Children, type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { Contact, MailHistory, Subscription, Suppression } from '../api/types.js'
import { reasonLabels } from '../campaigns/reasons.js'
import { useProject } from '../shell/session.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Icon, type IconName } from '../ui/icons.js'
import { Long } from '../ui/long.js'
import css from './explain.module.css'
import { SendAgainDialog } from './send-again.js'

/** The form or import, and what was said about the consent. */
export const useSubscriptionSource = () => {
  const { say } = useText()
  return ({ signupForm, import: file, consent }: Subscription): readonly string[] => [
    ...(signupForm ? [say('throughForm', { name: signupForm.name })] : []),
    ...(file ? [say('throughImport', { file: file.fileName })] : []),
    ...(file?.consent === undefined ? [] : [say('consentSaid', { consent: file.consent })]),
    ...(consent === undefined ? [] : [say('consentSaid', { consent })]),
  ]
}

type Event = MailHistory['events'][number]
type Post = MailHistory['webhooks'][number]
type Tone = 'good' | 'bad' | 'warn' | 'plain'
type Look = readonly [IconName, Tone, keyof Messages]

const eventLooks: Readonly<Record<Event['type'], Look>> = {
  accepted: ['clock', 'plain', 'isWaiting'],
  excluded: ['barred', 'bad', 'wasLeftOut'],
  'put-off': ['clock', 'warn', 'wasPutOff'],
  uncertain: ['warning', 'warn', 'isUncertain'],
  sent: ['check', 'good', 'wasSent'],
  failed: ['close', 'bad', 'hasFailed'],
  open: ['eye', 'good', 'wasOpened'],
  click: ['click', 'good', 'wasClicked'],
  bounce: ['close', 'bad', 'hasBounced'],
  complaint: ['warning', 'bad', 'wasReported'],
  subscribe: ['check', 'good', 'hasConfirmed'],
  resubscribe: ['check', 'good', 'cameBack'],
  unsubscribe: ['leave', 'bad', 'hasLeft'],
  pause: ['pause', 'warn', 'hasPaused'],
}
const sentAsTest: Look = ['check', 'good', 'wasSentAsTest']
const byMachine: Look = ['machine', 'plain', 'machineDid']

const postLooks: Readonly<Record<Post['state'], Look>> = {
  delivered: ['link', 'good', 'webhookNotified'],
  pending: ['clock', 'warn', 'webhookWaits'],
  'given-up': ['close', 'bad', 'webhookFailed'],
}

const statusLooks: Readonly<Record<Subscription['status'], Look>> = {
  active: ['check', 'good', 'activeOnList'],
  paused: ['pause', 'warn', 'pausedOnList'],
  unverified: ['clock', 'warn', 'unverifiedOnList'],
  unsubscribed: ['leave', 'bad', 'leftList'],
}

const endedLabels = {
  bounce: 'endedByBounce',
  complaint: 'endedByComplaint',
} as const satisfies Readonly<Record<NonNullable<Subscription['endedBy']>, keyof Messages>>

/** Events of a mail whose link led to the status. */
const causes: Readonly<Record<Subscription['status'], readonly Event['type'][]>> = {
  active: ['subscribe', 'resubscribe'],
  paused: ['pause'],
  unverified: [],
  unsubscribed: ['unsubscribe'],
}
/** In ms, between a change and the event of its mail. */
const sameTime = 10_000

type Entry = {
  readonly key: string
  readonly at: string
  readonly look: Look
  readonly about: ReactNode
  readonly details: readonly ReactNode[]
  readonly action?: ReactNode
}

const Replied = ({ reply }: { readonly reply: NonNullable<Event['reply']> }) => (
  <code>{reply.message === '' ? reply.name : reply.message}</code>
)

const SendAgain = ({ mail }: { readonly mail: MailHistory }) => {
  const { say } = useText()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind="linklike" icon="retry" onPress={() => setOpen(true)}>
        {say('sendAgain')}
      </Button>
      {isOpen && (
        <SendAgainDialog
          campaign={{ id: mail.emailId, name: mail.name }}
          deliveryId={mail.deliveryId}
          email={mail.email}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

const useMailEntries = () => {
  const { say } = useText()
  const { href, may } = useProject()
  return (mail: MailHistory): readonly Entry[] => {
    const { deliveryId, kind, emailId, name, subject, events, webhooks } = mail
    const isTest = kind === 'test'
    const about =
      kind === 'campaign' && name !== '' ? <Link href={href(`/campaigns/${emailId}`)}>{name}</Link> : name || subject
    const shown = events.filter(({ type }, place) => type !== 'accepted' || place === events.length - 1)
    return [
      ...shown.map((event, place) => {
        const { type, at, reply, reason, link, by } = event
        return {
          key: `${deliveryId} ${place}`,
          at,
          look: by === 'machine' ? byMachine : isTest && type === 'sent' ? sentAsTest : eventLooks[type],
          about,
          details: [
            ...(isTest && type !== 'sent' ? [say('mailTest')] : []),
            ...(type === 'sent' || type === 'failed' ? [subject] : []),
            ...(by === 'machine' ? [say(type === 'click' ? 'clicked' : 'opened')] : []),
            ...(link === undefined ? [] : [link]),
            ...(reason === undefined ? [] : [say(reasonLabels[reason])]),
            ...(reply === undefined ? [] : [<Replied key="reply" reply={reply} />]),
          ],
          action: type === 'failed' && kind === 'campaign' && may('emails.send') && <SendAgain mail={mail} />,
        }
      }),
      ...webhooks.map(({ _id, type, state, createdAt, attempts, lastAttempt, deliveredAt, reason }) => ({
        key: _id,
        at: deliveredAt ?? lastAttempt?.at ?? createdAt,
        look: postLooks[state],
        about: <code>{type}</code>,
        details: [
          [
            ...(attempts > 0 ? [say('attempts', { count: attempts })] : []),
            ...(lastAttempt?.status === undefined ? [] : [`HTTP ${lastAttempt.status}`]),
          ].join(' · '),
          reason ?? lastAttempt?.reason ?? '',
        ],
      })),
    ]
  }
}

const isCausedByMail = ({ status, changedAt }: Subscription, mails: readonly MailHistory[]): boolean =>
  mails.some(({ events }) =>
    events.some(
      ({ type, at }) => causes[status].includes(type) && Math.abs(Date.parse(at) - Date.parse(changedAt)) < sameTime,
    ),
  )

const useSubscriptionEntries = () => {
  const { say, dateTime } = useText()
  const originOf = useSubscriptionSource()
  return (subscription: Subscription, mails: readonly MailHistory[]): readonly Entry[] => {
    const { _id, name, status, pausedUntil, joinedAt, changedAt, endedBy } = subscription
    const joined: Entry = {
      key: `joined ${_id}`,
      at: joinedAt,
      look: ['people', 'plain', 'joinedList'],
      about: name,
      details: originOf(subscription),
    }
    if (endedBy !== undefined)
      return [
        joined,
        { key: `ended ${_id}`, at: changedAt, look: ['leave', 'bad', endedLabels[endedBy]], about: name, details: [] },
      ]
    if (changedAt === joinedAt || isCausedByMail(subscription, mails)) return [joined]
    const details = pausedUntil === undefined ? [] : [say('pausedUntil', { time: dateTime(pausedUntil) })]
    return [joined, { key: `changed ${_id}`, at: changedAt, look: statusLooks[status], about: name, details }]
  }
}

/** Everything that happened to an address, the newest first, day by day. */
export const AddressTimeline = ({
  mails,
  subscriptions,
  suppression,
  contact,
}: {
  readonly mails: readonly MailHistory[]
  readonly subscriptions: readonly Subscription[]
  readonly suppression: Suppression | undefined
  readonly contact: Contact | undefined
}) => {
  const { say, date, time } = useText()
  const entriesOf = useMailEntries()
  const subscriptionEntries = useSubscriptionEntries()
  const entry = (key: string, at: string, look: Look, about: ReactNode, details: readonly ReactNode[] = []): Entry => ({
    ...{ key, at, look, about, details },
  })
  const entries = [
    ...mails.flatMap(entriesOf),
    ...subscriptions.flatMap((one) => subscriptionEntries(one, mails)),
    ...(suppression
      ? [entry('suppression', suppression.createdAt, ['barred', 'bad', 'wasSuppressed'], '', [suppression.reason])]
      : []),
    ...(contact ? [entry('contact', contact.createdAt, ['people', 'plain', 'becameContact'], '')] : []),
  ].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  if (mails.length === 0 && entries.length === 0) return <p className={css.note}>{say('nothingSent')}</p>
  return entries.map(({ key, at, look: [icon, tone, label], about, details, action }, place) => {
    const day = date(at)
    const before = entries[place - 1]
    return (
      <div key={key}>
        {(before === undefined || date(before.at) !== day) && <h3 className={css.day}>{day}</h3>}
        <div className={css.line}>
          <time className={css.time} dateTime={at}>
            {time(at)}
          </time>
          <span className={css[tone]}>
            <Icon name={icon} />
          </span>
          <div>
            <b>{say(label)}</b> {about}
            {Children.map(
              details.filter((one) => one !== ''),
              (one) => (
                <small>
                  <Long>{one}</Long>
                </small>
              ),
            )}
            {action}
          </div>
        </div>
      </div>
    )
  })
}
