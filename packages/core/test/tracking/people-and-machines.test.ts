import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LabelledHit, type RequestSequence, requestSequences } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { settlesAfter, verdictOf } from '../../src/tracking/machines.js'

/** Each hit as it is judged once it has settled. */
const judged = ({ name, deliveredAt, hits }: RequestSequence) =>
  hits.map((hit, i) => {
    const known = Date.parse(hit.at) + settlesAfter
    const later = hits.slice(i + 1).filter(({ at }) => Date.parse(at) <= known)
    return { name, hit, verdict: verdictOf(hit, { deliveredAt, earlier: hits.slice(0, i), later }) }
  })

const all = requestSequences.flatMap(judged)
const count = (holds: (one: (typeof all)[number]) => boolean) => all.filter(holds).length

/** Of what is taken for a machine's, how much is; of what is a machine's, how much is taken for it. */
const measured = (kinds: readonly LabelledHit['kind'][]) => {
  const of = kinds.includes.bind(kinds)
  const right = count(({ hit, verdict }) => of(hit.kind) && verdict.by === 'machine' && hit.by === 'machine')
  const taken = count(({ hit, verdict }) => of(hit.kind) && verdict.by === 'machine')
  const machines = count(({ hit }) => of(hit.kind) && hit.by === 'machine')
  const people = count(({ hit }) => of(hit.kind) && hit.by === 'person')
  return { machines, people, right, taken, precision: (100 * right) / taken, recall: (100 * right) / machines }
}

const row = (title: string, kinds: readonly LabelledHit['kind'][]) => {
  const { machines, people, right, taken, precision, recall } = measured(kinds)
  return `| ${title} | ${people} | ${machines} | ${precision.toFixed(1)} % (${right} of ${taken}) | ${recall.toFixed(1)} % (${right} of ${machines}) |`
}
const rows = [row('opens', ['open']), row('clicks', ['click']), row('all', ['open', 'click', 'trap'])]

const misread = requestSequences.filter((one) => judged(one).some(({ hit, verdict }) => hit.by !== verdict.by))

describe('the labelled sequences of requests', () => {
  const names = requestSequences.map(({ name }) => name)

  it('are 60 at least, of people, machines and both', () => {
    const parties = requestSequences.map(({ hits }) => new Set(hits.map(({ by }) => by)))
    expect(parties).toContainEqual(new Set(['machine']))
    expect(parties).toContainEqual(new Set(['person']))
    expect(parties).toContainEqual(new Set(['machine', 'person']))
    expect(names.length).toBeGreaterThanOrEqual(60)
    expect(new Set(names).size).toBe(names.length)
  })

  it('are told apart: precision and recall of machines', () => {
    process.stdout.write(`${rows.join('\n')}\n${misread.map(({ name, what }) => `  ${name}: ${what}\n`).join('')}`)
    const { precision, recall } = measured(['open', 'click', 'trap'])
    expect(precision).toBeGreaterThanOrEqual(95)
    expect(recall).toBeGreaterThanOrEqual(90)
  })

  it('use every reason', () => {
    const reasons = all.flatMap(({ verdict }) => (verdict.by === 'machine' ? [verdict.reason] : []))
    expect(new Set(reasons)).toEqual(new Set(['agent', 'burst', 'head', 'image-proxy', 'prefetch', 'too-soon', 'trap']))
  })

  const documentation = readFileSync(join(import.meta.dirname, '../../../../docs/tracking.md'), 'utf8')
  const text = documentation.split('## People and machines')[1]?.split('\n## ')[0] ?? ''

  it('have the measured figures in the documentation', () => {
    for (const one of rows) expect(text).toContain(one)
    expect(text).toContain(`${requestSequences.length} sequences with ${all.length} requests`)
    expect(text).toContain(`${requestSequences.length - misread.length} sequences are read without an error`)
  })

  it('have what is misread in the documentation', () => {
    const [, table = ''] = text.split('without an error')
    const listed = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name = '']) => name)
    expect(new Set(listed)).toEqual(new Set(misread.map(({ name }) => name)))
  })
})
