import { useEffect, useId, useState } from 'react'
import type { AroundNavHandler } from 'wouter'
import { useText } from '../text/text.js'
import { FormDialog } from '../ui/dialog.js'

/** Forms with unsaved changes, and their page. */
const unsaved = new Map<string, string>()
let confirmLeaving: ((leave: () => void) => void) | undefined

const leavesPage = (to: string): boolean =>
  [...unsaved.values()].some((page) => new URL(page).pathname !== new URL(to, window.location.href).pathname)

/** Asks before a link, or the console itself, opens another page. */
export const guardedNavigation: AroundNavHandler = (navigate, to, options) => {
  const leave = () => navigate(to, options)
  if (confirmLeaving && leavesPage(to)) confirmLeaving(leave)
  else leave()
}

/** Asks before the page is left while `isChanged`. The result ends this, for a change that is dropped on purpose. */
export const useUnsavedGuard = (isChanged: boolean): (() => void) => {
  const id = useId()
  useEffect(() => {
    if (!isChanged) return
    unsaved.set(id, window.location.href)
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => {
      unsaved.delete(id)
      window.removeEventListener('beforeunload', warn)
    }
  }, [id, isChanged])
  return () => unsaved.delete(id)
}

export const UnsavedDialog = () => {
  const { say } = useText()
  const [leave, setLeave] = useState<() => void>()
  useEffect(() => {
    confirmLeaving = (next) => setLeave(() => next)
    // The browser has already moved when it reports Back; the router listens to the same event, later.
    const moved = (event: PopStateEvent) => {
      const [page] = unsaved.values()
      if (page === undefined || !leavesPage(window.location.href)) return
      event.stopImmediatePropagation()
      window.history.pushState(null, '', page)
      setLeave(() => () => window.history.back())
    }
    window.addEventListener('popstate', moved, { capture: true })
    return () => {
      confirmLeaving = undefined
      window.removeEventListener('popstate', moved, { capture: true })
    }
  }, [])
  return (
    <FormDialog
      title={say('leaveUnsavedTitle')}
      isOpen={leave !== undefined}
      onClose={() => setLeave(undefined)}
      submit={say('leaveUnsavedDo')}
      danger
      onSubmit={async () => {
        unsaved.clear()
        leave?.()
      }}
    >
      <p>{say('leaveUnsavedEffect')}</p>
    </FormDialog>
  )
}
