import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { startProgram } from '../server-process.js'
import { thorough } from '../thorough.js'

const main = join(import.meta.dirname, 'main.ts')
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href

const runBench = (...args: readonly string[]) =>
  startProgram(['--import', loader, '--conditions=@posthorn/source', main, ...args], {}).ended

const number = expect.any(Number)
const recipients = 250
const measured = { recipients, rate: number, cpuMicros: number, peakRssMb: number }
const answered = { ...measured, unit: 'requests', p50: number, p95: number, p99: number, bareRate: null, ratio: null }
const sent = { ...measured, unit: 'mails', bareRate: number, ratio: number, p50: number, p99: number }
const loaded = { recipients, rate: number, unit: 'pages', p50: number, p95: number, cpuMicros: null, peakRssMb: null }

const allRows = [
  { name: 'import', ...measured, unit: 'rows' },
  { name: 'campaign-smtp', ...sent },
  { name: 'campaign-smtp-tracked', ...sent },
  { name: 'campaign-ses', ...sent },
  { name: 'transactional', ...answered },
  { name: 'batch', ...sent },
  { name: 'batch-accepted', ...sent },
  { name: 'contacts', ...answered },
  { name: 'contacts-bulk', ...sent, unit: 'rows' },
  { name: 'segment-count', ...answered },
  { name: 'contact-list', ...answered },
  { name: 'contact-list-by-segment', ...answered },
  { name: 'console-load', ...loaded },
  { name: 'console-load-home', ...loaded },
]

it(`the bench measures ${thorough ? 'every row' : 'a campaign'} and answers in JSON`, async () => {
  const { code, stdout, stderr } = await runBench(
    '--json',
    '--recipients',
    String(recipients),
    ...(thorough ? [] : ['--only', 'campaign-smtp']),
  )
  expect(stderr.split('\n').filter((line) => line.includes('Error'))).toEqual([])
  expect(code).toBe(0)
  const { rows, ...run } = JSON.parse(stdout) as { readonly rows: readonly { readonly name: string }[] }
  expect(run).toEqual({
    store: 'sqlite',
    mailer: 'smtp',
    recipients,
    node: process.version,
    cores: number,
    load: number,
  })
  expect(rows).toMatchObject(allRows.filter(({ name }) => thorough || name === 'campaign-smtp'))
}, 300_000)

it('the bench names its existing rows', async () => {
  const { code, stderr } = await runBench('--only', 'campaign')
  expect(code).toBe(2)
  expect(stderr).toContain('--only: expected one of import, campaign-smtp, campaign-smtp-tracked, campaign-ses,')
})
