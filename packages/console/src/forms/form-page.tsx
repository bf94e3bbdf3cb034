import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { useParams } from 'wouter'
import { call } from '../api/client.js'
import type { SignupForm, SignupFormChanges } from '../api/types.js'
import { type DraftStore, unsavedOf, useDraft } from '../editor/draft.js'
import { DraftNotes, SaveNote } from '../editor/draft-notes.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import buttons from '../ui/button.module.css'
import { Icon } from '../ui/icons.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import { DoubleOptInPart } from './double-opt-in.js'
import { EmbedDialog } from './embed-dialog.js'
import { formPageUrl } from './form-address.js'
import { CaptchaPart } from './form-captcha.js'
import { BasicsPart, FieldsPart, TextsPart } from './form-fields.js'
import { LookPart } from './form-look.js'
import { FormPreview } from './form-preview.js'
import css from './forms.module.css'

const withChanges = (form: SignupForm, changes: SignupFormChanges = {}): SignupForm => {
  const { challengeSecretKey: _, ...shown } = changes
  return { ...form, ...(shown as Partial<SignupForm>) }
}

const texts = ['emailPlaceholder', 'captchaPlaceholder', 'btnLabel', 'successMessage', 'label', 'linkLabel']

/** An emptied text gets its default again, which is in the visitor's language. */
const forServer = (changes: object): object =>
  Object.fromEntries(
    Object.entries(changes).map(([name, value]: [string, unknown]) => {
      if (name === 'termsAndConditions' && typeof value === 'object') return [name, forServer(value ?? {})]
      return [name, value === '' && texts.includes(name) ? null : value]
    }),
  )

const Builder = ({ form: loaded, onReload }: { readonly form: SignupForm; readonly onReload: () => void }) => {
  const { say } = useText()
  const { projectId, href, may } = useProject()
  const client = useQueryClient()
  const isReadOnly = !may('content.edit')
  const [unsaved] = useState(() => (isReadOnly ? undefined : unsavedOf<SignupFormChanges>(loaded._id)))
  const [stored, setStored] = useState(loaded)
  const [form, setForm] = useState(() => withChanges(loaded, unsaved?.changes))
  const [isEmbedding, setEmbedding] = useState(false)
  const saved = useCallback(
    (now: SignupForm) => {
      setStored(now)
      // Keeps texts as typed: an emptied one would be filled under the cursor.
      setForm((typed) => {
        const { challengeSecretKeyHint: _, warnings: __, ...rest } = typed
        const { challengeSecretKeyHint, warnings } = now
        return {
          ...rest,
          ...(challengeSecretKeyHint !== undefined && { challengeSecretKeyHint }),
          ...(warnings && { warnings }),
        }
      })
      client.setQueryData([projectId, 'form', now._id], now)
      void client.invalidateQueries({ queryKey: [projectId, 'forms'] })
    },
    [client, projectId],
  )
  const store = useMemo((): DraftStore<SignupForm, SignupFormChanges> => {
    const params = { id: loaded._id }
    const read = () => call(projectId, 'get', '/signup-forms/{id}', { params })
    return {
      read,
      write: async (changes, basedOn) => {
        const body = { ...forServer(changes), basedOn }
        const { updatedAt } = await call(projectId, 'patch', '/signup-forms/{id}', { params, body })
        return { ...(await read()), updatedAt }
      },
      unkept: 'challengeSecretKey',
    }
  }, [projectId, loaded._id])
  const state = useDraft(store, loaded, saved, unsaved)
  const { save, problems, change } = state
  const write = (changes: SignupFormChanges) => {
    setForm((now) => withChanges(now, changes))
    change(changes)
  }
  const part = { form, problems, isReadOnly, write }
  return (
    <PageFrame
      title={form.name}
      crumb={{ label: say('forms'), href: href('/audience/forms') }}
      under={isReadOnly ? undefined : <SaveNote save={save} />}
      actions={
        <>
          <a className={buttons.button} href={formPageUrl(form._id)} target="_blank" rel="noreferrer">
            <Icon name="globe" />
            {say('formOpenPage')}
          </a>
          <Button kind="primary" icon="code" onPress={() => setEmbedding(true)}>
            {say('formEmbed')}
          </Button>
        </>
      }
    >
      {!isReadOnly && (
        <DraftNotes
          draft={state}
          isRestored={unsaved !== undefined}
          onReload={onReload}
          gone={<Note kind="bad">{say('errorGone')}</Note>}
        />
      )}
      <div className={css.builder}>
        <div className={css.parts}>
          <BasicsPart {...part} />
          <FieldsPart {...part} />
          <TextsPart {...part} />
          <DoubleOptInPart {...part} />
          <CaptchaPart {...part} />
          <LookPart {...part} />
        </div>
        <FormPreview form={stored} savedAt={stored.updatedAt} />
      </div>
      {isEmbedding && <EmbedDialog form={stored} onClose={() => setEmbedding(false)} />}
    </PageFrame>
  )
}

export const FormPage = () => {
  const { say } = useText()
  const { projectId, href } = useProject()
  const { id } = useParams<{ id: string }>()
  const [reloads, setReloads] = useState(0)
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'form', id],
    queryFn: ({ signal }) => call(projectId, 'get', '/signup-forms/{id}', { params: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  })
  if (data)
    return (
      <Builder
        key={`${data._id}-${reloads}`}
        form={data}
        onReload={() => void refetch().then(() => setReloads((count) => count + 1))}
      />
    )
  return (
    <PageFrame title={say('form')} crumb={{ label: say('forms'), href: href('/audience/forms') }}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton />}
    </PageFrame>
  )
}
