import type { Core } from '@posthorn/core'
import { filled, Html, html, wordedFor } from '@posthorn/core/ports/transport'
import type { Page } from './page.js'
import { type Reader, saidTo } from './reader.js'

/**
 * Presses the button after the page has been visible for a moment. Scanners that open links without running script confirm nothing, and
 * neither do browsers that prefetch the page.
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

/** The page of a double opt-in link: opening it changes nothing, its button confirms. */
export const confirmationQuestion = (
  { email, listNames, redirects }: Awaited<ReturnType<Core['subscribers']['verification']>>,
  reader: Reader,
): Page => {
  const { confirmTitle, confirmQuestion, confirm } = saidTo(reader)
  const lists = new Intl.ListFormat(reader.language).format(listNames)
  return {
    title: confirmTitle,
    content: html`<p>${filled(confirmQuestion, { email, lists })}</p>
<form method="post"><button>${confirm}</button></form>`,
    script,
    leadsAway: redirects,
  }
}

/** The page after a confirmation, in the project's own words if it has any. */
export const confirmedPage = (
  { title, message }: Awaited<ReturnType<Core['subscribers']['verify']>>,
  { language }: Reader,
): Page => ({
  title: wordedFor(language, 'confirmedTitle', title),
  content: html`<p>${wordedFor(language, 'confirmed', message)}</p>`,
})
