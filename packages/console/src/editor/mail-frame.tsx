import { useEffect, useRef, useState } from 'react'
import { consoleBase } from '../api/client.js'

/** Shows a mail in an origin of its own; nothing of the mail runs, and its links lead nowhere. */
export const MailFrame = ({
  html,
  title,
  width,
  isDark = false,
  selected,
  onSelect,
}: {
  readonly html: string
  readonly title: string
  /** CSS width of the mail. */
  readonly width: string
  readonly isDark?: boolean
  /** Number of the element with a frame around it; -1: none. */
  readonly selected?: number
  /** A click on an element with the class `posthorn-element-<number>`. The number comes from the frame: check it. */
  readonly onSelect?: (element: number) => void
}) => {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isReady, setReady] = useState(false)
  const isSelectable = onSelect !== undefined
  const latest = useRef({ selected, onSelect })
  latest.current = { selected, onSelect }
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent<unknown>) => {
      if (source !== frame.current?.contentWindow) return
      if (data === 'preview-ready') return setReady(true)
      if (typeof data !== 'object' || data === null || !('element' in data)) return
      const { element } = data
      if (typeof element !== 'number' || !Number.isInteger(element)) return
      if (element >= 0) latest.current.onSelect?.(element)
      else frame.current?.contentWindow?.postMessage({ selected: latest.current.selected ?? -1 }, '*')
    }
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [])
  useEffect(() => {
    // The frame's origin is opaque, so no narrower target exists. It is the only receiver.
    if (isReady) frame.current?.contentWindow?.postMessage({ html, title, isDark, isSelectable }, '*')
  }, [isReady, html, title, isDark, isSelectable])
  useEffect(() => {
    if (isReady && selected !== undefined) frame.current?.contentWindow?.postMessage({ selected }, '*')
  }, [isReady, selected])
  return (
    <iframe
      ref={frame}
      src={`${consoleBase}/preview-frame`}
      title={title}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      style={{
        display: 'block',
        width,
        maxWidth: '100%',
        height: '100%',
        margin: '0 auto',
        border: 0,
        background: isDark ? '#1c1c1e' : '#fff',
      }}
    />
  )
}
