import { type Html, html, type Messages } from '@posthorn/core/ports/transport'
import { type Reader, saidTo } from '../reader.js'

/** Messages and formats for all parts of the page. */
export type Speech = {
  readonly say: Messages
  readonly count: (n: number) => string
  readonly share: (part: number, whole: number) => string
  readonly moment: (instant: string) => Html
  /** Formats a local time, as periods have it. */
  readonly clock: (local: string, options: Intl.DateTimeFormatOptions) => string
  readonly list: (items: readonly string[]) => string
}

/** Formats numbers, shares and instants for a reader; `timeZone` is the campaign's. */
export const speechOf = (reader: Reader, timeZone: string): Speech => {
  const locale = reader.language === 'en' ? 'en-GB' : reader.language
  const number = new Intl.NumberFormat(locale)
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone })
  const formats = new Map<string, Intl.DateTimeFormat>()
  const formatOf = (options: Intl.DateTimeFormatOptions) => {
    const key = JSON.stringify(options)
    const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
    formats.set(key, format)
    return format
  }
  return {
    say: saidTo(reader),
    count: (n) => number.format(n),
    share: (part, whole) => percent.format(whole === 0 ? 0 : part / whole),
    moment: (instant) => html`<time datetime="${instant}">${date.format(new Date(instant))}</time>`,
    clock: (local, options) => formatOf(options).format(new Date(`${local.padEnd(10, '-01').slice(0, 16)}Z`)),
    list: (items) => new Intl.ListFormat(locale, { type: 'conjunction' }).format(items),
  }
}

/** Puts HTML into one place of a message. */
export const filledHtml = (message: string, place: string, value: Html): Html => {
  const [before = '', after = ''] = message.split(`{${place}}`)
  return html`${before}${value}${after}`
}
