import { z } from 'zod'

/** Endpoints do not validate the form of an id: other strings are not found. */
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

/** A whole number, 0 or more. */
export const Count = z.int().min(0)

export const Name = z.string().trim().min(1).max(200)

/** Never `javascript:` or `data:`. */
export const WebUrl = z.url({ protocol: /^https?$/, error: 'expected an http or https URL' })
/** An empty text means none. */
export const WebUrlOrNone = z.union([z.literal(''), WebUrl])

export type Stamped = { readonly _id: string; readonly createdAt: string; readonly updatedAt: string }
export const stamps = (now: string): Pick<Stamped, 'createdAt' | 'updatedAt'> => ({ createdAt: now, updatedAt: now })
/** What clients see of a stored record: its id, the fields, and when it was created and last changed. */
export const recordView = <S extends z.ZodRawShape>(fields: S) =>
  z.object({ _id: Id, ...fields, createdAt: Instant, updatedAt: Instant })

export type InProject = Stamped & { readonly projectId: string }

/** Any JSON value, but not undefined. */
export const PresentJson = z.unknown().check(({ value, issues }) => {
  if (value === undefined) issues.push({ code: 'invalid_type', expected: 'nonoptional', input: value })
})

/** No line breaks; other Unicode text is allowed (RFC 2047). */
export const headerTextSchema = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\r\n\0]*$/, 'must not contain line breaks')
