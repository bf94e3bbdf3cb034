import { useEffect, useRef, useState } from 'react'
import { consoleBase } from '../api/client.js'

/** Shows a mail in an origin of its own; nothing in it runs, and its links lead nowhere. */
export const MailFrame = ({
  html,
  title,
  width,
  isDark = false,
}: {
  readonly html: string
  readonly title: string
  /** CSS width of the mail. */
  readonly width: string
  /** As a mail program in dark mode shows it. */
  readonly isDark?: boolean
}) => {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data === 'preview-ready') setReady(true)
    }
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [])
  useEffect(() => {
    // The frame's origin is opaque, so no narrower target exists. It is the only receiver.
    if (isReady) frame.current?.contentWindow?.postMessage({ html, title, isDark }, '*')
  }, [isReady, html, title, isDark])
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
