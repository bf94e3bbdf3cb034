import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'

const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href

const runBench = async (...args: readonly string[]) => {
  const child = spawn(
    process.execPath,
    ['--import', loader, '--conditions=@posthorn/source', 'tests/bench/main.ts', ...args],
    { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const code = await new Promise<number | null>((done) => child.once('close', done))
  return { code, stdout, stderr }
}

const number = expect.any(Number)
const measured = { recipients: 250, rate: number, cpuMicros: number, peakRssMb: number }
const answered = { ...measured, unit: 'requests', p50: number, p95: number, p99: number, bareRate: null, ratio: null }
const sent = { ...measured, unit: 'mails', bareRate: number, ratio: number, p50: number, p99: number }

it('the bench measures every row and answers in JSON', async () => {
  const { code, stdout, stderr } = await runBench('--json', '--recipients', '250')
  expect(stderr.split('\n').filter((line) => line.includes('Error'))).toEqual([])
  expect(code).toBe(0)
  const { rows, ...run } = JSON.parse(stdout) as { readonly rows: readonly { readonly name: string }[] }
  expect(run).toEqual({
    store: 'sqlite',
    mailer: 'smtp',
    recipients: 250,
    node: process.version,
    cores: number,
    load: number,
  })
  expect(rows).toMatchObject([
    { name: 'import', ...measured, unit: 'rows' },
    { name: 'campaign-smtp', ...sent },
    { name: 'campaign-smtp-tracked', ...sent },
    { name: 'campaign-ses', ...sent },
    { name: 'transactional', ...answered },
    { name: 'contacts', ...answered },
    { name: 'segment-count', ...answered },
    { name: 'contact-list', ...answered },
    { name: 'contact-list-by-segment', ...answered },
  ])
}, 120_000)

it('the bench names the rows that there are', async () => {
  const { code, stderr } = await runBench('--only', 'campaign')
  expect(code).toBe(2)
  expect(stderr).toContain('--only: expected one of import, campaign-smtp, campaign-smtp-tracked, campaign-ses,')
})
