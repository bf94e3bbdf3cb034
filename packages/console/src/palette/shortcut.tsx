import { lazy, Suspense, useEffect, useState } from 'react'
import { Button } from 'react-aria-components'
import { useText } from '../text/text.js'
import { Icon } from '../ui/icons.js'
import css from './shortcut.module.css'

const Palette = lazy(async () => ({ default: (await import('./palette.js')).Palette }))

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)
const keys = isMac ? '⌘K' : 'Ctrl K'

/** Opens the palette, by itself or by its keys. Keys do nothing while a dialog is open. */
export const PaletteButton = ({
  onOpen,
  hasKeys = false,
}: {
  readonly onOpen: () => void
  readonly hasKeys?: boolean
}) => {
  const { say } = useText()
  return (
    <Button
      className={css.button}
      onPress={onOpen}
      {...(hasKeys && { 'aria-keyshortcuts': isMac ? 'Meta+K' : 'Control+K' })}
    >
      <Icon name="search" />
      <span className={css.label}>{say('paletteOpen')}</span>
      {hasKeys && <kbd className={css.keys}>{keys}</kbd>}
    </Button>
  )
}

export const usePalette = () => {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isShortcut = event.key.toLowerCase() === 'k' && (isMac ? event.metaKey : event.ctrlKey)
      if (!isShortcut || event.shiftKey || event.altKey || document.querySelector('[role=dialog]')) return
      event.preventDefault()
      setOpen(true)
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
  return {
    open: () => setOpen(true),
    palette: isOpen && (
      <Suspense fallback={null}>
        <Palette onClose={() => setOpen(false)} />
      </Suspense>
    ),
  }
}
