import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { Subscription } from '../api/types.js'
import { contactHref } from '../audience/contact-href.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { TextField } from '../ui/field.js'
import { Icon } from '../ui/icons.js'
import { Long } from '../ui/long.js'
import { Empty, ErrorNote, Note, Skeleton, useToast } from '../ui/states.js'
import css from './explain.module.css'
import { mostMails, useContact, useHistory, useSubscriptions, useSuppression } from './history.js'
import { LiftDialog } from './lift-dialog.js'
import { useOrigin } from './origin.js'
import { Timeline } from './timeline.js'

const Find = ({ onFind }: { readonly onFind: (email: string) => void }) => {
  const { say } = useText()
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') onFind(text.trim())
  }
  return (
    <form className={css.find} onSubmit={submit} noValidate>
      <TextField
        label={say('email')}
        labelHidden
        type="email"
        placeholder={say('addressToExplain')}
        value={text}
        onChange={setText}
        autoFocus
        dense
      />
      <Button type="submit" kind="primary" icon="search" isDisabled={text.trim() === ''}>
        {say('explain')}
      </Button>
    </form>
  )
}

const statusLooks = {
  active: ['check', 'good', 'statusActive'],
  paused: ['pause', 'warn', 'statusPaused'],
  unverified: ['clock', 'warn', 'statusUnverified'],
  unsubscribed: ['leave', 'bad', 'statusUnsubscribed'],
} as const

const Lists = ({
  subscriptions,
  count,
}: {
  readonly subscriptions: readonly Subscription[]
  readonly count: number
}) => {
  const { say, dateTime } = useText()
  const originOf = useOrigin()
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
            <div>
              <Long>{one.name}</Long>
              <small>{one.pausedUntil ? say('pausedUntil', { time: dateTime(one.pausedUntil) }) : say(label)}</small>
              {details.map((detail) => (
                <small key={detail}>
                  <Long>{detail}</Long>
                </small>
              ))}
            </div>
          </div>
        )
      })}
      {count > subscriptions.length && (
        <p className={css.note}>{say('someLists', { shown: subscriptions.length, count })}</p>
      )}
    </>
  )
}

const Explained = ({ email }: { readonly email: string }) => {
  const { say, dateTime } = useText()
  const { projectId, href, may } = useProject()
  const toast = useToast()
  const [isLifting, setLifting] = useState(false)
  const contact = useContact(projectId, email)
  const suppression = useSuppression(projectId, email)
  const subscriptions = useSubscriptions(projectId, email, contact.data !== undefined && contact.data !== null)
  const history = useHistory(projectId, email)
  const failed = [contact, suppression].find(({ error }) => error)
  if (failed) return <ErrorNote error={failed.error} onRetry={() => void failed.refetch()} />
  if (contact.data === undefined || suppression.data === undefined) return <Skeleton />
  const suppressed = suppression.data
  const lists = subscriptions.data
  // With more lists than are read, another one may be active.
  const isActive =
    lists !== undefined && (lists.count > lists.items.length || lists.items.some(({ status }) => status === 'active'))
  const last = history.data?.items[0]
  const sentences = suppressed
    ? [
        say('answerSuppressed', { email }),
        say('answerSuppressedSince', {
          time: dateTime(suppressed.createdAt),
          reason: suppressed.reason === '' ? '–' : suppressed.reason,
        }),
      ]
    : contact.data === null
      ? [say('answerUnknown', { email })]
      : lists && !isActive
        ? [say('answerNoList', { email })]
        : [say('answerGetsMail', { email })]
  const lastSentence = last && say('lastEvent', { time: dateTime(last.sentAt ?? last.createdAt), name: last.name })
  const answer = [...sentences, ...(lastSentence ? [lastSentence] : [])].join('\n')
  const since = history.data?.keptSince.mails
  const historyNote = [
    say('historyLimit', { count: mostMails }),
    ...(since ? [say('historySince', { time: dateTime(since) })] : []),
  ].join(' ')
  const look = suppressed ? css.no : contact.data === null || (lists && !isActive) ? css.maybe : ''
  return (
    <div className={css.columns}>
      <div className={css.stack}>
        <section className={`${css.answer} ${look}`}>
          <Icon name={suppressed ? 'barred' : look === '' ? 'check' : 'info'} />
          <div>
            <h2>
              <Long>{sentences[0]}</Long>
            </h2>
            {sentences.slice(1).map((one) => (
              <p key={one}>
                <Long>{one}</Long>
              </p>
            ))}
            {lastSentence && (
              <p>
                <Long>{lastSentence}</Long>
              </p>
            )}
            <div className={css.row}>
              {suppressed && may('suppressions.edit') && (
                <Button onPress={() => setLifting(true)}>{say('liftMore')}</Button>
              )}
              <Button
                kind="quiet"
                icon="copy"
                onPress={() => void navigator.clipboard.writeText(answer).then(() => toast(say('copied')))}
              >
                {say('copyAnswer')}
              </Button>
            </div>
          </div>
        </section>
        <section className={css.card}>
          <h2>{say('everything')}</h2>
          {history.error ? (
            <ErrorNote error={history.error} onRetry={() => void history.refetch()} />
          ) : !history.data || subscriptions.isLoading ? (
            <Skeleton rows={4} />
          ) : (
            <Timeline
              mails={history.data.items}
              subscriptions={lists?.items ?? []}
              suppression={suppressed ?? undefined}
              contact={contact.data ?? undefined}
            />
          )}
          <p className={css.note}>{historyNote}</p>
        </section>
      </div>
      <div className={css.stack}>
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
            <Lists subscriptions={lists.items} count={lists.count} />
          )}
        </section>
        {contact.data && (
          <section className={css.card}>
            <h2>
              <Link href={contactHref(href, contact.data.email)}>
                <Long>{contact.data.name === '' ? contact.data.email : contact.data.name}</Long>
              </Link>
            </h2>
            <p className={css.note}>{say('contactSince', { time: dateTime(contact.data.createdAt) })}</p>
          </section>
        )}
      </div>
      {suppressed && isLifting && <LiftDialog suppression={suppressed} onClose={() => setLifting(false)} />}
    </div>
  )
}

/** Why did this address get a mail, or none? A sentence first, then everything that happened. */
export const ExplainPage = () => {
  const { say } = useText()
  const { may } = useProject()
  const { get, set } = useUrlState()
  const email = get('address').trim().toLowerCase()
  return (
    <PageFrame
      title={email === '' ? say('deliveries') : email}
      actions={
        email !== '' && (
          <Button icon="search" onPress={() => set({ address: undefined })}>
            {say('lookForAnother')}
          </Button>
        )
      }
    >
      {!may('addresses.read') ? (
        <Note>{say('errorForbidden')}</Note>
      ) : email === '' ? (
        <Empty icon="search" title={say('explainTitle')} action={<Find onFind={(address) => set({ address })} />}>
          {say('explainText')}
        </Empty>
      ) : (
        <Explained key={email} email={email} />
      )}
    </PageFrame>
  )
}
