import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import { useProject } from '../shell/session.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { FormDialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { useToast } from '../ui/states.js'

const answers = [
  ['productDescription', 'accessProduct', 'accessProductNote'],
  ['typeOfEmails', 'accessEmails', 'accessEmailsNote'],
  ['contactsSource', 'accessContacts', 'accessContactsNote'],
  ['whyBluefox', 'accessWhy', 'accessWhyNote'],
] as const satisfies readonly (readonly [string, keyof Messages, keyof Messages])[]

type Answers = Readonly<Record<(typeof answers)[number][0], string>>

const longestAnswer = 5_000

/** Per month; undefined unless it is a whole number. */
const mailsIn = (text: string): number | undefined => {
  const digits = text.replaceAll(/[\s.,’']/g, '')
  return /^\d{1,12}$/.test(digits) ? Number(digits) : undefined
}

/** The application for production access, which the operator of the server reviews. */
export const ApplyDialog = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const { say } = useText()
  const lacks = useLacks()
  const { projectId } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [volume, setVolume] = useState('')
  const [website, setWebsite] = useState('')
  const [written, setWritten] = useState<Answers>({
    ...{ productDescription: '', typeOfEmails: '', contactsSource: '', whyBluefox: '' },
  })
  const mails = mailsIn(volume)
  return (
    <FormDialog
      title={say('accessApply')}
      isOpen={isOpen}
      onClose={onClose}
      submit={say('accessSubmit')}
      why={
        lacks({
          [say('accessVolume')]: volume.trim() === '' || mails === 0,
          [say('accessWebsite')]: website.trim() === '',
          ...Object.fromEntries(answers.map(([field, label]) => [say(label), written[field].trim() === ''])),
        }) ?? (mails === undefined ? say('fixMarked') : undefined)
      }
      wide
      onSubmit={async () => {
        await call(projectId, 'post', '/production-access', { body: { ...written, website, volume: mails ?? 0 } })
        toast(say('accessApplied'))
        await client.invalidateQueries({ queryKey: [projectId, 'sending-figures'] })
      }}
    >
      {(problemAt) => (
        <>
          <p>{say('accessApplyText')}</p>
          <TextField
            label={say('accessVolume')}
            value={volume}
            onChange={setVolume}
            error={volume !== '' && mails === undefined ? say('accessVolumeWrong') : problemAt('volume')}
            autoFocus
          />
          <TextField
            label={say('accessWebsite')}
            value={website}
            onChange={setWebsite}
            maxLength={2_000}
            error={problemAt('website')}
            dense
          />
          {answers.map(([field, label, note]) => (
            <TextField
              key={field}
              label={say(label)}
              note={say(note)}
              value={written[field]}
              onChange={(value) => setWritten((before) => ({ ...before, [field]: value }))}
              error={problemAt(field)}
              maxLength={longestAnswer}
              rows={3}
            />
          ))}
        </>
      )}
    </FormDialog>
  )
}

/** A request for more mails a month; empty means without a limit. */
export const LimitDialog = ({
  current,
  isOpen,
  onClose,
}: {
  readonly current: number
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const { projectId } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [limit, setLimit] = useState('')
  const [reason, setReason] = useState('')
  const mails = limit.trim() === '' ? 0 : mailsIn(limit)
  const isLow = mails === undefined || (mails !== 0 && mails <= current)
  return (
    <FormDialog
      title={say('homeAskLimit')}
      isOpen={isOpen}
      onClose={onClose}
      submit={say('accessAsk')}
      why={isLow ? say('fixMarked') : lacks({ [say('reason')]: reason.trim().length < 10 })}
      onSubmit={async () => {
        await call(projectId, 'post', '/production-access/limit-increase', {
          body: { monthlyLimit: mails ?? 0, reason: reason.trim() },
        })
        toast(say('accessAsked'))
        await client.invalidateQueries({ queryKey: [projectId, 'sending-figures'] })
      }}
    >
      {(problemAt) => (
        <>
          <TextField
            label={say('accessLimit')}
            note={say('accessLimitNote')}
            value={limit}
            onChange={setLimit}
            error={isLow ? say('accessLimitWrong', { limit: current }) : problemAt('monthlyLimit')}
            autoFocus
          />
          <TextField
            label={say('reason')}
            note={say('accessReasonNote')}
            value={reason}
            onChange={setReason}
            error={problemAt('reason')}
            maxLength={longestAnswer}
            rows={3}
          />
        </>
      )}
    </FormDialog>
  )
}
