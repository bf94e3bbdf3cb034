import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { useParams } from 'wouter'
import { apiBaseUrl } from '../api/client.js'
import { useFields, useLists } from '../api/records.js'
import { namesFor } from '../campaigns/merge-tags.js'
import { ReferenceLink } from '../developers/shared.js'
import { ContentEditor, contentOf, type EditorContent } from '../editor/content-editor.js'
import { type DraftStore, unsavedOf, useDraft } from '../editor/draft.js'
import { DraftNotes, SaveNote, WarningsNote } from '../editor/draft-notes.js'
import { EmailFields, emailDetailsOf } from '../editor/email-fields.js'
import { type EmailSettings, EmailSettingsFields, emailSettingsOf } from '../editor/email-settings.js'
import { Preview } from '../editor/preview.js'
import { PageFrame } from '../shell/layout.js'
import { useProject, useSession } from '../shell/session.js'
import { useUrlState } from '../shell/url-state.js'
import { useDesignNames } from '../templates/design-queries.js'
import { useText } from '../text/text.js'
import { Segmented } from '../ui/button.js'
import { CodeCard } from '../ui/code-card.js'
import { Checkbox, Select } from '../ui/field.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import css from './automatic.module.css'
import { codeSamples, type SampleLanguage } from './code-samples.js'
import { type AutomaticChanges, type AutomaticEmail, changeEmail, type Kind, kindLabels, readEmail } from './emails.js'
import { Figures } from './figures.js'
import { useSampleData } from './sample-data.js'
import { TestSendPanel } from './sample-panel.js'

const languages = Object.fromEntries(Object.entries(codeSamples).map(([name, { label }]) => [name, label])) as Readonly<
  Record<SampleLanguage, string>
>

