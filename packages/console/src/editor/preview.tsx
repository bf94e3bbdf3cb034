import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import { maxPageSize } from '../api/records.js'
import type { BodyOf, Scalar } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { isolated } from '../text/filled.js'
import { useText } from '../text/text.js'
import { Checkbox, Select } from '../ui/field.js'
import { Long } from '../ui/long.js'
import { ErrorNote, Note } from '../ui/states.js'
import css from './editor.module.css'
import { MailFrame } from './mail-frame.js'
import { cssWidthOf, PreviewWidthChoice } from './preview-width.js'

type RenderPreview = NonNullable<BodyOf<'post', '/render-preview/{id}'>>

export type EmailRef = { readonly kind: NonNullable<RenderPreview['type']>; readonly id: string }

export const ContactSelect = ({
  value,
  onChange,
  contacts,
}: {
  /** An address; empty: nobody. */
  readonly value: string
  readonly onChange: (address: string) => void
  readonly contacts?: Readonly<Record<string, Scalar>> | undefined
}) => {
  const { say } = useText()
  const { projectId, may } = useProject()
  const sample = useQuery({
    queryKey: [projectId, 'sample', contacts],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/contacts', {
        query: { limit: maxPageSize },
        ...(contacts && { filter: contacts }),
        signal,
      }),
    enabled: may('addresses.read'),
  })
  return (
    <Select
      label={say('previewAs')}
      labelHidden
      dense
      value={value}
      onChange={onChange}
      options={[
        { value: '', label: say('previewNobody') },
        ...(sample.data?.items ?? []).map(({ email, name }) => ({
          value: email,
          label: name ? `${isolated(name)} · ${email}` : email,
        })),
      ]}
    />
  )
}

/** The stored email as a contact of the project gets it; rendered again whenever `savedAt` changes. */
export const Preview = ({
  email,
  savedAt,
  contacts,
  data,
}: {
  readonly email: EmailRef
  readonly savedAt: string
  /** Filter of the contacts to choose from; all contacts without it. */
  readonly contacts?: Readonly<Record<string, Scalar>>
  /** Data of a request that would send the email. */
  readonly data?: RenderPreview['data']
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const [contact, setContact] = useState('')
  const [width, setWidth] = useState<'wide' | 'narrow' | 'text'>('wide')
  const [isDark, setDark] = useState(false)
  const rendered = useQuery({
    queryKey: [projectId, 'preview', email.id, contact, savedAt, data],
    queryFn: ({ signal }) =>
      call(projectId, 'post', '/render-preview/{id}', {
        params: { id: email.id },
        body: { type: email.kind, ...(contact !== '' && { contact }), ...(data && { data }) },
        signal,
      }),
    placeholderData: keepPreviousData,
    retry: false,
  })
  const { data: mail, error, refetch } = rendered
  return (
    <div className={css.half}>
      <div className={css.halfHead}>
        <div className={css.grow}>
          <ContactSelect value={contact} onChange={setContact} contacts={contacts} />
        </div>
        <PreviewWidthChoice widths={['wide', 'narrow', 'text']} value={width} onChange={setWidth} />
        {width !== 'text' && (
          <Checkbox isSelected={isDark} onChange={setDark}>
            {say('darkMode')}
          </Checkbox>
        )}
      </div>
      <p className={css.subjectLine}>
        <b>
          <Long>{mail?.subject ?? '…'}</Long>
        </b>
      </p>
      <div className={css.mail}>
        {error ? (
          <div className={css.notes}>
            <ErrorNote error={error} onRetry={() => void refetch()} />
          </div>
        ) : mail && (width === 'text' || mail.html === '') ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
          <pre className={css.plain} tabIndex={0}>
            {mail.text}
          </pre>
        ) : (
          <MailFrame html={mail?.html ?? ''} title={say('previewTitle')} width={cssWidthOf(width)} isDark={isDark} />
        )}
      </div>
      {mail && mail.warnings.length > 0 && (
        <div className={css.notes}>
          <Note kind="warn">
            <ul>
              {mail.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </Note>
        </div>
      )}
    </div>
  )
}
