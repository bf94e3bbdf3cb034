import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromPunycode, toPunycode } from '../../src/kernel/punycode.js'

describe('Punycode', () => {
  it.each([
    ['ليهمابتكلموشعربي؟', 'egbpdaj6bu4bxfgehfvwxn'],
    ['他们为什么不说中文', 'ihqwcrb4cv8a8dqg056pqjye'],
    ['3年b組金八先生', '3b-ww4c5e180e575a65lsy2b'],
    ['MajiでKoiする5秒前', 'MajiKoi5-783gue6qz075azm5e'],
    ['bücher', 'bcher-kva'],
    ['🌈', 'og8h'],
  ])('writes %s as %s, and reads it again', (text, written) => {
    expect([toPunycode(text), fromPunycode(written)]).toEqual([written, text])
  })

  it('gives every text back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 63 }), (text) => {
        expect(fromPunycode(toPunycode(text))).toBe(text)
      }),
    )
  })

  it('reads nothing from what is broken off, too large or in other signs', () => {
    for (const text of ['999999999', 'b', 'bcher-kv', 'bcher-k!a', 'A', 'é']) expect(fromPunycode(text)).toBeUndefined()
  })
})
