import { z } from 'zod'

/** A header value must not contain a line break; all other Unicode text is allowed (RFC 2047). */
export const headerText = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\r\n\0]*$/, 'must not contain line breaks')
