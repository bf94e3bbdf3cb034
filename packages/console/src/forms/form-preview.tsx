import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { SignupForm } from '../api/types.js'
import { MailFrame } from '../editor/mail-frame.js'
import { cssWidthOf, PreviewWidthChoice } from '../editor/preview-width.js'
import { useProject } from '../shell/session.js'
import { type Language, languageNames } from '../text/language-names.js'
import { useText } from '../text/text.js'
import { Select } from '../ui/field.js'
import { Long } from '../ui/long.js'
import { ErrorNote } from '../ui/states.js'
import css from './forms.module.css'

const parts = ['form', 'done', 'mail', 'question', 'confirmed'] as const
type PreviewPart = (typeof parts)[number]

const labels = {
  form: 'form',
  done: 'formPartDone',
  mail: 'formPartMail',
  question: 'formPartQuestion',
  confirmed: 'formPartConfirmed',
} as const

const sampleAddress = 'ada@example.com'

/** The saved form, as visitors of a language see it. */
const usePart = ({ _id: id, doubleOptIn }: SignupForm, part: PreviewPart, language: Language, savedAt: string) => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'form-preview', id, part, language, savedAt, part === 'mail' && doubleOptIn.emailId],
    queryFn: async ({ signal }): Promise<{ readonly html: string; readonly subject?: string }> => {
      if (part !== 'mail')
        return call(projectId, 'get', '/signup-forms/{id}/preview', {
          params: { id },
          query: { part, language },
          signal,
        })
      const { html, text, subject } = await call(projectId, 'post', '/render-preview/{id}', {
        params: { id: doubleOptIn.emailId },
        body: { type: 'transactional', contact: { email: sampleAddress, language } },
        signal,
      })
      return {
        subject,
        html: html === '' ? `<pre>${text.replace(/[&<]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</pre>` : html,
      }
    },
    placeholderData: keepPreviousData,
    retry: false,
  })
}

export const FormPreview = ({ form, savedAt }: { readonly form: SignupForm; readonly savedAt: string }) => {
  const { say, language: own } = useText()
  const { may } = useProject()
  const [part, setPart] = useState<PreviewPart>('form')
  const [language, setLanguage] = useState<Language>(own)
  const [width, setWidth] = useState<'wide' | 'narrow'>('wide')
  const hasMail = form.doubleOptIn.active && form.doubleOptIn.emailId !== '' && may('addresses.read')
  const shown = part === 'mail' && !hasMail ? 'form' : part
  const { data, error, refetch } = usePart(form, shown, language, savedAt)
  return (
    <section className={css.preview} aria-label={say('formPreview')}>
      <div className={css.previewHead}>
        <Select
          label={say('formPart')}
          labelHidden
          dense
          value={shown}
          onChange={setPart}
          options={parts
            .filter((one) => one !== 'mail' || hasMail)
            .map((value) => ({ value, label: say(labels[value]) }))}
        />
        <Select
          label={say('language')}
          labelHidden
          dense
          value={language}
          onChange={setLanguage}
          options={Object.entries(languageNames).map(([value, label]) => ({ value: value as Language, label }))}
        />
        <PreviewWidthChoice widths={['wide', 'narrow']} value={width} onChange={setWidth} />
      </div>
      {shown === 'mail' && (
        <p className={css.subject}>
          <b>
            <Long>{data?.subject ?? '…'}</Long>
          </b>
        </p>
      )}
      <div className={css.frame}>
        {error ? (
          <div className={css.padded}>
            <ErrorNote error={error} onRetry={() => void refetch()} />
          </div>
        ) : (
          <MailFrame html={data?.html ?? ''} title={say('formPreview')} width={cssWidthOf(width)} />
        )}
      </div>
    </section>
  )
}
