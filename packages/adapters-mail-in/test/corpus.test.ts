import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { corpus, type Labelled, labelOf } from '../../../tests/corpora/bounces/bounces.js'
import { type ClassifiedReturnedMail, readReturned } from '../src/index.js'

type Read = Labelled & { readonly returned: ClassifiedReturnedMail }

let all: readonly Read[] = []
beforeAll(async () => {
  all = await Promise.all(corpus.map(async (one) => ({ ...one, returned: await readReturned(one.raw, one.to) })))
})

const misread = () => all.filter(({ label, returned }) => labelOf(returned) !== label)

describe('the corpus', () => {
  it('has at least 120 labelled messages', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(120)
    const files = readdirSync(join(import.meta.dirname, '../../../tests/corpora/bounces')).filter((name) =>
      name.endsWith('.eml'),
    )
    expect(corpus.map(({ name }) => `${name}.eml`).toSorted()).toEqual(files.toSorted())
  })

  it('is classified correctly for at least 95 of 100', () => {
    const wrong = misread().map(({ name, label, returned }) => `${name}: ${labelOf(returned)}, not ${label}`)
    const share = (100 * (all.length - wrong.length)) / all.length
    process.stdout.write(
      `${all.length - wrong.length} of ${all.length} messages understood, ${share.toFixed(1)} %\n${wrong.map((line) => `  ${line}\n`).join('')}`,
    )
    expect(share).toBeGreaterThanOrEqual(95)
  })

  it('has its misclassified messages in the documentation', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../docs/bounces.md'), 'utf8')
    const listed = [...text.matchAll(/^\| `([\w.-]+)` \|/gm)].map(([, name = '']) => name)
    expect(listed.toSorted()).toEqual(
      misread()
        .map(({ name }) => name)
        .toSorted(),
    )
    expect(text).toContain(`${all.length - misread().length} of ${all.length}`)
  })

  it('yields no false permanent bounce', () => {
    expect(misread().filter(({ returned }) => labelOf(returned) === 'permanent')).toEqual([])
  })

  it('yields no false complaint or unsubscribe', () => {
    expect(misread().filter(({ returned }) => ['complaint', 'unsubscribe'].includes(labelOf(returned)))).toEqual([])
  })

  it('yields the statuses of its reports', () => {
    const wrong = all.flatMap(({ name, status, label, returned }) => {
      if (returned.kind !== 'delivery-status' || labelOf(returned) !== label || status === '-') return []
      return returned.status === status ? [] : [`${name}: ${returned.status}, not ${status}`]
    })
    expect(wrong).toEqual([])
  })

  it('yields the reported mail of each feedback report', () => {
    const without = all.filter(({ returned }) => returned.kind === 'feedback' && returned.references.length === 0)
    expect(without.map(({ name }) => name)).toEqual([])
  })
})
