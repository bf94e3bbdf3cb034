import { type FormEvent, useState } from 'react'
import { call } from '../api/client.js'
import type { Campaign, CampaignChanges } from '../api/types.js'
import { useProject, useSession } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Select, TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { ErrorNote, Note } from '../ui/states.js'
import css from './compose.module.css'

/** For `<input type="datetime-local">`, such as `2026-12-24T18:00`; empty without an instant. */
const localTimeIn = (instant: string | undefined, timeZone: string): string => {
  const at = instant === undefined ? Number.NaN : Date.parse(instant)
  if (Number.isNaN(at)) return ''
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(at)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`
}

const addressesIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  ),
]

/** Each costs one credit. */
const mostTests = 10

export const TestStep = ({
  campaign,
  onTested,
  flush,
}: {
  readonly campaign: Campaign
  readonly onTested: () => void
  readonly flush: () => Promise<boolean>
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const { projectId, may } = useProject()
  const { person } = useSession()
  const [text, setText] = useState(person.email)
  const [isBusy, setBusy] = useState(false)
  const [done, setDone] = useState<readonly string[]>([])
  const [failed, setFailed] = useState<readonly { readonly email: string; readonly error: unknown }[]>([])
  const addresses = addressesIn(text)
  const isTooMany = addresses.length > mostTests
  const send = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || addresses.length === 0 || isTooMany) return
    setBusy(true)
    setDone([])
    setFailed([])
    const sent: string[] = []
    const wrong: { readonly email: string; readonly error: unknown }[] = []
    if (await flush()) {
      for (const email of addresses) {
        try {
          await call(projectId, 'post', '/test-email/{id}', {
            params: { id: campaign._id },
            body: { type: 'campaign', email },
          })
          sent.push(email)
        } catch (error) {
          wrong.push({ email, error })
        }
      }
      if (sent.length > 0) onTested()
    }
    setDone(sent)
    setFailed(wrong)
    setBusy(false)
  }
  if (!may('emails.test')) return <Note>{say('errorForbidden')}</Note>
  return (
    <form className={`${css.card} ${css.narrow}`} onSubmit={(event) => void send(event)}>
      <h2>{say('testTitle')}</h2>
      <TextField
        label={say('testAddresses')}
        value={text}
        onChange={setText}
        rows={2}
        note={say('testNote')}
        error={isTooMany ? say('testTooMany', { count: mostTests }) : undefined}
      />
      <div className={css.row}>
        <Button
          type="submit"
          kind="primary"
          icon="mail"
          isDisabled={isBusy}
          why={isTooMany ? say('fixMarked') : lacks({ [say('testAddresses')]: addresses.length === 0 })}
        >
          {isBusy ? say('working') : say('sendTests', { count: addresses.length })}
        </Button>
      </div>
      {done.length > 0 && <Note>{say('testsQueued', { addresses: done.join(', ') })}</Note>}
      {failed.map(({ email, error }) => (
        <div key={email}>
          <b>{email}</b>
          <ErrorNote error={error} />
        </div>
      ))}
    </form>
  )
}

/** In minutes; from then on the server refuses changes. */
const lockTime = 6

export type SendTiming = 'now' | 'later'

const zones = (current: string): readonly string[] => {
  const known = Intl.supportedValuesOf('timeZone')
  return known.includes(current) ? known : [current, ...known]
}

export const TimeStep = ({
  campaign,
  when,
  onWhen,
  onChange,
  isReadOnly,
}: {
  readonly campaign: Campaign
  readonly when: SendTiming
  readonly onWhen: (when: SendTiming) => void
  readonly onChange: (changes: CampaignChanges) => void
  readonly isReadOnly: boolean
}) => {
  const { say, dateTime } = useText()
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const [local, setLocal] = useState(() => localTimeIn(campaign.scheduledTo, campaign.timeZone))
  const minutes = (Date.parse(campaign.scheduledTo ?? '') - Date.now()) / 60_000
  const isPast = campaign.scheduledTo !== undefined && Date.parse(campaign.scheduledTo) <= Date.now()
  return (
    <section className={`${css.card} ${css.narrow}`}>
      <h2>{say('time')}</h2>
      <Select
        label={say('whenToSend')}
        value={when}
        isDisabled={isReadOnly}
        onChange={(chosen) => onWhen(chosen)}
        options={[
          { value: 'now', label: say('atOnce') },
          { value: 'later', label: say('atTime') },
        ]}
        dense
      />
      {when === 'later' && (
        <>
          <TextField
            label={say('dateAndTime')}
            type="datetime-local"
            value={local}
            isDisabled={isReadOnly}
            onChange={(value) => {
              setLocal(value)
              if (value !== '') onChange({ scheduledTo: `${value}:00`, timeZone: campaign.timeZone })
            }}
            dense
          />
          <Select
            label={say('timeZone')}
            value={campaign.timeZone}
            isDisabled={isReadOnly}
            onChange={(timeZone) => onChange({ timeZone, ...(local !== '' && { scheduledTo: `${local}:00` }) })}
            options={zones(campaign.timeZone).map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))}
            note={
              campaign.scheduledTo !== undefined && ownZone !== campaign.timeZone
                ? say('withYou', { time: dateTime(campaign.scheduledTo, ownZone), zone: ownZone })
                : undefined
            }
          />
          {isPast ? (
            <Note kind="warn">{say('timePast')}</Note>
          ) : minutes < lockTime ? (
            <Note kind="warn">{say('lockedAtOnce')}</Note>
          ) : minutes < lockTime + 30 ? (
            <Note kind="warn">{say('lockedSoon', { count: Math.ceil(minutes - lockTime) })}</Note>
          ) : (
            <Note>{say('sixMinutes')}</Note>
          )}
        </>
      )}
    </section>
  )
}
