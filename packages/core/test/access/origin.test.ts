import { describe, expect, it } from 'vitest'
import { isWhitelistedOrigin } from '../../src/access/access.js'

describe('a whitelisted Origin', () => {
  const whiteList = ['shop.example.com', 'Example.org']

  it.each([
    'https://shop.example.com',
    'http://shop.example.com:8080',
    'https://SHOP.example.COM',
    'https://example.org',
  ])('is %s: its host name at any port, in any case', (origin) =>
    expect(isWhitelistedOrigin(whiteList, origin)).toBe(true),
  )

  it.each([
    'null',
    '',
    'shop.example.com',
    'https://evil.shop.example.com',
    'https://shop.example.com.evil.net',
    'https://evil.net/?https://shop.example.com',
    'https://shop.example.com@evil.net',
    'https://evil.net#shop.example.com',
    'ftp://shop.example.com',
    'https://shop.example.com/',
    'https://[::1]',
    'https://shop.example.com:',
    'https://shop.example.com https://evil.net',
  ])('is not %j', (origin) => expect(isWhitelistedOrigin(whiteList, origin)).toBe(false))
})
