import { lazy, Suspense, useMemo } from 'react'
import { useText } from '../../text/text.js'
import { TextField } from '../../ui/field.js'
import { Note, Skeleton } from '../../ui/states.js'
import type { Design } from './design.js'
import type { MjmlNode } from './document.js'
import { fromTextHtml } from './rich-text-html.js'

const RichTextEditor = lazy(async () => ({ default: (await import('./rich-text.js')).RichTextEditor }))

/** A rich text where it loses nothing, else the source. */
export const TextContent = ({
  node: { tagName, content = '' },
  names,
  design,
  onChange,
}: {
  readonly node: MjmlNode
  readonly names: readonly string[]
  readonly design: Design | undefined
  readonly onChange: (content: string) => void
}) => {
  const { say } = useText()
  const isRich = useMemo(() => tagName === 'mj-text' && fromTextHtml(content) !== undefined, [tagName, content])
  if (isRich)
    return (
      <Suspense fallback={<Skeleton rows={4} />}>
        <RichTextEditor label={say('visualText')} html={content} names={names} design={design} onChange={onChange} />
      </Suspense>
    )
  const isShort = tagName === 'mj-button' || tagName === 'mj-navbar-link' || tagName === 'mj-title'
  return (
    <>
      {tagName === 'mj-text' && <Note>{say('visualRichSource')}</Note>}
      <TextField
        dense
        label={isShort ? say('visualLabel') : say('visualSourceOf')}
        value={content}
        {...(!isShort && { rows: 10 })}
        onChange={onChange}
      />
    </>
  )
}
