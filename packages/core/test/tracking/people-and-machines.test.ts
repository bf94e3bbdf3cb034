import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  heldOutSequences,
  type LabelledHit,
  type RequestSequence,
  requestSequences,
} from '../../../../tests/corpora/requests/index.js'
import { hitVerdictOf, hitVerdictSettleTime } from '../../src/tracking/classification.js'

/** Each hit as it is judged once it has settled. */
const judged = ({ name, deliveredAt, hits }: RequestSequence) =>
  hits.map((hit, i) => {
    const known = Date.parse(hit.at) + hitVerdictSettleTime[hit.kind]
    const later = hits.slice(i + 1).filter(({ at }) => Date.parse(at) <= known)
    return { name, hit, verdict: hitVerdictOf(hit, { deliveredAt, earlier: hits.slice(0, i), later }) }
  })

const kindsOf = { opens: ['open'], clicks: ['click'], all: ['open', 'click', 'trap'] } as const

/** Precision: how many verdicts "person" are right. Recall: how many requests of people get that verdict. */
const measured = (corpus: readonly RequestSequence[], kinds: readonly LabelledHit['kind'][]) => {
  const some = corpus.flatMap(judged).filter(({ hit }) => kinds.includes(hit.kind))
  const people = some.filter(({ hit }) => hit.by === 'person').length
  const taken = some.filter(({ verdict }) => verdict.by === 'person')
  const right = taken.filter(({ hit }) => hit.by === 'person').length
  const share = (of: number) => `${((100 * right) / of).toFixed(1)} % (${right} of ${of})`
  return {
    precision: (100 * right) / taken.length,
    recall: (100 * right) / people,
    row: `${people} | ${some.length - people} | ${share(taken.length)} | ${share(people)} |`,
  }
}

const misreadIn = (corpus: readonly RequestSequence[]) =>
  corpus.filter((one) => judged(one).some(({ hit, verdict }) => hit.by !== verdict.by))

const rowsOf = (title: string, corpus: readonly RequestSequence[]) =>
  Object.entries(kindsOf).map(([kind, kinds]) => `| ${title}, ${kind} | ${measured(corpus, kinds).row}`)

const corpora = [
  ['first', requestSequences],
  ['held out', heldOutSequences],
] as const

const documentation = readFileSync(join(import.meta.dirname, '../../../../docs/tracking.md'), 'utf8')
const text = documentation.split('## People and machines')[1]?.split('\n## ')[0] ?? ''

describe.each(corpora)('the labelled hit sequences, %s', (title, corpus) => {
  const names = corpus.map(({ name }) => name)

  it('are at least 60, of people, machines and both', () => {
    const parties = corpus.map(({ hits }) => new Set(hits.map(({ by }) => by)))
    expect(parties).toContainEqual(new Set(['machine']))
    expect(parties).toContainEqual(new Set(['person']))
    expect(parties).toContainEqual(new Set(['machine', 'person']))
    expect(names.length).toBeGreaterThanOrEqual(60)
    expect(new Set(names).size).toBe(names.length)
  })

  it('have their measured figures in the documentation', () => {
    const misread = misreadIn(corpus)
    process.stdout.write(
      `${rowsOf(title, corpus).join('\n')}\n${misread.map(({ name, what }) => `  ${name}: ${what}\n`).join('')}`,
    )
    for (const one of rowsOf(title, corpus)) expect(text).toContain(one)
    expect(text).toContain(`${corpus.length} sequences with ${corpus.flatMap(({ hits }) => hits).length} requests`)
  })
})

describe('the labelled hit sequences', () => {
  it('find people with 95 % precision and recall on sequences that the rules were not made on', () => {
    const { precision, recall } = measured(heldOutSequences, kindsOf.all)
    expect(precision).toBeGreaterThanOrEqual(95)
    expect(recall).toBeGreaterThanOrEqual(95)
  })

  it('use every reason', () => {
    const reasons = requestSequences
      .flatMap(judged)
      .flatMap(({ verdict }) => (verdict.by === 'machine' ? [verdict.reason] : []))
    expect(new Set(reasons)).toEqual(new Set(['agent', 'burst', 'head', 'image-proxy', 'prefetch', 'too-soon', 'trap']))
  })

  it('have their misclassified ones in the documentation', () => {
    const [, table = ''] = text.split('These sequences are misread:')
    const listed = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name = '']) => name)
    const misread = corpora.flatMap(([, corpus]) => misreadIn(corpus)).map(({ name }) => name)
    expect(new Set(listed)).toEqual(new Set(misread))
  })
})
