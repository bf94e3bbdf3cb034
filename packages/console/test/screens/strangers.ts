import type { Page } from 'playwright-core'
import { texts } from '../../../http-express/test/fuzz/hostile-parts.js'
import { reasonLabels } from '../../src/campaigns/reasons.js'
import { edited, fetched } from './edited.js'

/** What runs, opens a window or changes the page if it is markup anywhere. */
export const markup = [
  '<img src=x onerror="alert(1)" class="hostile">',
  '"><svg onload=alert(1) class="hostile">',
  '<iframe srcdoc="<script>parent.alert(1)</script>" class="hostile"></iframe>',
  '</title></textarea></script><hostile-element></hostile-element>',
  '<a href="javascript:alert(1)" class="hostile">x</a>',
  '<style>*{display:none!important}</style><meta http-equiv=refresh content="0;url=//evil.example">',
  '\u0024{alert(1)}{{constructor.constructor("alert(1)")()}}',
  '\u202egnp.exe\u2069\u2067',
  'שלום\u202e נספח',
  'W'.repeat(10_000),
]

/** Texts that a store may keep, and of a size that a page of records may have. */
const vectors = [...markup, ...texts.filter((text) => text.trim() !== '' && text.length <= 10_000)]

/** Texts that the places of a screen may begin with. */
export const beginnings = vectors.length

/** These are no free texts: ids, states, times and what a program reads. */
const programs =
  /^(_?id|\w+(Id|At|Date|Until)|type|status|state|role|within|since|permissions|limits|timeZone|interval|period|encoding|operator|property|category|field|scheduledTo|unopenedOf|language|theme|cursor|next|by|html|senderIdentity|requestStatus|lane|account|kind|day|windowLabel|captchaType|feedType|tagName)$/

/** Puts a text of a stranger in the place of every free text that the server answers with. */
const spoiled = (value: unknown, next: () => string, key = ''): unknown => {
  if (typeof value === 'string')
    return programs.test(key) || (key === 'reason' && Object.hasOwn(reasonLabels, value)) ? value : next()
  if (Array.isArray(value)) return programs.test(key) ? value : value.map((one) => spoiled(one, next, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, spoiled(one, next, name)]))
}

/** From then on all texts of the server’s answers are strangers’. Another number puts other texts into the same places. */
export const spoilTexts = async (page: Page, from: number): Promise<void> => {
  let at = from
  // Keys of rows stay different.
  const next = () => {
    at += 1
    return `${vectors[at % vectors.length] ?? ''} ${at}`
  }
  await edited(page, /./, (result) => spoiled(result, next))
  await page.route(/\/console\/api\/session$/, async (route) => {
    const response = await fetched(route)
    await route.fulfill({ response, json: spoiled(await response.json(), next) })
  })
}

/** Elements that came from a text, and places that a text made too high. */
export const strangersFaults = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const guests = document.querySelectorAll('.hostile, hostile-element, [onerror], [onload], a[href^="javascript:"]')
    const places = [...document.querySelectorAll<HTMLElement>('header, td, h1, h2, label, button')]
    return [
      ...[...guests].map(({ outerHTML }) => `An element of a stranger: ${outerHTML.slice(0, 120)}`),
      ...places
        .filter(({ offsetHeight }) => offsetHeight > 420)
        .map(({ tagName, className, offsetHeight }) => `${tagName} ${className} is ${offsetHeight} px high`),
    ]
  })
