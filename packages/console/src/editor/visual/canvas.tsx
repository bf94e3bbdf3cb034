import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { call } from '../../api/client.js'
import { useProject } from '../../shell/session.js'
import { useText } from '../../text/text.js'
import { Checkbox } from '../../ui/field.js'
import { ErrorNote, Skeleton } from '../../ui/states.js'
import editor from '../editor.module.css'
import { MailFrame } from '../mail-frame.js'
import { ContactSelect, type EmailRef } from '../preview.js'
import { cssWidthOf, PreviewWidthChoice } from '../preview-width.js'
import { keyOf } from './block-helpers.js'
import { type MjmlNode, withElementClasses } from './document.js'
import css from './visual.module.css'

/** In ms after the last change. */
const renderDelay = 400

const useSettled = <T,>(value: T): T => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), renderDelay)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** In px; mails of the usual 600 px show columns side by side. */
const wideMail = 640

/** How much smaller a wide mail is shown, so that the pane has its whole width. */
const useScale = (place: RefObject<HTMLElement | null>): number => {
  const [scale, setScale] = useState(1)
  useEffect(() => {
    if (!place.current) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setScale(Math.min(1, entry.contentRect.width / wideMail))
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [place])
  return scale
}

/** The document as the server renders it, saved or not. A click selects an element. */
export const Canvas = ({
  root,
  email,
  selected,
  onSelect,
}: {
  readonly root: MjmlNode
  readonly email: EmailRef
  readonly selected: string | undefined
  readonly onSelect: (key: string) => void
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const [width, setWidth] = useState<'wide' | 'narrow'>('wide')
  const [isDark, setDark] = useState(false)
  const [contact, setContact] = useState('')
  const place = useRef<HTMLDivElement>(null)
  const scale = useScale(place)
  const settled = useSettled(root)
  const { document, paths } = useMemo(() => withElementClasses(settled), [settled])
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'document-preview', email.id, contact, document],
    queryFn: ({ signal }) =>
      call(projectId, 'post', '/document-preview/{id}', {
        params: { id: email.id },
        body: { type: email.kind, document, ...(contact !== '' && { contact }) },
        signal,
      }),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  })
  return (
    <>
      <div className={editor.halfHead}>
        <div className={editor.grow}>
          <ContactSelect value={contact} onChange={setContact} />
        </div>
        <PreviewWidthChoice widths={['wide', 'narrow']} value={width} onChange={setWidth} />
        <Checkbox isSelected={isDark} onChange={setDark}>
          {say('darkMode')}
        </Checkbox>
      </div>
      <div className={css.mail} ref={place}>
        {error ? (
          <div className={editor.notes}>
            <ErrorNote error={error} onRetry={() => void refetch()} />
          </div>
        ) : data ? (
          <div
            style={
              width === 'wide'
                ? {
                    width: `${100 / scale}%`,
                    height: `${100 / scale}%`,
                    transform: `scale(${scale})`,
                    transformOrigin: '0 0',
                  }
                : { height: '100%' }
            }
          >
            <MailFrame
              html={data.html}
              title={say('previewTitle')}
              width={cssWidthOf(width)}
              isDark={isDark}
              selected={paths.findIndex((path) => keyOf(path) === selected)}
              onSelect={(element) => {
                const path = paths[element]
                if (path) onSelect(keyOf(path))
              }}
            />
          </div>
        ) : (
          <Skeleton rows={8} />
        )}
      </div>
    </>
  )
}
