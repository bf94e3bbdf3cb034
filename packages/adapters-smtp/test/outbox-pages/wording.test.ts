import { describe, expect, it } from 'vitest'
import { formatSize, mailboxDisplayName } from '../../src/outbox-pages/layout.js'

describe('a mailbox', () => {
  it.each([
    ['Ada Lovelace <ada@example.org>', 'Ada Lovelace'],
    ['"Lovelace, Ada" <ada@example.org>', 'Lovelace, Ada'],
    ['<ada@example.org>', 'ada@example.org'],
    ['ada@example.org', 'ada@example.org'],
    ['', 'Nobody'],
  ])('%j is shown as %j', (mailbox, name) => {
    expect(mailboxDisplayName(mailbox)).toBe(name)
  })
})

describe('a size', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1 kB'],
    [12_345, '12.3 kB'],
    [2_500_000, '2.5 MB'],
  ])('of %i bytes is shown as %s', (bytes, words) => {
    expect(formatSize(bytes)).toBe(words)
  })
})
