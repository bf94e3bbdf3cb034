import { expect, it } from 'vitest'
import { portablePattern } from '../src/openapi/schemas.js'

it.each([
  ['^\\d{24}$', '^[0-9]{24}$'],
  ['^[\\da-f]{24}$', '^[0-9a-f]{24}$'],
  ['^\\P{Cc}*$', '^[^\\x00-\\x1f\\x7f-\\x9f]*$'],
  ['^[^\\p{Cc}\\]]+$', '^[^\\x00-\\x1f\\x7f-\\x9f\\]]+$'],
  ['^[^\\r\\n\\0]*$', '^[^\\r\\n\\x00]*$'],
  ['^role\\/[\\w+=]{1,9}$', '^role/[A-Za-z0-9_+=]{1,9}$'],
  ['^(?=.{1,253}$)[a-z]+$', '^[a-z]+$'],
])('%s is written portably as %s', (pattern, portable) => {
  expect(portablePattern(pattern)).toBe(portable)
  for (const text of ['', 'a', '0'.repeat(24), 'a\u0085', 'role/x', 'x]', 'ä\n'])
    expect(new RegExp(portable, 'u').test(text)).toBe(new RegExp(pattern, 'u').test(text))
})
