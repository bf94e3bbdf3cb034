import { type Core, Html, html } from '@posthorn/core'
import type { Page } from './page.js'

/**
 * Presses the button for somebody who has looked at the page for a moment. Scanners that open links without running script confirm
 * nobody, nor does a browser that has only fetched the page ahead.
 */
const script = new Html(`
{
  const form = document.forms[0]
  let timer
  const look = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'visible' && !document.prerendering) timer = setTimeout(() => form.submit(), 1500)
  }
  form.addEventListener('submit', () => clearTimeout(timer))
  document.addEventListener('visibilitychange', look)
  document.addEventListener('prerenderingchange', look)
  look()
}
`)

const named = (listNames: readonly string[]): string => new Intl.ListFormat('en-GB').format(listNames)

/** The page behind the link of a double opt-in: opening it changes nothing, its button confirms. */
export const confirmationQuestion = ({
  email,
  listNames,
  redirects,
}: Awaited<ReturnType<Core['subscribers']['verification']>>): Page => ({
  title: 'Confirm your subscription',
  content: html`<p>Please confirm that ${email} wants the mail of ${named(listNames)}.</p>
<form method="post"><button>Confirm</button></form>`,
  script,
  leadsAway: redirects,
})
