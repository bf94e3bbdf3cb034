import type { ReactNode } from 'react'
import { type Problem, problemOf } from '../api/errors.js'
import { useSenders } from '../api/records.js'
import { useProject } from '../shell/session.js'
import { isolated } from '../text/filled.js'
import { useText } from '../text/text.js'
import { Select, TextField } from '../ui/field.js'
import css from './email-fields.module.css'

export type EmailDetails = {
  readonly name: string
  readonly subject: string
  readonly previewText: string
  /** Absent: the email has no sender of its own. */
  readonly senderIdentity?: string
  readonly replyTo?: string
}

type Stored = {
  readonly name: string
  readonly subject: string
  readonly previewText?: string | undefined
  readonly senderIdentity?: string | undefined
  readonly replyTo?: string | undefined
}

export const emailDetailsOf = ({ name, subject, previewText = '', senderIdentity = '', replyTo = '' }: Stored) => ({
  name,
  subject,
  previewText,
  senderIdentity,
  replyTo,
})

export const senderText = ({ name, email }: { readonly name?: string | undefined; readonly email: string }): string =>
  name ? `${isolated(name)} <${email}>` : email

const SenderField = ({
  value,
  onChange,
  error,
  isDisabled,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
  readonly isDisabled: boolean
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const senders = useSenders(projectId)
  return (
    <Select
      label={say('from')}
      value={value}
      isDisabled={isDisabled}
      error={error}
      onChange={onChange}
      options={[
        { value: '', label: say('firstSender') },
        ...(senders.data ?? []).map((sender) => ({ value: sender._id, label: senderText(sender) })),
      ]}
    />
  )
}

export const EmailFields = <T extends EmailDetails>({
  head,
  onChange,
  nameLabel,
  problems,
  isReadOnly,
  children,
}: {
  readonly head: T
  readonly onChange: (head: T, changes: Partial<EmailDetails>) => void
  readonly nameLabel: string
  readonly problems: readonly Problem[]
  readonly isReadOnly: boolean
  readonly children?: ReactNode
}) => {
  const { say } = useText()
  const set = (key: keyof EmailDetails) => (value: string) =>
    onChange({ ...head, [key]: value }, key === 'name' && value.trim() === '' ? {} : { [key]: value })
  const field = (key: keyof EmailDetails) => ({
    onChange: set(key),
    isDisabled: isReadOnly,
    error: problemOf(problems, key),
  })
  return (
    <div className={css.fields}>
      <TextField
        {...field('name')}
        label={nameLabel}
        value={head.name}
        maxLength={200}
        error={head.name.trim() === '' ? say('nameNeeded') : problemOf(problems, 'name')}
      />
      {head.senderIdentity !== undefined && <SenderField {...field('senderIdentity')} value={head.senderIdentity} />}
      <TextField {...field('subject')} label={say('subject')} value={head.subject} maxLength={998} />
      {head.replyTo !== undefined && (
        <TextField {...field('replyTo')} label={say('replyTo')} type="email" value={head.replyTo} />
      )}
      <div className={head.replyTo === undefined ? undefined : css.wide}>
        <TextField
          {...field('previewText')}
          label={say('previewText')}
          value={head.previewText}
          maxLength={1000}
          note={say('previewTextNote')}
        />
      </div>
      {children}
    </div>
  )
}
