import { autocompletion, type Completion, type CompletionContext } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { html } from '@codemirror/lang-html'
import { json } from '@codemirror/lang-json'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import type { Problem } from '../api/errors.js'

export type EditorLanguage = 'html' | 'text' | 'visual'

const mergeTag = new MatchDecorator({
  regexp: /\{\{[^{}]*\}\}/g,
  decoration: Decoration.mark({ class: 'cm-merge-tag' }),
})

const mergeTags = ViewPlugin.fromClass(
  class {
    decorations
    constructor(view: EditorView) {
      this.decorations = mergeTag.createDeco(view)
    }
    update(update: ViewUpdate) {
      this.decorations = mergeTag.updateDeco(update, this.decorations)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '12.5px', backgroundColor: 'var(--sunken)', color: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-3)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--accent-soft)' },
  '.cm-activeLineGutter': { color: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-merge-tag': { backgroundColor: 'var(--warn-soft)', color: 'var(--warn)', borderRadius: '3px' },
  '.cm-merge-tag span': { color: 'var(--warn)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-2)',
    borderRadius: '6px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--accent-soft) !important' },
})

const colours = HighlightStyle.define([
  { tag: [tags.tagName, tags.keyword], color: 'var(--accent)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'light-dark(#7a3e8e, #c99ad8)' },
  { tag: [tags.attributeValue, tags.string], color: 'var(--good)' },
  { tag: tags.comment, color: 'var(--text-3)' },
  { tag: [tags.number, tags.bool], color: 'var(--warn)' },
])

const languageOf = (language: EditorLanguage) => (language === 'html' ? html() : language === 'visual' ? json() : [])

/** After `{{`, all names that the mail's templates know. */
const completing = (names: () => readonly Completion[]) => (context: CompletionContext) => {
  const before = context.matchBefore(/\{\{[\w.# ]*/)
  if (!before) return null
  const open = before.text.lastIndexOf('{{') + 2
  return { from: before.from + open, options: [...names()], validFor: /^[\w.]*$/ }
}

const diagnosticsOf = (state: EditorState, problems: readonly Problem[]): readonly Diagnostic[] =>
  problems.map(({ at, sentence }) => {
    const line = state.doc.line(Math.min(Math.max(at?.line ?? 1, 1), state.doc.lines))
    const from = Math.min(line.from + Math.max((at?.column ?? 1) - 1, 0), line.to)
    return { from, to: Math.min(from + 1, line.to), severity: 'error', message: sentence }
  })

/** Tab leaves the editor, so that the keyboard reaches everything after it. */
export const CodeEditor = ({
  label,
  language,
  value,
  onChange,
  names,
  problems,
  isReadOnly = false,
}: {
  readonly label: string
  readonly language: EditorLanguage
  readonly value: string
  readonly onChange: (value: string) => void
  readonly names: readonly string[]
  readonly problems: readonly Problem[]
  readonly isReadOnly?: boolean
}) => {
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView>(undefined)
  const latest = useRef({ onChange, names })
  latest.current = { onChange, names }

  // A new editor for another language; otherwise it keeps its undo history.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the value of a running editor is set below
  useEffect(() => {
    if (!place.current) return
    const readOnly = new Compartment()
    const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(nonce),
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          languageOf(language),
          syntaxHighlighting(colours),
          mergeTags,
          lintGutter(),
          autocompletion({
            override: [completing(() => latest.current.names.map((name) => ({ label: name, type: 'variable' })))],
          }),
          EditorView.lineWrapping,
          look,
          readOnly.of(EditorState.readOnly.of(isReadOnly)),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString())
          }),
        ],
      }),
    })
    editor.current = view
    return () => view.destroy()
  }, [language, label, isReadOnly])

  useEffect(() => {
    const view = editor.current
    if (view && view.state.doc.toString() !== value)
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } })
  }, [value])

  useEffect(() => {
    const view = editor.current
    if (view) view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state, problems)))
  }, [problems])

  return <div ref={place} style={{ height: '100%' }} />
}
