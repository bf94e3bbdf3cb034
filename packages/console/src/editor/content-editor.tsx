import { lazy, type ReactNode, Suspense, useMemo } from 'react'
import type { Problem } from '../api/errors.js'
import { useText } from '../text/text.js'
import { Segmented } from '../ui/button.js'
import { Note, Skeleton } from '../ui/states.js'
import type { EditorLanguage } from './code-editor.js'
import css from './editor.module.css'
import { jsonProblem } from './json-problem.js'
import type { EmailRef } from './preview.js'

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.js')).CodeEditor }))

export type Content = {
  readonly type: EditorLanguage
  /** One text per type: to look at another type loses nothing. */
  readonly documents: Readonly<Record<EditorLanguage, string>>
}

/** Fields of the stored email; none while the text is no document. */
export type ContentChanges = { readonly type?: EditorLanguage; readonly document?: unknown }

const textOf = (document: unknown): string =>
  typeof document === 'string' ? document : document === undefined ? '' : JSON.stringify(document, undefined, 2)

export const contentOf = (email: { readonly type: EditorLanguage; readonly document?: unknown }): Content => ({
  type: email.type,
  documents: { html: '', text: '', visual: '', [email.type]: textOf(email.document) },
})

/** The document of an email beside its preview, in each of its types. */
export const ContentEditor = ({
  content,
  onChange,
  names,
  problems,
  isReadOnly,
  preview,
  types = ['html', 'text', 'visual'],
}: {
  /** The stored email that is edited. */
  readonly email: EmailRef
  readonly content: Content
  readonly onChange: (content: Content, changes: ContentChanges) => void
  /** Merge tags that the email may have. */
  readonly names: readonly string[]
  readonly problems: readonly Problem[]
  readonly isReadOnly: boolean
  /** A `Preview` of the email. */
  readonly preview: ReactNode
  /** Types that the email may have. */
  readonly types?: readonly EditorLanguage[]
}) => {
  const { say } = useText()
  const { type } = content
  const text = content.documents[type]
  const wrongJson = useMemo(
    () => (type === 'visual' && text.trim() !== '' ? jsonProblem(text) : undefined),
    [type, text],
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
  return (
    <div className={css.halves}>
      <div className={css.half}>
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
        </div>
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
        {inDocument.length > 0 && (
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
        )}
      </div>
      {preview}
    </div>
  )
}
