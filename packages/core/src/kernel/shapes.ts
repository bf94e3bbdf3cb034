import { z } from 'zod'

/** An `_id`: 24 hexadecimal digits. Other strings are simply not found, so no endpoint refuses an id for its form. */
export const Id = z.string().meta({
  id: 'Id',
  description: 'Identifier: 24 hexadecimal digits, increasing with time',
  example: '69280e5c8f1c4a2b9d3e7f10',
})

/** ISO 8601, UTC, milliseconds, `Z`. */
export const Instant = z.string().meta({
  id: 'Instant',
  description: 'Instant in ISO 8601, UTC, with milliseconds',
  example: '2026-01-06T13:27:32.017Z',
})

/** What people call a record: blanks around it are cut. */
export const Name = z.string().trim().min(1).max(200)

/** What a browser opens, and what can be fetched: never `javascript:` or `data:`. */
export const WebUrl = z.url({ protocol: /^https?$/, error: 'expected an http or https URL' })
/** The same, where an empty text stands for none. */
export const WebUrlOrNone = z.union([z.literal(''), WebUrl])

export type Stamped = { readonly _id: string; readonly createdAt: string; readonly updatedAt: string }
/** Of a record that is made now. */
export const stamps = (now: string): Pick<Stamped, 'createdAt' | 'updatedAt'> => ({ createdAt: now, updatedAt: now })
export type InProject = Stamped & { readonly projectId: string }

/** Any JSON, as long as it is there. */
export const Present = z.unknown().check(({ value, issues }) => {
  if (value === undefined) issues.push({ code: 'invalid_type', expected: 'nonoptional', input: value })
})
