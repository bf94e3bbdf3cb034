import { describe, expect, it } from 'vitest'
import { withAsciiHost } from '../../src/mail/link-places.js'

describe('a link’s host', () => {
  it.each([
    ['https://раура1.example/pay?a=ü#ü', 'https://xn--1-7sba6dbr.example/pay?a=ü#ü'],
    ['https://bücher.example:8443/', 'https://xn--bcher-kva.example:8443/'],
    ['HTTPS://user@bücher.example', 'HTTPS://user@xn--bcher-kva.example'],
    ['https://shop。example/a', 'https://shop.example/a'],
  ])('is converted to ASCII, and nothing else changes: %s', (target, ascii) => {
    expect(withAsciiHost(target)).toBe(ascii)
    expect(new URL(ascii).href).toBe(new URL(target).href)
  })

  it.each(['https://shop.example/ü?q={a}', 'http://SHOP.example/a b', 'mailto:ä@ü.example', 'https://'])(
    'stays unchanged if it is ASCII or missing: %s',
    (target) => {
      expect(withAsciiHost(target)).toBe(target)
    },
  )
})
