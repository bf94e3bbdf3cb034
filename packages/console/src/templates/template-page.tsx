import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { useParams } from 'wouter'
import { call } from '../api/client.js'
import { useFields } from '../api/records.js'
import type { TemplateChanges } from '../api/types.js'
import { namesFor } from '../campaigns/merge-tags.js'
import { NewCampaign } from '../campaigns/new-campaign.js'
import { ContentEditor, contentOf, type EditorContent } from '../editor/content-editor.js'
import { type DraftStore, unsavedOf, useDraft } from '../editor/draft.js'
import { DraftNotes, SaveNote, WarningsNote } from '../editor/draft-notes.js'
import { type EmailDetails, EmailFields } from '../editor/email-fields.js'
import { Preview } from '../editor/preview.js'
import { PageFrame } from '../shell/layout.js'
import { useProject, useSession } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Select, TextField } from '../ui/field.js'
import { ErrorNote, Note, Skeleton, useToast } from '../ui/states.js'
import { useDesignNames } from './design-queries.js'
import { emailContentOf, type WholeTemplate, wholeTemplate } from './template-queries.js'

const creations = {
  'do-nothing': 'creationNothing',
  'set-as-campaign': 'creationCampaign',
  'set-as-triggered': 'creationTriggered',
  'set-as-transactional': 'creationTransactional',
} as const

const tagsIn = (text: string) => [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')

type Draft = EditorContent &
  EmailDetails & { readonly tags: string; readonly onProjectCreation: keyof typeof creations }

const draftOf = (template: WholeTemplate): Draft => ({
  name: template.name,
  subject: template.subject,
  previewText: template.previewText ?? '',
  tags: template.tags.join(', '),
  onProjectCreation: template.onProjectCreation,
  ...contentOf(template),
})

const TemplateEditor = ({
  template: loaded,
  onReload,
}: {
  readonly template: WholeTemplate
  readonly onReload: () => void
}) => {
  const { say } = useText()
  const { projectId, href, may } = useProject()
  const { person } = useSession()
  const client = useQueryClient()
  const toast = useToast()
  const fields = useFields(projectId)
  const designNames = useDesignNames()
  const { _id: id } = loaded
  const isReadOnly = !may('content.edit')
  const [unsaved] = useState(() => (isReadOnly ? undefined : unsavedOf<TemplateChanges>(id)))
  const [savedAt, setSavedAt] = useState(loaded.updatedAt)
  const [draft, setDraft] = useState<Draft>(() => draftOf({ ...loaded, ...unsaved?.changes } as WholeTemplate))
  const [isUsed, setUsed] = useState(false)
  const [failed, setFailed] = useState<unknown>()
  const store = useMemo(
    (): DraftStore<WholeTemplate, TemplateChanges> => ({
      read: () => wholeTemplate(projectId, id),
      write: async (changes, basedOn) => {
        const body = { ...changes, basedOn }
        const { updatedAt } = await call(projectId, 'patch', '/templates/{id}', { params: { id }, body })
        return { ...(await wholeTemplate(projectId, id)), updatedAt }
      },
    }),
    [projectId, id],
  )
  const saved = useCallback(
    (now: WholeTemplate) => {
      setSavedAt(now.updatedAt)
      void client.invalidateQueries({ queryKey: [projectId, 'templates'] })
    },
    [client, projectId],
  )
  const { save, problems, warnings, others, change, flush, keepMine, discard } = useDraft(store, loaded, saved, unsaved)
  const write = (next: Draft, changes: TemplateChanges) => {
    setDraft(next)
    if (Object.keys(changes).length > 0) change(changes)
  }
  const sendTest = async () => {
    setFailed(undefined)
    try {
      if (!(await flush())) return
      await call(projectId, 'post', '/templates/{id}/test', { params: { id }, body: { email: person.email } })
      toast(say('testsQueued', { addresses: person.email }))
    } catch (thrown) {
      setFailed(thrown)
    }
  }
  const email = { kind: 'template', id } as const
  return (
    <PageFrame
      title={draft.name === '' ? loaded.name : draft.name}
      crumb={{ label: say('templates'), href: href('/templates') }}
      under={!isReadOnly && <SaveNote save={save} />}
      actions={
        <>
          {may('emails.test') && (
            <Button icon="mail" onPress={() => void sendTest()}>
              {say('testToMe')}
            </Button>
          )}
          {!isReadOnly && (
            <Button kind="primary" icon="send" onPress={() => void flush().then(setUsed)}>
              {say('templateUse')}
            </Button>
          )}
        </>
      }
    >
      {failed !== undefined && <ErrorNote error={failed} />}
      <DraftNotes
        draft={{ save, others: isReadOnly ? undefined : others, flush, keepMine, discard }}
        isRestored={unsaved !== undefined}
        onReload={onReload}
        gone={<Note kind="bad">{say('templateGone')}</Note>}
      />
      <WarningsNote warnings={warnings} />
      <EmailFields
        head={draft}
        onChange={write}
        nameLabel={say('templateName')}
        problems={problems}
        isReadOnly={isReadOnly}
      >
        <TextField
          label={say('tags')}
          value={draft.tags}
          onChange={(tags) => write({ ...draft, tags }, { tags: tagsIn(tags) })}
          isDisabled={isReadOnly}
          note={say('templateTagsNote')}
        />
        <Select
          label={say('templateCreation')}
          value={draft.onProjectCreation}
          isDisabled={isReadOnly}
          onChange={(onProjectCreation) => write({ ...draft, onProjectCreation }, { onProjectCreation })}
          options={Object.entries(creations).map(([value, label]) => ({
            value: value as keyof typeof creations,
            label: say(label),
          }))}
        />
      </EmailFields>
      <ContentEditor
        email={email}
        types={['visual']}
        content={draft}
        onChange={(content, { document }) =>
          write({ ...draft, ...content }, document === undefined ? {} : { document: document as object })
        }
        names={[
          ...namesFor(
            (fields.data ?? []).map(({ name }) => name),
            [],
          ),
          ...designNames,
        ]}
        problems={problems}
        isReadOnly={isReadOnly}
        preview={may('addresses.read') ? <Preview email={email} savedAt={savedAt} /> : undefined}
      />
      {isUsed && (
        <NewCampaign
          isOpen
          segmentId={undefined}
          contentOf={async () => emailContentOf(projectId, await store.read())}
          onClose={() => setUsed(false)}
        />
      )}
    </PageFrame>
  )
}

export const TemplatePage = () => {
  const { say } = useText()
  const { projectId, href } = useProject()
  const { id } = useParams<{ id: string }>()
  const [reloads, setReloads] = useState(0)
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'template', id],
    queryFn: () => wholeTemplate(projectId, id),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  if (data)
    return (
      <TemplateEditor
        key={`${id} ${reloads}`}
        template={data}
        onReload={() => void refetch().then(() => setReloads((count) => count + 1))}
      />
    )
  return (
    <PageFrame title={say('template')} crumb={{ label: say('templates'), href: href('/templates') }}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton />}
    </PageFrame>
  )
}
