import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import { problemOf } from '../api/errors.js'
import { collectItems, maxPageSize } from '../api/records.js'
import type { ResponseOf } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { type Language, languageNames } from '../text/language-names.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { FormDialog } from '../ui/dialog.js'
import { Checkbox, Select, TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { ErrorNote, Note } from '../ui/states.js'
import { confirmationMail } from './confirmation-mail.js'
import { Part, type PartProps } from './form-part.js'
import css from './forms.module.css'

type Mail = ResponseOf<'get', '/transactional-emails'>['items'][number]

const useMails = () => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'confirmation-mails'],
    queryFn: ({ signal }) =>
      collectItems((skip) =>
        call(projectId, 'get', '/transactional-emails', { query: { limit: maxPageSize, skip }, signal }),
      ),
  })
}

const confirms = ({ document }: Mail) => (JSON.stringify(document) ?? '').includes('verifyLink')

const languages = Object.keys(languageNames) as readonly Language[]

const NewMailDialog = ({
  onClose,
  onMade,
}: {
  readonly onClose: () => void
  readonly onMade: (id: string) => void
}) => {
  const { say, language: own } = useText()
  const lacks = useLacks()
  const { projectId } = useProject()
  const client = useQueryClient()
  const [name, setName] = useState(say('formMailName'))
  const [first, setFirst] = useState<Language>(own)
  const [others, setOthers] = useState<readonly Language[]>([])
  return (
    <FormDialog
      title={say('formNewMail')}
      isOpen
      onClose={onClose}
      submit={say('create')}
      why={lacks({ [say('name')]: name.trim() === '' })}
      onSubmit={async () => {
        const chosen = [first, ...languages.filter((one) => one !== first && others.includes(one))]
        const { _id } = await call(projectId, 'post', '/transactional-emails', {
          body: { name: name.trim(), ...confirmationMail(chosen) },
        })
        await client.invalidateQueries({ queryKey: [projectId, 'confirmation-mails'] })
        onMade(_id)
      }}
    >
      <TextField label={say('name')} value={name} onChange={setName} maxLength={200} autoFocus dense />
      <Select
        label={say('formMailLanguage')}
        value={first}
        onChange={setFirst}
        options={languages.map((value) => ({ value, label: languageNames[value] }))}
        dense
      />
      <fieldset className={css.group}>
        <legend>{say('formMailOthers')}</legend>
        <div className={css.choices}>
          {languages
            .filter((one) => one !== first)
            .map((one) => (
              <Checkbox
                key={one}
                isSelected={others.includes(one)}
                onChange={(isChosen) =>
                  setOthers((all) => (isChosen ? [...all, one] : all.filter((other) => other !== one)))
                }
              >
                {languageNames[one]}
              </Checkbox>
            ))}
        </div>
        <p className={css.quiet}>{say('formMailOthersNote')}</p>
      </fieldset>
    </FormDialog>
  )
}

const EditMailDialog = ({ mail, onClose }: { readonly mail: Mail; readonly onClose: () => void }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const [subject, setSubject] = useState(mail.subject)
  const [document, setDocument] = useState(typeof mail.document === 'string' ? mail.document : undefined)
  return (
    <FormDialog
      title={mail.name}
      isOpen
      wide
      onClose={onClose}
      submit={say('save')}
      onSubmit={async () => {
        await call(projectId, 'patch', '/transactional-emails/{id}', {
          params: { id: mail._id },
          body: { subject, ...(document !== undefined && { document }) },
        })
        await client.invalidateQueries({ queryKey: [projectId, 'confirmation-mails'] })
      }}
    >
      <TextField label={say('subject')} value={subject} onChange={setSubject} maxLength={998} autoFocus dense />
      {document === undefined ? (
        <Note>{say('formVisualMail')}</Note>
      ) : (
        <TextField
          label={say('documentLabel')}
          value={document}
          onChange={setDocument}
          rows={14}
          note={say('formKeepLink', { tag: '{{verifyLink}}' })}
        />
      )}
    </FormDialog>
  )
}

