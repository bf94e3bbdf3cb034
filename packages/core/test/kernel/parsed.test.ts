import { parsed, violationSentences } from '@posthorn/core/ports/transport'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { messageWithoutFieldName } from '../../src/kernel/parsed.js'

const Thing = z.strictObject({
  name: z.string().min(2, 'expected two letters'),
  size: z.number().optional(),
  data: z.unknown().optional(),
})
const unkept = 'contains a character that cannot be kept (U+0000 or half of a surrogate pair)'

describe('an input', () => {
  it('reports all violations together, none twice', () => {
    expect(violationSentences(Thing, { size: 'x', colour: 1, weight: 2 })).toEqual([
      'Missing required field: name',
      expect.stringMatching(/^size: /),
      'Unexpected field: colour',
      'Unexpected field: weight',
    ])
    expect(() => parsed(Thing, { name: 'x' })).toThrow('name: expected two letters')
    expect(parsed(Thing, { name: 'xy' })).toEqual({ name: 'xy' })
  })

  it('has standalone sentences of the spec without a field name', () => {
    expect(
      violationSentences(z.object({ email: z.string(messageWithoutFieldName('Invalid thing')) }), { email: 1 }),
    ).toEqual(['Invalid thing'])
  })
})

describe('a text', () => {
  it.each(['\0', 'a\0b', '\ud800', 'x\udfff', '\ude00\ud83d'])('that no store can keep is rejected: %j', (text) => {
    expect(violationSentences(Thing, { name: `ok${text}` })).toEqual([`name: ${unkept}`])
    expect(violationSentences(Thing, { name: 'ok', data: { list: [1, { at: text }] } })).toEqual([
      `data.list[1].at: ${unkept}`,
    ])
    expect(violationSentences(z.string(), text)).toEqual([unkept])
  })

  it('may contain any other Unicode', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('\0'))
        expect(violationSentences(z.unknown(), { text, [`key ${text}`]: [text] })).toEqual([])
      }),
    )
  })

  it('is rejected as a key, too', () => {
    expect(violationSentences(z.unknown(), { data: { 'a\0': 1 } })).toEqual([`data.a\0: ${unkept}`])
    expect(violationSentences(Thing, { name: 'ok', '\ud800': 1 })).toContain('Unexpected field: \ud800')
  })

  it('is reported once if the schema rejects it, too', () => {
    expect(violationSentences(Thing, { name: '\0' })).toEqual(['name: expected two letters'])
  })

  it('is reported once for each field', () => {
    expect(violationSentences(Thing, { name: 'a\0\0', data: ['\0', '\0'] })).toEqual([
      `name: ${unkept}`,
      `data[0]: ${unkept}`,
    ])
  })
})

describe('a key that leads to a prototype', () => {
  it.each(['__proto__', 'constructor', 'prototype'])('is rejected as a field at any depth: %s', (key) => {
    expect(violationSentences(Thing, JSON.parse(`{"name":"ok","${key}":{"admin":true}}`))).toEqual([
      `Unexpected field: ${key}`,
    ])
    expect(violationSentences(Thing, JSON.parse(`{"name":"ok","data":[{"${key}":1}]}`))).toEqual([
      `Unexpected field: data[0].${key}`,
    ])
  })

  it('may be a value', () => {
    expect(violationSentences(Thing, { name: '__proto__' })).toEqual([])
  })
})

describe('JSON input', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 'x' : { of: [nested(levels - 1)] })

  it('is at most a hundred levels deep, the input itself included', () => {
    expect(violationSentences(z.unknown(), { data: [nested(49)] })).toEqual([])
    expect(violationSentences(z.unknown(), { data: nested(50) })).toEqual(['data: nested more than 100 levels deep'])
  })

  it('is rejected without following it if it contains itself', () => {
    const loop: Record<string, unknown> = {}
    loop.left = loop
    expect(violationSentences(z.unknown(), { data: loop })).toEqual(['data: nested more than 100 levels deep'])
    loop.right = loop
    expect(violationSentences(z.unknown(), { data: loop })).toEqual(['holds more than 50000 values'])
  })

  it('is limited by memory for keys that are large indices', () => {
    const all = (count: number, key: number) => ({
      name: 'xy',
      data: Array.from({ length: count }, () => ({ [key]: 1 })),
    })
    const tooWide = ['holds more than 50000 values']
    expect(violationSentences(Thing, all(300, 1_000))).toEqual(tooWide)
    expect(violationSentences(Thing, all(200, 1_000))).toEqual([])
    // A year is beyond the gap that an array bridges.
    expect(violationSentences(Thing, all(20_000, 2_026))).toEqual([])
    expect(violationSentences(Thing, all(10_000, 12))).toEqual([])
    const far = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [1_000 * (n + 1), 1]))
    expect(violationSentences(Thing, { name: 'xy', data: Array.from({ length: 100 }, () => far) })).toEqual(tooWide)
    const dense = Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [n, 1]))
    expect(violationSentences(Thing, { name: 'xy', data: Array.from({ length: 10 }, () => dense) })).toEqual([])
  })

  it('has at most 50,000 values on all levels together', () => {
    const rows = (count: number) => ({ data: Array.from({ length: count }, () => ({ a: 1 })) })
    expect(violationSentences(z.unknown(), rows(24_999))).toEqual([])
    expect(violationSentences(z.unknown(), rows(25_000))).toEqual(['holds more than 50000 values'])
    expect(
      violationSentences(Thing, Object.fromEntries(Array.from({ length: 50_001 }, (_, i) => [`k${i}`, 1]))),
    ).toEqual(['holds more than 50000 values'])
  })

  it('reports the first 20 violations, each truncated, and the number of others', () => {
    const keys = Object.fromEntries(Array.from({ length: 45_000 }, (_, i) => [`${'k'.repeat(1_000)}${i}`, 1]))
    const told = [keys].map((input) => {
      try {
        return JSON.stringify(parsed(Thing, input))
      } catch (error) {
        return (error as Error).message
      }
    })[0]
    expect(told?.length).toBeLessThan(7_000)
    expect(told).toMatch(/; 4\d{4} more$/)
    expect(told?.split('; ')).toHaveLength(21)
  })

  it('does not inspect bytes', () => {
    expect(violationSentences(z.unknown(), { data: new Uint8Array(5_000_000) })).toEqual([])
  })
})
