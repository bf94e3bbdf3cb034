import type { Result } from './row.js'

const whole = (value: number) => Math.round(value).toLocaleString('en')
const fine = (value: number) => (value >= 100 ? whole(value) : value.toFixed(value >= 10 ? 1 : 2))
const orNothing = (value: number | null, shown: (value: number) => string) => (value === null ? '' : shown(value))

const units = {
  mails: '/s',
  requests: '/s',
  rows: '/s',
  pages: '/s',
  'commands per 1,000 mails': ' per 1,000',
} as const

const moreOf = (more: Result['more']): string =>
  Object.entries(more)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? whole(value) : value}`)
    .join(', ')

const cellsOf = (result: Result): readonly string[] => [
  result.name,
  whole(result.recipients),
  `${fine(result.rate)}${units[result.unit]}`,
  orNothing(result.bareRate, whole),
  orNothing(result.ratio, (ratio) => ratio.toFixed(3)),
  orNothing(result.p50, fine),
  orNothing(result.p95, fine),
  orNothing(result.p99, fine),
  orNothing(result.cpuMicros, whole),
  orNothing(result.peakRssMb, whole),
  moreOf(result.more),
]

const heads = ['Row', 'Contacts', 'Rate', 'Bare', 'Of bare', 'p50 ms', 'p95 ms', 'p99 ms', 'CPU µs', 'Peak MB', 'More']

/** A result on one line. */
export const line = (result: Result): string =>
  cellsOf(result)
    .map((cell, i) => (cell === '' || i < 1 ? cell : `${heads[i]?.toLowerCase()} ${cell}`))
    .filter((cell) => cell !== '')
    .join('; ')

/** The results as a table in Markdown. */
export const table = (results: readonly Result[]): string =>
  [heads, heads.map(() => '---'), ...results.map(cellsOf)].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** Campaigns to lists of different sizes side by side: rate and memory against the size. Nothing where there is one size alone. */
export const bySize = (results: readonly Result[]): string => {
  const campaigns = results
    .filter(({ name }) => /^(campaign-smtp|memory-|list-size-)/.test(name))
    .sort((a, b) => a.recipients - b.recipients)
  const sizes = new Set(campaigns.map(({ recipients }) => recipients))
  if (sizes.size < 2) return ''
  const cells = [
    ['Contacts', ...campaigns.map(({ recipients }) => whole(recipients))],
    ['---', ...campaigns.map(() => '---')],
    ['Mails a second', ...campaigns.map(({ rate }) => whole(rate))],
    ['Peak MB', ...campaigns.map(({ peakRssMb }) => orNothing(peakRssMb, whole))],
    ['CPU µs a mail', ...campaigns.map(({ cpuMicros }) => orNothing(cpuMicros, whole))],
  ]
  return `\n${cells.map((row) => `| ${row.join(' | ')} |`).join('\n')}`
}
