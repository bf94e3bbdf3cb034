import { readdirSync } from 'node:fs'
import { fillPlaceholders, languages, type Messages, translatedDefault } from '@posthorn/core/ports/transport'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { languageOfTag } from '../../src/languages/languages.js'
import { DoubleOptIn } from '../../src/lists/subscriber-list.js'

const placesIn = (message: string) => [...message.matchAll(/\{\w+\}/g)].map(([place]) => place).sort()
const entries = Object.entries(languages)

describe('the languages', () => {
  it('are exactly the files of their folder', () => {
    const files = readdirSync(new URL('../../src/languages', import.meta.url)).map((name) => name.replace(/\.ts$/, ''))
    expect(files.filter((name) => name !== 'languages').sort()).toEqual(Object.keys(languages).sort())
    expect(Object.keys(languages).sort()).toEqual(['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt'])
  })

  it.each(entries)('have the same messages with the same placeholders: %s', (_, messages: Messages) => {
    expect(Object.keys(messages)).toEqual(Object.keys(languages.en))
    for (const [key, message] of Object.entries(messages)) {
      expect(message.trim()).toBe(message)
      expect(message).not.toBe('')
      expect([key, placesIn(message)]).toEqual([key, placesIn(languages.en[key as keyof Messages])])
    }
  })

  it.each(entries.filter(([code]) => code !== 'en'))('are translated completely: %s', (_, messages: Messages) => {
    const same = Object.entries(languages.en).filter(([key, text]) => messages[key as keyof Messages] === text)
    expect(same).toEqual([])
  })

  it('are found by a language tag with any suffix', () => {
    for (const tag of ['de', 'DE', 'de-AT', 'de_CH', ' de-Latn-DE '])
      expect([tag, languageOfTag(tag)]).toEqual([tag, 'de'])
    for (const tag of ['', 'ja', 'deutsch', 'constructor', '__proto__', undefined, 7, 'x'.repeat(1e6)])
      expect(languageOfTag(tag)).toBeUndefined()
  })
})

describe('a message', () => {
  it('fills its placeholders with any value, once', () => {
    expect(fillPlaceholders('{a} and {b}, {a}', { a: '{b}', b: 2 })).toBe('{b} and 2, {b}')
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(fillPlaceholders('<{x}>', { x: value })).toBe(`<${value}>`)
      }),
    )
  })

  it('uses a project’s own text unless it is empty or the default', () => {
    const { confirmationTitle } = DoubleOptIn.parse({})
    expect(translatedDefault('de', 'confirmedTitle', confirmationTitle)).toBe('Ihre Anmeldung ist bestätigt')
    expect(translatedDefault('de', 'confirmedTitle', ' ')).toBe('Ihre Anmeldung ist bestätigt')
    expect(translatedDefault('de', 'confirmedTitle', 'Servus')).toBe('Servus')
  })
})
