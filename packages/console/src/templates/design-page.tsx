import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState } from 'react'
import { call } from '../api/client.js'
import type { DesignSystem } from '../api/types.js'
import { type DraftStore, unsavedOf, useDraft } from '../editor/draft.js'
import { DraftNotes, SaveNote } from '../editor/draft-notes.js'
import { MailFrame } from '../editor/mail-frame.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button, Segmented } from '../ui/button.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import css from './design.module.css'
import {
  type DesignEdits,
  type DesignEntry,
  designEditsBody,
  entriesOf,
  idOf,
  type Part,
  partLabels,
  parts,
} from './design-entries.js'
import { DesignField } from './design-field.js'
import { useDesignSystem } from './design-queries.js'
import { sampleMail } from './design-sample.js'

/** Fonts may have names of their own. */
const AddFont = ({ label, onAdd }: { readonly label: string; readonly onAdd: (name: string) => void }) => {
  const { say } = useText()
  const lacks = useLacks()
  const [name, setName] = useState('')
  return (
    <form
      className={css.add}
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() === '') return
        onAdd(name.trim())
        setName('')
      }}
    >
      <TextField label={say('designNewName', { group: label })} value={name} onChange={setName} maxLength={100} dense />
      <Button type="submit" icon="plus" why={lacks({ [say('designNewName', { group: label })]: name.trim() === '' })}>
        {say('designAdd')}
      </Button>
    </form>
  )
}

/** Shows edits before the server has stored them. */
const DesignEditor = ({
  design: loaded,
  onReload,
}: {
  readonly design: DesignSystem
  readonly onReload: () => void
}) => {
  const { say } = useText()
  const { projectId, may } = useProject()
  const client = useQueryClient()
  const { get, set } = useUrlState()
  const part: Part = (Object.keys(parts) as Part[]).find((one) => one === get('part')) ?? 'colors'
  const isReadOnly = !may('content.edit')
  const { _id: id } = loaded
  const [first] = useState(loaded)
  const [unsaved] = useState(() => (isReadOnly ? undefined : unsavedOf<DesignEdits>(id)))
  const [design, setDesign] = useState(loaded)
  const [edits, setEdits] = useState<DesignEdits>(unsaved?.changes ?? {})
  const sent = useRef<readonly string[]>([])
  const store = useMemo(
    (): DraftStore<DesignSystem, DesignEdits> => ({
      read: async () => (await call(projectId, 'get', '/design-systems')).items[0] ?? first,
      write: (changes, basedOn) => {
        const { ids, body } = designEditsBody(changes)
        sent.current = ids
        return call(projectId, 'patch', '/design-systems/{id}', { params: { id }, body: { ...body, basedOn } })
      },
    }),
    [projectId, id, first],
  )
  const saved = useCallback(
    (now: DesignSystem, later: DesignEdits) => {
      setDesign(now)
      setEdits(later)
      client.setQueryData([projectId, 'design'], now)
      void client.invalidateQueries({ queryKey: [projectId, 'preview'] })
    },
    [client, projectId],
  )
  const { save, problems, others, change, flush, keepMine, discard } = useDraft(store, design, saved, unsaved)
  const edit = (entry: string, to: DesignEntry | null) => {
    setEdits((all) => ({ ...all, [entry]: to }))
    change({ [entry]: to })
  }
  const problemOf = (entry: string): string | undefined => {
    const at = sent.current.indexOf(entry)
    return problems.find(({ field }) => /^setOverrides[.[](\d+)/.exec(field)?.[1] === String(at))?.sentence
  }
  const sample = useMemo(() => sampleMail(design, edits), [design, edits])
  return (
    <PageFrame title={say('design')} under={!isReadOnly && <SaveNote save={save} />}>
      <DraftNotes
        draft={{ save, others: isReadOnly ? undefined : others, flush, keepMine, discard }}
        isRestored={unsaved !== undefined}
        onReload={onReload}
        gone={<Note kind="bad">{say('errorGone')}</Note>}
      />
      <p className={css.note}>{say('designText')}</p>
      <div className={css.row}>
        <Segmented
          label={say('design')}
          value={part}
          onChange={(to) => set({ part: to })}
          choices={(Object.keys(parts) as Part[]).map((value) => ({ value, label: say(partLabels[value]) }))}
        />
      </div>
      <div className={css.halves}>
        <div className={css.groups}>
          {parts[part].map(([category, key, label]) => (
            <section key={`${category}.${key}`} className={css.group}>
              <h2>{say(label)}</h2>
              <ul className={css.entries}>
                {entriesOf(design, { category, key }, edits).map((entry) => (
                  <DesignField
                    key={entry.name}
                    entry={entry}
                    isReadOnly={isReadOnly}
                    problem={problemOf(idOf(entry))}
                    onChange={(to) => edit(idOf(entry), to)}
                    onReset={() => edit(idOf(entry), null)}
                  />
                ))}
              </ul>
              {category === 'font' && !isReadOnly && (
                <AddFont
                  label={say(label)}
                  onAdd={(name) => {
                    const value = key === 'resources' ? 'https://' : 'Arial, sans-serif'
                    const entry = { category, key, name, value, overridden: true } as const
                    edit(idOf(entry), entry)
                  }}
                />
              )}
            </section>
          ))}
        </div>
        <div className={css.sample}>
          <MailFrame html={sample} title={say('designSample')} width="100%" />
        </div>
      </div>
    </PageFrame>
  )
}

export const DesignPage = () => {
  const { say } = useText()
  const [reloads, setReloads] = useState(0)
  const { data, error, refetch } = useDesignSystem()
  if (data)
    return (
      <DesignEditor
        key={`${data._id} ${reloads}`}
        design={data}
        onReload={() => void refetch().then(() => setReloads((count) => count + 1))}
      />
    )
  return (
    <PageFrame title={say('design')}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton />}
    </PageFrame>
  )
}
