import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { contactHref } from '../audience/contact-href.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { TextField } from '../ui/field.js'
import { Icon } from '../ui/icons.js'
import { useLacks } from '../ui/lacks.js'
import { Long } from '../ui/long.js'
import { SavedViews } from '../ui/saved-views.js'
import { Empty, ErrorNote, Note, Skeleton, useToast } from '../ui/states.js'
import { HistoryCard, MayWriteCard, useAddressQueries } from './address-cards.js'
import css from './explain.module.css'
import { LiftDialog } from './lift-dialog.js'

const Find = ({ onFind }: { readonly onFind: (email: string) => void }) => {
  const { say } = useText()
  const lacks = useLacks()
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
      <Button type="submit" kind="primary" icon="search" why={lacks({ [say('email')]: text.trim() === '' })}>
        {say('explain')}
      </Button>
    </form>
  )
}

const Explained = ({ email }: { readonly email: string }) => {
  const { say, dateTime } = useText()
  const { href, may } = useProject()
  const toast = useToast()
  const [isLifting, setLifting] = useState(false)
  const address = useAddressQueries(email)
  const { contact, suppression, subscriptions, history } = address
  const failed = [contact, suppression].find(({ error }) => error)
  if (failed) return <ErrorNote error={failed.error} onRetry={address.retry} />
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
        <HistoryCard address={address} />
      </div>
      <div className={css.stack}>
        <MayWriteCard address={address} />
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
  const { href, may } = useProject()
  const { get, set } = useUrlState()
  const email = get('address').trim().toLowerCase()
  return (
    <PageFrame
      title={email === '' ? say('mailExplain') : email}
      crumb={{ label: say('deliveries'), href: href('/deliveries') }}
      actions={
        email !== '' && (
          <Button icon="search" onPress={() => set({ address: undefined })}>
            {say('lookForAnother')}
          </Button>
        )
      }
    >
      {may('addresses.read') && <SavedViews page="deliveries" />}
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
