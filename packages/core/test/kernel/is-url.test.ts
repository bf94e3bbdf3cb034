import { expect, it } from 'vitest'
import { isUrl } from '../../src/kernel/is-url.js'

it('accepts a URL with Latin-1 letters on every call', () => {
  const wrong = Array.from({ length: 20_000 }, () => isUrl('https://exämple.com/?q=é')).filter((answer) => !answer)
  expect(wrong).toEqual([])
  expect(['/path', '', 'https://', 'exämple.com'].map(isUrl)).toEqual([false, false, false, false])
})