/** `value`: id of a transactional email with the link, or empty. */
export const ConfirmationMailSelect = ({
  value,
  onChange,
  isDisabled = false,
  error,
}: {
  readonly value: string
  readonly onChange: (emailId: string) => void
  readonly isDisabled?: boolean
  readonly error?: string | undefined
}) => {
  const { say } = useText()
  const mails = useMails()
  return (
    <>
      {mails.error && <ErrorNote error={mails.error} onRetry={() => void mails.refetch()} />}
      <Select
        label={say('formMail')}
        value={value === '' ? undefined : value}
        onChange={onChange}
        isDisabled={isDisabled}
        options={(mails.data ?? []).filter(confirms).map(({ _id, name }) => ({ value: _id, label: name }))}
        error={value === '' ? say('formMailNeeded') : error}
        note={say('formMailNote', { tag: '{{verifyLink}}' })}
      />
    </>
  )
}

export const DoubleOptInPart = ({ form, problems, isReadOnly, write }: PartProps) => {
  const { say } = useText()
  const mails = useMails()
  const [isNew, setNew] = useState(false)
  const [isEditing, setEditing] = useState(false)
  const { _id: _, ...optIn } = form.doubleOptIn
  /** Ticked before a mail is chosen: the server refuses that, so it is saved with the mail. */
  const [isTicked, setTicked] = useState(false)
  const isActive = optIn.active || isTicked
  const change = (changes: Partial<typeof optIn>) => {
    const next = { ...optIn, active: isActive, ...changes }
    const isComplete = !next.active || next.emailId !== ''
    setTicked(!isComplete)
    write({ doubleOptIn: isComplete ? next : { ...next, active: false } })
  }
  const chosen = mails.data?.find((one) => one._id === optIn.emailId && confirms(one))
  const problem = (field: string) => problemOf(problems, `doubleOptIn.${field}`)
  return (
    <Part title={say('confirmation')} note={say('formConfirmNote')}>
      {(form.warnings ?? []).map((warning) => (
        <Note key={warning} kind="warn">
          {warning}
        </Note>
      ))}
      <Checkbox
        isSelected={isActive}
        isDisabled={isReadOnly}
        onChange={(active) => {
          if (active && optIn.emailId === '') setTicked(true)
          else if (!active && !optIn.active) setTicked(false)
          else change({ active })
        }}
      >
        {say('doubleOptIn')}
      </Checkbox>
      {isActive && (
        <>
          <ConfirmationMailSelect
            value={optIn.emailId}
            onChange={(emailId) => change({ emailId })}
            isDisabled={isReadOnly}
            error={problem('emailId')}
          />
          {!isReadOnly && (
            <div className={css.row}>
              <Button icon="plus" onPress={() => setNew(true)}>
                {say('formNewMail')}
              </Button>
              {chosen && (
                <Button icon="pencil" onPress={() => setEditing(true)}>
                  {say('formEditMail')}
                </Button>
              )}
            </div>
          )}
          <TextField
            label={say('formConfirmedTitle')}
            value={optIn.confirmationTitle}
            onChange={(confirmationTitle) => change({ confirmationTitle })}
            maxLength={300}
            isDisabled={isReadOnly}
            error={problem('confirmationTitle')}
            dense
          />
          <TextField
            label={say('formConfirmedText')}
            value={optIn.confirmationMessage}
            onChange={(confirmationMessage) => change({ confirmationMessage })}
            maxLength={2000}
            rows={3}
            isDisabled={isReadOnly}
            error={problem('confirmationMessage')}
            note={say('formTextsNote')}
          />
          <TextField
            label={say('formConfirmedLink')}
            value={optIn.redirectLink}
            onChange={(redirectLink) => change({ redirectLink })}
            placeholder="https://"
            isDisabled={isReadOnly}
            error={problem('redirectLink')}
            note={say('formConfirmedLinkNote')}
          />
        </>
      )}
      {isNew && <NewMailDialog onClose={() => setNew(false)} onMade={(emailId) => change({ emailId })} />}
      {isEditing && chosen && <EditMailDialog mail={chosen} onClose={() => setEditing(false)} />}
    </Part>
  )
}
