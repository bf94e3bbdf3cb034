import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { call } from '../api/client.js'
import { useFields } from '../api/records.js'
import type { Contact, CustomField } from '../api/types.js'
import { HistoryCard, MayWriteCard, useAddressQueries } from '../deliveries/address-cards.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button, ButtonLink } from '../ui/button.js'
import { DestroyDialog, FormDialog } from '../ui/dialog.js'
import { Select, TextField } from '../ui/field.js'
import { ErrorNote, Note, Skeleton, Tag, useToast } from '../ui/states.js'
import css from './audience.module.css'
import { tagsIn } from './contact-bulk.js'
import { contactHref } from './contact-href.js'
import { customFactText, shownValue } from './custom-values.js'

const customValue = (contact: Contact, field: string): unknown => (contact as Readonly<Record<string, unknown>>)[field]

/** The API's value for the text; null clears the field. */
export const parseFieldValue = (type: CustomField['type'], text: string): string | number | boolean | null => {
  const trimmed = text.trim()
  if (trimmed === '') return null
  if (type === 'number') return Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed)
  if (type === 'boolean') return trimmed === 'true'
  return trimmed
}

const EditDialog = ({
  contact,
  fields,
  onClose,
}: {
  readonly contact: Contact
  readonly fields: readonly CustomField[]
  readonly onClose: () => void
}) => {
  const { say } = useText()
  const { projectId, href } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [, navigate] = useLocation()
  const [email, setEmail] = useState(contact.email)
  const [name, setName] = useState(contact.name)
  const [tags, setTags] = useState(contact.tags.join(', '))
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(fields.map((field) => [field.name, shownValue(customValue(contact, field.name))])),
  )
  return (
    <FormDialog
      title={say('editContact')}
      isOpen
      onClose={onClose}
      submit={say('save')}
      onSubmit={async () => {
        const custom = Object.fromEntries(
          fields
            .filter((field) => (values[field.name] ?? '') !== shownValue(customValue(contact, field.name)))
            .map((field) => [field.name, parseFieldValue(field.type, values[field.name] ?? '')]),
        )
        const changed = await call(projectId, 'patch', '/contacts/{email}', {
          params: { email: contact.email },
          body: {
            name: name.trim(),
            tags: [...tagsIn(tags)],
            ...(email.trim() !== contact.email && { email: email.trim() }),
            ...custom,
          },
        })
        toast(say('saved'))
        await client.invalidateQueries({ queryKey: [projectId] })
        if (changed.email !== contact.email) navigate(contactHref(href, changed.email), { replace: true })
      }}
    >
      <TextField label={say('email')} type="email" value={email} onChange={setEmail} dense />
      <TextField label={say('name')} value={name} onChange={setName} maxLength={300} autoFocus dense />
      <TextField label={say('tags')} value={tags} onChange={setTags} note={say('tagsNote')} />
      {fields.map((field) => {
        const value = values[field.name] ?? ''
        const write = (text: string) => setValues((all) => ({ ...all, [field.name]: text }))
        return field.type === 'boolean' ? (
          <Select
            key={field.name}
            label={field.name}
            value={value}
            onChange={write}
            dense
            options={[
              { value: '', label: '–' },
              { value: 'true', label: say('yes') },
              { value: 'false', label: say('no') },
            ]}
          />
        ) : (
          <TextField
            key={field.name}
            label={field.name}
            value={field.type === 'date' ? value.slice(0, 10) : value}
            type={field.type === 'number' ? 'number' : field.type === 'date' ? 'date' : 'text'}
            onChange={write}
            dense
          />
        )
      })}
    </FormDialog>
  )
}

export const ContactPage = () => {
  const text = useText()
  const { say, dateTime } = text
  const { projectId, href, may } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [, navigate] = useLocation()
  const { email: given } = useParams<{ email: string }>()
  const email = decodeURIComponent(given)
  const fields = useFields(projectId)
  const [isEditing, setEditing] = useState(false)
  const [isRemoving, setRemoving] = useState(false)
  const address = useAddressQueries(email)
  const { data: contact } = address.contact
  const error = address.contact.error ?? address.suppression.error
  const data = contact ?? undefined
  const explain = `${href('/deliveries')}?${new URLSearchParams({ address: email })}`
  return (
    <PageFrame
      title={data && data.name !== '' ? data.name : email}
      crumb={{ label: say('contacts'), href: href('/audience/contacts') }}
      actions={
        <>
          <ButtonLink icon="search" href={explain}>
            {say('explainAddress')}
          </ButtonLink>
          {data && may('contacts.edit') && (
            <>
              <Button danger icon="trash" onPress={() => setRemoving(true)}>
                {say('deleteMore')}
              </Button>
              <Button kind="primary" icon="pencil" onPress={() => setEditing(true)} isDisabled={!fields.data}>
                {say('edit')}
              </Button>
            </>
          )}
        </>
      }
    >
      {contact === null ? (
        <Note kind="warn">{say('noSuchContact', { email })}</Note>
      ) : error ? (
        <ErrorNote error={error} onRetry={address.retry} />
      ) : !data ? (
        <Skeleton />
      ) : (
        <div className={css.columns}>
          <div className={css.stack}>
            <section className={css.card}>
              <h2>{say('fieldsTitle')}</h2>
              <dl className={css.facts}>
                <dt>{say('email')}</dt>
                <dd>{data.email}</dd>
                <dt>{say('name')}</dt>
                <dd>{data.name === '' ? '–' : data.name}</dd>
                <dt>{say('tags')}</dt>
                <dd className={css.tags}>
                  {data.tags.length > 0 ? data.tags.map((tag) => <Tag key={tag}>{tag}</Tag>) : '–'}
                </dd>
                {(fields.data ?? []).map((field) => (
                  <div key={field.name} style={{ display: 'contents' }}>
                    <dt>{field.name}</dt>
                    <dd>{customFactText(field.type, customValue(data, field.name), text)}</dd>
                  </div>
                ))}
              </dl>
            </section>
            <HistoryCard address={address} />
          </div>
          <div className={css.stack}>
            <MayWriteCard address={address} />
            <section className={css.card}>
              <h2>{say('dates')}</h2>
              <dl className={css.facts}>
                {(
                  [
                    ['added', data.createdAt],
                    ['received', data.lastReceiveDate],
                    ['opened', data.lastOpenDate],
                    ['clicked', data.lastClickDate],
                  ] as const
                ).map(([label, at]) => (
                  <div key={label} style={{ display: 'contents' }}>
                    <dt>{say(label)}</dt>
                    <dd>{at ? dateTime(at) : '–'}</dd>
                  </div>
                ))}
              </dl>
            </section>
          </div>
        </div>
      )}
      {isEditing && data && <EditDialog contact={data} fields={fields.data ?? []} onClose={() => setEditing(false)} />}
      <DestroyDialog
        isOpen={isRemoving}
        title={say('deleteContactTitle', { email })}
        effect={say('deleteContactsEffect')}
        name={email}
        submit={say('delete')}
        onClose={() => setRemoving(false)}
        onSubmit={async () => {
          await call(projectId, 'delete', '/contacts/{email}', { params: { email } })
          toast(say('deleted'))
          await client.invalidateQueries({ queryKey: [projectId, 'contacts'] })
          navigate(href('/audience/contacts'))
        }}
      />
    </PageFrame>
  )
}
