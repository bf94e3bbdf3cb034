import { type ChainedCommands, Editor, Extension, type JSONContent, Mark, Node } from '@tiptap/core'
import { Slice } from '@tiptap/pm/model'
import StarterKit from '@tiptap/starter-kit'
import { useEffect, useRef, useState } from 'react'
import { useText } from '../../text/text.js'
import { Button } from '../../ui/button.js'
import { Select, TextField } from '../../ui/field.js'
import type { IconName } from '../../ui/icons.js'
import { completedLink } from './completed-link.js'
import type { Design } from './design.js'
import { escapedText } from './markup.js'
import { fromTextHtml, toTextHtml } from './rich-text-html.js'
import css from './visual.module.css'

/** What a merge tag says: a name, and what stands in its place for contacts without a value. */
type MergeTag = { readonly name: string; readonly fallback: string }

/** Undefined for conditions, helpers and other expressions, which stay as they are. */
const parseMergeTag = (source: string): MergeTag | undefined => {
  const plain = /^\{\{\s*([\w.@-]+)\s*\}\}$/.exec(source)
  if (plain?.[1] !== undefined) return { name: plain[1], fallback: '' }
  const [, name, fallback] = /^\{\{\s*DEFAULT\s+([\w.@-]+)\s+"([^"]*)"\s*\}\}$/.exec(source) ?? []
  return name === undefined || fallback === undefined ? undefined : { name, fallback }
}

