import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import type { Problem } from '../api/errors.js'
import { useText } from '../text/text.js'
import { Segmented } from '../ui/button.js'
import { Note, Skeleton } from '../ui/states.js'
import type { EditorLanguage } from './code-editor.js'
import css from './editor.module.css'
import { jsonProblem } from './json-problem.js'
import type { EmailRef } from './preview.js'
import { isVisualDocument, type MjmlNode } from './visual/document.js'

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.js')).CodeEditor }))

const VisualEditor = lazy(async () => ({ default: (await import('./visual/visual-editor.js')).VisualEditor }))

export type EditorContent = {
  readonly type: EditorLanguage
  /** One text per type: to look at another type loses nothing. */
  readonly documents: Readonly<Record<EditorLanguage, string>>
}

/** Fields of the stored email; none while the text is no document. */
export type ContentChanges = { readonly type?: EditorLanguage; readonly document?: unknown }

const textOf = (document: unknown): string =>
  typeof document === 'string' ? document : document === undefined ? '' : JSON.stringify(document, undefined, 2)

export const contentOf = (email: { readonly type: EditorLanguage; readonly document?: unknown }): EditorContent => ({
  type: email.type,
  documents: { html: '', text: '', visual: '', [email.type]: textOf(email.document) },
})

type Visual = { readonly isVisual: true; readonly root: MjmlNode | undefined } | { readonly isVisual: false }

/** Whether the visual editor can show a text: an MJML document, or none yet. */
const visualIn = (text: string): Visual => {
  if (text.trim() === '') return { isVisual: true, root: undefined }
  const root: unknown = JSON.parse(text)
  return isVisualDocument(root) ? { isVisual: true, root } : { isVisual: false }
}

export const ContentEditor = ({
  email,
  content,
  onChange,
  names,
  problems,
  isReadOnly,
  preview,
  types = ['html', 'text', 'visual'],
}: {
  readonly email: EmailRef
  readonly content: EditorContent
  readonly onChange: (content: EditorContent, changes: ContentChanges) => void
  readonly names: readonly string[]
  readonly problems: readonly Problem[]
  readonly isReadOnly: boolean
  /** A `Preview` of the email. */
  readonly preview: ReactNode
  readonly types?: readonly EditorLanguage[]
}) => {
  const { say } = useText()
  const { type } = content
  const text = content.documents[type]
  const wrongJson = useMemo(
    () => (type === 'visual' && text.trim() !== '' ? jsonProblem(text) : undefined),
    [type, text],
  )
  const [isSource, setSource] = useState(false)
  const visual = useMemo(
    () => (type === 'visual' && !wrongJson ? visualIn(text) : { isVisual: false as const }),
    [type, text, wrongJson],
  )
  const inDocument = useMemo<readonly Problem[]>(
    () =>
      wrongJson
        ? [{ field: 'document', sentence: wrongJson.sentence, at: { line: wrongJson.line, column: wrongJson.column } }]
        : problems.filter(({ field, at }) => field.startsWith('document') || (field === '' && at !== undefined)),
    [problems, wrongJson],
  )
  const setDocument = (nextType: EditorLanguage, value: string) => {
    const next = { type: nextType, documents: { ...content.documents, [nextType]: value } }
    if (nextType !== 'visual') return onChange(next, { type: nextType, document: value })
    if (value.trim() === '' || jsonProblem(value)) return onChange(next, {})
    onChange(next, { type: nextType, document: JSON.parse(value) as unknown })
  }
  const head = (
    <div className={css.halfHead}>
      {types.length > 1 && (
        <Segmented
          label={say('documentType')}
          value={type}
          onChange={(next) => !isReadOnly && setDocument(next, content.documents[next])}
          choices={types.map((value) => ({
            value,
            label: value === 'html' ? 'HTML' : say(value === 'text' ? 'textType' : 'visualType'),
          }))}
        />
      )}
      {type === 'visual' && visual.isVisual && (
        <Segmented
          label={say('visualView')}
          value={isSource ? 'source' : 'design'}
          onChange={(view) => setSource(view === 'source')}
          choices={[
            { value: 'design', label: say('visualDesign') },
            { value: 'source', label: say('visualSource') },
          ]}
        />
      )}
    </div>
  )
  const notes = inDocument.length > 0 && (
    <div className={css.notes}>
      <Note kind="bad">
        <ul>
          {inDocument.map(({ sentence, at }) => (
            <li key={sentence}>
              {wrongJson && at ? say('atPosition', { line: at.line, column: at.column, sentence }) : sentence}
            </li>
          ))}
        </ul>
      </Note>
    </div>
  )
  if (visual.isVisual && !isSource)
    return (
      <div className={css.whole}>
        {head}
        <Suspense fallback={<Skeleton rows={12} />}>
          <VisualEditor
            key={email.id}
            email={email}
            value={visual.root}
            onChange={(root) => setDocument('visual', JSON.stringify(root, undefined, 2))}
            names={names}
            isReadOnly={isReadOnly}
          />
        </Suspense>
        {notes}
      </div>
    )
  return (
    <div className={css.halves}>
      <div className={css.half}>
        {head}
        <div className={css.canvas}>
          <Suspense fallback={<Skeleton rows={8} />}>
            <CodeEditor
              label={say('documentLabel')}
              language={type}
              value={text}
              onChange={(value) => setDocument(type, value)}
              names={names}
              problems={inDocument}
              isReadOnly={isReadOnly}
            />
          </Suspense>
        </div>
        {notes}
      </div>
      {preview}
    </div>
  )
}
