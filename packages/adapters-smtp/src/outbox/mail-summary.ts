import { closeSync, openSync, readSync } from 'node:fs'
import { decodeWords } from 'postal-mime'

/** Empty if missing. */
export type MailSummary = {
  readonly from: string
  readonly to: string
  readonly subject: string
  /** ISO. */
  readonly date: string | undefined
}

const nothing: MailSummary = { from: '', to: '', subject: '', date: undefined }

/** Bytes of a header. */
const headerRead = 16 * 1024

const shown = 500

/** V8 keeps the whole text in memory for a slice of it. */
const copied = (text: string) => Buffer.from(text).toString()

const fieldOf = (header: string, name: string): string => {
  const value = new RegExp(`^${name}:(.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(header)?.[1] ?? ''
  return copied(decodeWords(value.replaceAll(/\r?\n(?=[ \t])/g, '').trim()).slice(0, shown))
}

const isoOf = (text: string): string | undefined => {
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

export const summaryOf = (mime: string): MailSummary => {
  const end = /\r?\n\r?\n/.exec(mime)?.index ?? mime.length
  const header = mime.slice(0, end)
  return {
    from: fieldOf(header, 'From'),
    to: fieldOf(header, 'To'),
    subject: fieldOf(header, 'Subject'),
    date: isoOf(fieldOf(header, 'Date')),
  }
}

const buffer = Buffer.alloc(headerRead)

/** Reads the header only. Empty if the file cannot be read. */
export const readSummary = (path: string): MailSummary => {
  try {
    const file = openSync(path, 'r')
    try {
      return summaryOf(buffer.toString('utf8', 0, readSync(file, buffer, 0, headerRead, 0)))
    } finally {
      closeSync(file)
    }
  } catch {
    return nothing
  }
}