export const sourceOf = ({ name, fallback }: MergeTag): string => {
  const safe = fallback.replace(/["{}]/g, '')
  return safe === '' ? `{{${name}}}` : `{{DEFAULT ${name} "${safe}"}}`
}

/** A chip; its source stays as it is. */
const mergeTag = Node.create({
  name: 'mergeTag',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({ source: { default: '' } }),
  renderHTML: ({ node }) => {
    const source = String(node.attrs.source)
    const { name, fallback } = parseMergeTag(source) ?? { name: source, fallback: '' }
    return ['span', { class: css.chip, title: source }, fallback === '' ? name : `${name} | ${fallback}`]
  },
  renderText: ({ node }) => String(node.attrs.source),
})

/** Not an element that leads somewhere. */
const link = Mark.create({
  name: 'link',
  inclusive: false,
  addAttributes: () => ({ href: { default: '' } }),
  renderHTML: ({ mark }) => ['span', { class: css.link, title: String(mark.attrs.href) }, 0],
})

const colour = Mark.create({
  name: 'colour',
  addAttributes: () => ({ colour: { default: '' } }),
  renderHTML: ({ mark }) => {
    const value = String(mark.attrs.colour)
    return ['span', value.includes('{{') ? { class: css.coloured } : { style: `color: ${value}` }, 0]
  },
})

const align = Extension.create({
  name: 'align',
  addGlobalAttributes: () => [
    {
      types: ['paragraph', 'heading'],
      attributes: {
        align: {
          default: null,
          renderHTML: ({ align }) => (typeof align === 'string' ? { style: `text-align: ${align}` } : {}),
        },
      },
    },
  ],
})

const extensions = [
  StarterKit.configure({
    blockquote: false,
    code: false,
    codeBlock: false,
    horizontalRule: false,
    strike: false,
    link: false,
    undoRedo: false,
    heading: { levels: [1, 2, 3] },
  }),
  mergeTag,
  link,
  colour,
  align,
]

const emptyText = { type: 'doc', content: [{ type: 'paragraph' }] }
const contentOf = (html: string) => (fromTextHtml(html) ?? emptyText) as JSONContent

/** Editor of one text of a mail. It reduces pasted content to the formats that it knows. */
export const RichTextEditor = ({
  label,
  html,
  names,
  design,
  onChange,
}: {
  readonly label: string
  readonly html: string
  readonly names: readonly string[]
  readonly design: Design | undefined
  readonly onChange: (html: string) => void
}) => {
  const { say } = useText()
  const place = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<Editor>()
  const [, setVersion] = useState(0)
  const [href, setHref] = useState<string>()
  const [fallback, setFallback] = useState('')
  const latest = useRef({ onChange, written: html })
  latest.current.onChange = onChange

  // biome-ignore lint/correctness/useExhaustiveDependencies: the text of a running editor is set below
  useEffect(() => {
    const made = new Editor({
      element: place.current,
      injectCSS: false,
      extensions,
      content: contentOf(html),
      editorProps: {
        attributes: { 'aria-label': label, role: 'textbox', 'aria-multiline': 'true', class: css.rich ?? '' },
        handleDrop: () => true,
        // ProseMirror would parse the clipboard's HTML, which the page's Trusted Types forbid.
        handlePaste: (view, { clipboardData }) => {
          const pasted = fromTextHtml(clipboardData?.getData('text/html') ?? '')
          const text = escapedText(clipboardData?.getData('text/plain') ?? '')
          const isRich = clipboardData?.types.includes('text/html') === true && pasted !== undefined
          const { content } = view.state.schema.nodeFromJSON(isRich ? pasted : contentOf(text))
          view.dispatch(view.state.tr.replaceSelection(Slice.maxOpen(content)))
          return true
        },
      },
      onUpdate: ({ editor: now }) => {
        const next = toTextHtml(now.getJSON() as Parameters<typeof toTextHtml>[0])
        latest.current.written = next
        latest.current.onChange(next)
      },
      onTransaction: () => setVersion((version) => version + 1),
    })
    setEditor(made)
    return () => made.destroy()
  }, [label])

  useEffect(() => {
    if (!editor || html === latest.current.written) return
    latest.current.written = html
    editor.commands.setContent(contentOf(html), { emitUpdate: false })
  }, [editor, html])

  const run = (change: (chain: ChainedCommands) => ChainedCommands) => editor && change(editor.chain().focus()).run()
  const toggle = (
    name: string,
    look: string | { readonly icon: IconName },
    isOn: boolean,
    change: (chain: ChainedCommands) => ChainedCommands,
  ) => (
    <Button
      small
      aria-label={name}
      aria-pressed={isOn}
      onPress={() => run(change)}
      {...(typeof look === 'string' ? { children: look } : look)}
    />
  )
  const isOn = (name: string, attributes?: object) => editor?.isActive(name, attributes) ?? false
  const block = [1, 2, 3].find((level) => isOn('heading', { level }))
  const aligned = ['center', 'right'].find((one) => editor?.isActive({ align: one })) ?? ''
  const setAlign = (value: string | null) =>
    run((chain) => chain.updateAttributes('paragraph', { align: value }).updateAttributes('heading', { align: value }))
  const colours = (design?.variables.colors ?? []).map(({ name }) => ({
    value: `{{design.colors.${name}}}`,
    label: name,
  }))
  const chosenColour = String(editor?.getAttributes('colour').colour ?? '')
  return (
    <div className={css.richText}>
      <div className={css.tools} role="toolbar" aria-label={say('visualFormat')}>
        {toggle(say('visualBold'), 'B', isOn('bold'), (chain) => chain.toggleBold())}
        {toggle(say('visualItalic'), 'I', isOn('italic'), (chain) => chain.toggleItalic())}
        {toggle(say('visualUnderline'), 'U', isOn('underline'), (chain) => chain.toggleUnderline())}
        {toggle(say('visualBullets'), { icon: 'list' }, isOn('bulletList'), (chain) => chain.toggleBulletList())}
        {toggle(say('visualNumbers'), { icon: 'numbers' }, isOn('orderedList'), (chain) => chain.toggleOrderedList())}
        <Button
          small
          icon="link"
          aria-label={say('visualLink')}
          aria-pressed={isOn('link')}
          onPress={() => setHref(href === undefined ? String(editor?.getAttributes('link').href ?? '') : undefined)}
        />
      </div>
      {href !== undefined && (
        <div className={css.tools}>
          <TextField dense label={say('visualHref')} value={href} onChange={setHref} />
          <Button
            small
            onPress={() => {
              run((chain) => {
                const whole = chain.extendMarkRange('link')
                return href.trim() === ''
                  ? whole.unsetMark('link')
                  : whole.setMark('link', { href: completedLink(href) })
              })
              setHref(undefined)
            }}
          >
            {say('visualApply')}
          </Button>
        </div>
      )}
      <div ref={place} />
      <div className={css.pairs}>
        <Select
          dense
          label={say('visualParagraphs')}
          value={String(block ?? '')}
          onChange={(level) =>
            run((chain) =>
              level === '' ? chain.setParagraph() : chain.setHeading({ level: Number(level) as 1 | 2 | 3 }),
            )
          }
          options={[
            { value: '', label: say('visualParagraph') },
            ...['1', '2', '3'].map((level) => ({ value: level, label: say('visualHeading', { level }) })),
          ]}
        />
        <Select
          dense
          label={say('visualParagraphAlign')}
          value={aligned}
          onChange={(value) => setAlign(value === '' ? null : value)}
          options={[
            { value: '', label: say('visualNoValue') },
            { value: 'center', label: say('visualCentre') },
            { value: 'right', label: say('visualRight') },
          ]}
        />
        <Select
          dense
          label={say('visualTextColour')}
          value={colours.some(({ value }) => value === chosenColour) ? chosenColour : ''}
          onChange={(value) =>
            run((chain) => (value === '' ? chain.unsetMark('colour') : chain.setMark('colour', { colour: value })))
          }
          options={[{ value: '', label: say('visualNoValue') }, ...colours]}
        />
        <Select
          dense
          label={say('visualMergeTag')}
          value={undefined}
          placeholder={say('chooseOne')}
          onChange={(name) =>
            run((chain) => chain.insertContent({ type: 'mergeTag', attrs: { source: sourceOf({ name, fallback }) } }))
          }
          options={names.map((name) => ({ value: name, label: name }))}
        />
        <TextField dense label={say('visualFallback')} value={fallback} onChange={setFallback} />
      </div>
    </div>
  )
}
