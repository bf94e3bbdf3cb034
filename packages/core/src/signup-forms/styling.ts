import { z } from 'zod'

const colour = /^(?:#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|[a-z]{3,30}|(?:rgb|hsl)a?\([\d\s.,%/deg]{5,60}\))?$/i
const size = /^(?:\d{1,3}(?:\.\d{1,3})?(?:px|pt|em|rem|%)?)?$/
/** Control characters, punctuation except `-` and `_`, and blanks except the space. The rest is letters and digits of any script. */
const others = '\\x00-\\x1f!-,./:-@\\[-^`{-\\xa0'
const family = `(?:"[^${others}]+"|'[^${others}]+'|[^ ${others}][^${others}]*)`
const blanks = '[ \\t\\n\\r\\f\\v]*'
/** Each blank matches in one way only, so that an invalid list fails after one try, without backtracking. */
const font = new RegExp(`^(?:${blanks}${family}(?:,${blanks}${family})*)?$`, 'u')

/** A value that may stand in a stylesheet unescaped: no match can end a declaration, a rule or the sheet. */
const safe = (pattern: RegExp, expected: string, standard: string, description: string) =>
  z
    .string()
    .max(200)
    .regex(pattern, expected)
    .default(standard)
    .meta({ description: `${description}; an empty one is ${standard}` })

export const Colour = (standard: string) =>
  safe(colour, 'expected a CSS colour: #rrggbb, a name, rgb() or hsl()', standard, 'A CSS colour')
export const FontSize = (standard: string) =>
  safe(size, 'expected a size in px, pt, em, rem or %', standard, 'A CSS font size; a bare number counts as px')
export const FontFamily = (standard: string) =>
  safe(font, 'expected font families, separated by commas', standard, 'CSS font families')

/** A form's own text. It is escaped where it is shown. */
export const Wording = (standard: string, max = 300) => z.string().max(max).default(standard)
