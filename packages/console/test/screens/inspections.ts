import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Words } from './screens.js'

/** What a page did that none should do: errors, refusals of the policy, dialogs. */
export const watched = async (page: Page) => {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`Error: ${error.message}`))
  page.on('dialog', (dialog) => {
    faults.push(`Dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    const expected = /status of (400|401|403|404|405|429|503)|ERR_FAILED|ERR_NAME_NOT_RESOLVED/
    // Chromium reports statuses of failed requests as errors, too, and images of mails at hosts that do not exist.
    if (message.type() === 'error' && !expected.test(message.text())) faults.push(`Console: ${message.text()}`)
  })
  page.on('popup', (popup) => faults.push(`Window: ${popup.url()}`))
  await page.exposeBinding('refusedByPolicy', (_, directive: string) => faults.push(`Policy: ${directive}`))
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
      const report = (globalThis as { refusedByPolicy?: (text: string) => void }).refusedByPolicy
      report?.(`${violatedDirective} ${blockedURI} ${sample}`)
    })
  })
  return faults
}

/** A theme changes only colours, so that one run of all rules is enough. */
export const axeFaults = async (page: Page, rules: 'all' | 'colours' = 'all'): Promise<readonly string[]> => {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  // Frames of mails are another’s pages.
  const options = { iframes: false, ...(rules === 'colours' && { runOnly: ['color-contrast'] }) }
  const { violations } = (await page.evaluate(
    `axe.run({ exclude: ['iframe'] }, ${JSON.stringify(options)})`,
  )) as axe.AxeResults
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `axe ${id}: ${html.slice(0, 200)}`))
}

/** Texts that are cut off, controls that are wider than their place or look as the browser draws them, and a page that is wider than the window. */
export const layoutFaults = (page: Page): Promise<readonly string[]> =>
  page.evaluate(async () => {
    // A pane that measures its place takes its size one frame after the window has changed, and is drawn in the next.
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame)
    const faults: string[] = []
    const root = document.scrollingElement ?? document.documentElement
    if (root.scrollWidth > innerWidth) faults.push(`The page is ${root.scrollWidth} px wide in ${innerWidth}`)
    const named = (element: Element) =>
      `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}"> ${(element.textContent ?? '').slice(0, 60)}`
    /** For readers of screens only, or not on the page before it has the focus. */
    const isHidden = (element: Element | null): boolean =>
      element !== null && (element.clientWidth <= 1 ? getComputedStyle(element).overflow === 'hidden' : false)
    for (const element of document.querySelectorAll<HTMLElement>('#root *, [role=dialog] *')) {
      const { width, height, left, right } = element.getBoundingClientRect()
      const style = getComputedStyle(element)
      if (width <= 1 || height <= 1 || style.visibility === 'hidden' || element.closest('.cm-editor, svg, iframe'))
        continue
      const hiders = [element.parentElement, element.closest('thead, span'), element.closest('[aria-hidden=true]')]
      if (right < 0 || hiders.some(isHidden)) continue
      const scrolls = element.parentElement?.closest('pre, textarea, [tabindex="0"]') !== null
      if (!scrolls && (right > innerWidth + 1 || left < -1)) faults.push(`Outside the window: ${named(element)}`)
      if (element.matches('button') && style.borderTopStyle === 'outset')
        faults.push(`Without its style: ${named(element)}`)
      const isCut = element.scrollWidth > element.clientWidth + 1 && style.display !== 'inline'
      const hasWords = [...element.childNodes].some(
        ({ nodeType, textContent }) => nodeType === 3 && textContent?.trim(),
      )
      const isShortened = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
      const isMeant = isShortened || ['INPUT', 'TEXTAREA', 'PRE'].includes(element.tagName)
      if (isCut && !isMeant && (hasWords || element.matches('button, a, [role=button]')))
        faults.push(`Wider than its place: ${named(element)}`)
      if (isCut && element.querySelector(':scope > table') && innerWidth >= 1280)
        faults.push(`The table scrolls sideways`)
    }
    return faults
  })

/** Whatever the keyboard reaches shows that it has the focus. */
export const focusFaults = async (page: Page): Promise<readonly string[]> => {
  // From here on the browser takes each focus for one of the keyboard.
  await page.keyboard.press('Tab')
  return page.evaluate(async () => {
    const faults: string[] = []
    const isRinged = (element: Element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
    }
    const scope = document.querySelector('[role=dialog]') ?? document
    const reachable = scope.querySelectorAll<HTMLElement>('a[href], button, input, textarea, [tabindex="0"]')
    for (const element of [...reachable].slice(0, 80)) {
      if (element.closest('.cm-editor, [aria-hidden=true], [inert]') || element.matches(':disabled')) continue
      element.focus()
      if (document.activeElement !== element) continue
      // React Aria marks its checkboxes in the next frame.
      if (element.matches('input')) await new Promise(requestAnimationFrame)
      const label = element.closest('label')
      if (![element, element.parentElement, label, ...(label?.children ?? [])].some((one) => one && isRinged(one)))
        faults.push(`No visible focus: ${element.outerHTML.slice(0, 160)}`)
    }
    return faults
  })
}

/** Texts and labels that are still in English, or that kept a place of a message. */
export const untranslated = async (page: Page, english: Words, words: Words): Promise<readonly string[]> => {
  const own = new Set<string>(Object.values(words))
  const foreign = Object.values(english).filter((text) => !text.includes('{') && !own.has(text) && text.length > 2)
  const texts = await page.evaluate(() => {
    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    // Code is the same in every language, and the API's reference is English and says so.
    while (walker.nextNode())
      if (!walker.currentNode.parentElement?.closest('code, [lang=en]'))
        found.push(walker.currentNode.textContent?.trim() ?? '')
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title], [data-label]')) {
      if (element.closest('[lang=en]')) continue
      for (const name of ['aria-label', 'placeholder', 'title', 'data-label'])
        found.push(element.getAttribute(name) ?? '')
    }
    return [...found, document.title.replace(/ · Posthorn$/, '')]
  })
  return texts
    .filter((text) => foreign.includes(text) || /\{\w+(\|[^{}]*)*\}/.test(text.replace(/\{\{[^{}]*\}\}/g, '')))
    .map((text) => `Not translated: ${text}`)
}

/** A title of its own, and the same as the page’s heading. */
export const titleFaults = async (page: Page): Promise<readonly string[]> => {
  const title = await page.title()
  const heading = await page.locator('h1').first().innerText()
  return title === `${heading} · Posthorn` ? [] : [`Title “${title}” of a page with the heading “${heading}”`]
}