const CodePanel = ({
  kind,
  id,
  address,
  data,
}: {
  readonly kind: Kind
  readonly id: string
  readonly address: string
  readonly data: Readonly<Record<string, unknown>>
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const called = { kind, baseUrl: apiBaseUrl(), projectId, id, address, data }
  return (
    <CodeCard title={say('autoCode')} languages={languages} codeIn={(language) => codeSamples[language].of(called)}>
      <p className={css.quiet}>
        {say('autoCodeText', { variable: 'POSTHORN_KEY' })} <ReferenceLink />
      </p>
    </CodeCard>
  )
}

const parts = ['content', 'data', 'figures', 'code'] as const
type Part = (typeof parts)[number]
const partLabels = { content: 'stepContent', data: 'autoData', figures: 'autoFigures', code: 'autoCode' } as const

type Draft = EditorContent &
  EmailSettings &
  ReturnType<typeof emailDetailsOf> & {
    readonly subscriberListId: string | undefined
    readonly excludeUnengaged: boolean
  }

const draftOf = (email: AutomaticEmail): Draft => ({
  ...emailDetailsOf(email),
  ...emailSettingsOf(email),
  ...contentOf(email),
  subscriberListId: email.subscriberListId,
  excludeUnengaged: email.excludeUnengaged ?? false,
})

const linksOf = {
  transactional: ['verifyLink'],
  triggered: ['unsubscribeLink', 'pauseSubscriptionLink'],
} as const satisfies Record<Kind, readonly string[]>
const everyLink: readonly string[] = Object.values(linksOf).flat()

const EmailEditor = ({
  kind,
  email: loaded,
  onReload,
}: {
  readonly kind: Kind
  readonly email: AutomaticEmail
  readonly onReload: () => void
}) => {
  const { say } = useText()
  const { projectId, href, may } = useProject()
  const { person } = useSession()
  const client = useQueryClient()
  const { get, set } = useUrlState()
  const { _id: id } = loaded
  const part: Part = parts.find((one) => one === get('part')) ?? 'content'
  const isReadOnly = !may('content.edit')
  const fields = useFields(projectId)
  const lists = useLists(projectId)
  const designNames = useDesignNames()
  const sample = useSampleData(id)
  const [unsaved] = useState(() => (isReadOnly ? undefined : unsavedOf<AutomaticChanges>(id)))
  const [stored, setStored] = useState(loaded)
  const [draft, setDraft] = useState<Draft>(() => draftOf({ ...loaded, ...unsaved?.changes } as AutomaticEmail))
  const store = useMemo(
    (): DraftStore<AutomaticEmail, AutomaticChanges> => ({
      read: () => readEmail(projectId, kind, id),
      write: (changes, basedOn) => changeEmail(projectId, kind, id, { ...changes, basedOn }),
    }),
    [projectId, kind, id],
  )
  const saved = useCallback(
    (now: AutomaticEmail) => {
      setStored(now)
      void client.invalidateQueries({ queryKey: [projectId, 'automatic'] })
    },
    [client, projectId],
  )
  const { save, problems, warnings, others, change, flush, keepMine, discard } = useDraft(store, loaded, saved, unsaved)
  const write = (next: Draft, changes: AutomaticChanges) => {
    setDraft(next)
    if (Object.keys(changes).length > 0) change(changes)
  }
  const names = [
    ...namesFor(
      (fields.data ?? []).map(({ name }) => name),
      draft.feeds.map(({ variableName }) => variableName),
    ).filter((name) => !everyLink.includes(name)),
    ...linksOf[kind],
    ...Object.keys(sample.data),
    ...designNames,
  ]
  const preview = may('addresses.read') ? (
    <Preview
      email={{ kind, id }}
      savedAt={stored.updatedAt}
      data={sample.data}
      {...(stored.subscriberListId !== undefined && {
        contacts: { subscriberListId: stored.subscriberListId, subscriberStatus: 'active' },
      })}
    />
  ) : undefined
  return (
    <PageFrame
      title={draft.name === '' ? loaded.name : draft.name}
      crumb={{ label: say('automatic'), href: href(kind === 'triggered' ? '/automatic?kind=triggered' : '/automatic') }}
      under={!isReadOnly && <SaveNote save={save} />}
    >
      <DraftNotes
        draft={{ save, others: isReadOnly ? undefined : others, flush, keepMine, discard }}
        isRestored={unsaved !== undefined}
        onReload={onReload}
        gone={<Note kind="bad">{say('autoGone')}</Note>}
      />
      <div className={css.row}>
        <Segmented
          label={say(kindLabels[kind])}
          value={part}
          onChange={(to) => set({ part: to })}
          choices={parts.map((value) => ({ value, label: say(partLabels[value]) }))}
        />
      </div>
      {part === 'content' && (
        <>
          <WarningsNote warnings={warnings} />
          <EmailFields
            head={draft}
            onChange={write}
            nameLabel={say('name')}
            problems={problems}
            isReadOnly={isReadOnly}
          >
            {kind === 'triggered' && (
              <>
                <Select
                  label={say('list')}
                  value={draft.subscriberListId}
                  isDisabled={isReadOnly}
                  onChange={(subscriberListId) => write({ ...draft, subscriberListId }, { subscriberListId })}
                  options={(lists.data ?? []).map(({ _id, name }) => ({ value: _id, label: name }))}
                  note={say('autoListNote')}
                />
                <Checkbox
                  isSelected={draft.excludeUnengaged}
                  isDisabled={isReadOnly}
                  onChange={(excludeUnengaged) => write({ ...draft, excludeUnengaged }, { excludeUnengaged })}
                >
                  {say('excludeUnengaged')}
                </Checkbox>
              </>
            )}
          </EmailFields>
          <ContentEditor
            email={{ kind, id }}
            content={draft}
            onChange={(content, changes) => write({ ...draft, ...content }, changes as AutomaticChanges)}
            names={names}
            problems={problems}
            isReadOnly={isReadOnly}
            preview={preview}
          />
          <EmailSettingsFields settings={draft} onChange={write} problems={problems} isReadOnly={isReadOnly} />
        </>
      )}
      {part === 'data' && <TestSendPanel kind={kind} id={id} sample={sample} onBefore={flush} preview={preview} />}
      {part === 'figures' && <Figures kind={kind} email={stored} />}
      {part === 'code' && <CodePanel kind={kind} id={id} address={person.email} data={sample.data} />}
    </PageFrame>
  )
}

export const AutomaticEmailPage = () => {
  const { say } = useText()
  const { projectId, href } = useProject()
  const { kind: given, id } = useParams<{ kind: string; id: string }>()
  const kind: Kind = given === 'triggered' ? 'triggered' : 'transactional'
  const [reloads, setReloads] = useState(0)
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'automatic-email', kind, id],
    queryFn: () => readEmail(projectId, kind, id),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  if (data)
    return (
      <EmailEditor
        key={`${id} ${reloads}`}
        kind={kind}
        email={data}
        onReload={() => void refetch().then(() => setReloads((count) => count + 1))}
      />
    )
  return (
    <PageFrame title={say(kindLabels[kind])} crumb={{ label: say('automatic'), href: href('/automatic') }}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton />}
    </PageFrame>
  )
}
