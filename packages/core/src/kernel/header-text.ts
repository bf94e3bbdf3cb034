import { z } from 'zod'

/** No header value may carry a line break; everything else of Unicode may travel (RFC 2047). */
export const headerText = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\r\n\0]*$/, 'must not contain line breaks')
