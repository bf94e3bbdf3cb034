import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { htmlToPlainText, mjmlRenderer, type SandboxProcessesOptions, sandboxProcesses } from '../../src/index.js'

const opened: { close: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

const opening = (options?: SandboxProcessesOptions) => {
  const processes = sandboxProcesses(options)
  opened.push(processes)
  return processes
}

const documentOf = (content: string) => ({
  tagName: 'mjml',
  children: [{ tagName: 'mj-body', children: [{ tagName: 'mj-raw', content }] }],
})
/** mjml-core looks for the end of each of these, and there is none: minutes of work. */
const endless = documentOf('<!--[if a]>'.repeat(90_000))

const workingParent = fileURLToPath(new URL('working-parent.ts', import.meta.url))

const lineOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
/** Those processes of that one in which work is done. */
const workersOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .map(Number)
    .filter((child) => lineOf(child).includes('sandbox/host.js'))

const settled = (asked: Promise<unknown>, note: () => void) => asked.then(note, note)

describe('a project’s hostile work', () => {
  // With two processes nobody waits for the deadline.
  it.each([
    [2, 50_000],
    [1, 3_000],
  ])('delays others by at most one deadline, with %i processes', async (processes, milliseconds) => {
    const render = mjmlRenderer(opening({ processes, milliseconds }), 'https://mail.example.com/icons')
    await Promise.all(['one', 'another'].map((projectId) => render(documentOf('warm'), projectId)))
    const order: string[] = []
    const hostile = Array.from({ length: 12 }, () => settled(render(endless, 'hostile'), () => order.push('hostile')))
    const other = Array.from({ length: 5 }, () =>
      settled(render(documentOf('fine'), 'other'), () => order.push('other')),
    )
    await Promise.all(other)
    expect(order.filter((who) => who === 'hostile').length).toBeLessThanOrEqual(processes === 2 ? 0 : 1)
    await Promise.all(opened.splice(0).map((one) => one.close()))
    await Promise.all(hostile)
  })

  it('of two projects of one account leaves a process to others', async () => {
    const processes = opening({ milliseconds: 50_000, accountOf: async (projectId) => projectId.slice(0, 1) })
    const render = mjmlRenderer(processes, 'https://mail.example.com/icons')
    const hostile = Promise.allSettled(['a1', 'a2'].map((projectId) => render(endless, projectId)))
    expect(await render(documentOf('fine'), 'b1')).toContain('fine')
    await processes.close()
    await hostile
  })

  it('is refused above the queue limit, with advice', async () => {
    const render = mjmlRenderer(opening(), 'https://mail.example.com/icons')
    const asked = Array.from({ length: 52 }, () => render(endless, 'hostile').catch((error: Error) => error))
    const refused = await asked[51]
    expect(refused).toMatchObject({
      kind: 'busy',
      message: 'Too much work of this account is waiting. Please try again in a minute.',
    })
    expect(await render(documentOf('fine'), 'other')).toContain('fine')
    await Promise.all(opened.splice(0).map((one) => one.close()))
    const rest = await Promise.all(asked)
    expect(rest.every((one) => one instanceof Error)).toBe(true)
  })
})

describe('work in a sandbox process', () => {
  it('is ended at its deadline, and the next continues', async () => {
    const processes = opening({ milliseconds: 2_000 })
    const render = mjmlRenderer(processes, 'https://mail.example.com/icons')
    await expect(render(endless, 'a')).rejects.toThrow('it takes longer than 2000 ms')
    expect(await render(documentOf('fine'), 'a')).toContain('fine')
  })

  it('is ended if it takes too much memory, without affecting others', async () => {
    const processes = opening({ milliseconds: 60_000, memoryMb: 64 })
    const render = mjmlRenderer(processes, 'https://mail.example.com/icons')
    const font = { tagName: 'mj-all', attributes: { 'font-family': 'x'.repeat(100_000) } }
    const atOnce = {
      tagName: 'mjml',
      children: [
        { tagName: 'mj-head', children: [{ tagName: 'mj-attributes', children: [font] }] },
        { tagName: 'mj-body', children: Array(3_000).fill({ tagName: 'mj-text', content: 'a' }) },
      ],
    }
    await expect(render(atOnce, 'a')).rejects.toThrow('it takes too much memory')
    await expect(htmlToPlainText(processes)('<p>a'.repeat(500_000), 'a')).rejects.toThrow('it takes too much memory')
    expect(await render(documentOf('fine'), 'a')).toContain('fine')
  })

  it('leaves no core dump when aborted', async () => {
    const before = workersOf(process.pid)
    await mjmlRenderer(opening(), 'https://mail.example.com/icons')(documentOf('fine'), 'a')
    const [working] = workersOf(process.pid).filter((pid) => !before.includes(pid))
    expect(Number.parseInt(readFileSync(`/proc/${working}/coredump_filter`, 'utf8'), 16)).toBe(0)
  })

  it('is repeated by another process if the first is killed before or during it', async () => {
    const processes = opening()
    const render = mjmlRenderer(processes, 'https://mail.example.com/icons')
    const before = workersOf(process.pid)
    await render(documentOf('warm'), 'a')
    const own = () => workersOf(process.pid).filter((pid) => !before.includes(pid))
    process.kill(own()[0] ?? 0, 'SIGKILL')
    expect(await render(documentOf('fine'), 'a')).toContain('fine')
    const long = htmlToPlainText(processes)('<p>a'.repeat(60_000), 'a')
    await new Promise((resolve) => setTimeout(resolve, 50))
    for (const pid of own()) process.kill(pid, 'SIGKILL')
    expect(await long).toContain('a')
  })

  it('ends if its parent ended before it listened', async () => {
    const host = fileURLToPath(new URL('../../src/sandbox/host.js', import.meta.url))
    const [code] = await once(spawn(process.execPath, [host, '64'], { stdio: 'ignore' }), 'close')
    expect(code).toBe(0)
  })

  it('ends with its parent, however that ended', async () => {
    const node = ['--conditions=@posthorn/source', '--import', 'tsx', workingParent]
    const parent = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(parent.stdout, 'data')
    const [working = 0, ...others] = workersOf(parent.pid ?? 0)
    expect([lineOf(working), others]).toEqual([expect.stringContaining('host.js'), []])
    parent.kill('SIGKILL')
    await vi.waitUntil(() => !lineOf(working).includes('host.js'), { timeout: 30_000 })
  })

  it('continues when a terminal interrupts all processes', async () => {
    const render = mjmlRenderer(opening(), 'https://mail.example.com/icons')
    const before = workersOf(process.pid)
    await render(documentOf('warm'), 'a')
    const working = workersOf(process.pid).filter((pid) => !before.includes(pid))
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(working[0] ?? 0, signal)
    expect(await render(documentOf('fine'), 'a')).toContain('fine')
    expect(workersOf(process.pid)).toEqual(expect.arrayContaining(working))
  })

  it('is refused before it begins if its input is too large, with the limit', async () => {
    const text = htmlToPlainText(opening())
    await expect(text('x'.repeat(6_000_001), 'a')).rejects.toMatchObject({
      kind: 'blocked',
      message: 'The HTML cannot be converted to plain text: it has more than 6000000 characters',
    })
  })

  it('reports nesting that is too deep', async () => {
    const text = htmlToPlainText(opening())
    await expect(text('<div>'.repeat(20_000), 'a')).rejects.toThrow('it is nested too deeply')
    expect(await text('<p>fine</p>', 'a')).toBe('fine')
  })

  it('does not begin after the processes are closed, and fails waiting callers', async () => {
    const processes = opening()
    const render = mjmlRenderer(processes, 'https://mail.example.com/icons')
    const asked = [1, 2, 3].map(() => render(endless, 'a').catch((error: { kind: string }) => error.kind))
    const before = workersOf(process.pid)
    await processes.close()
    expect(await Promise.all(asked)).toEqual(['busy', 'busy', 'busy'])
    expect(workersOf(process.pid)).toEqual(before)
    await expect(render(endless, 'a')).rejects.toMatchObject({ kind: 'busy' })
  })
})

describe('plain text', () => {
  it('has links as text and URL, and nothing of the head', async () => {
    const text = htmlToPlainText(opening())
    const html =
      '<html><head><title>No</title><style>p{}</style></head>before<body><h1>Yes</h1><a href="https://x.org/">x</a></body></html>'
    expect(await text(html, 'a')).toBe('before\n\nYes\n\nx (https://x.org/)')
  })
})
