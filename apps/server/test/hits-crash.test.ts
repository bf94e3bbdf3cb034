import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  projectOf,
  type RunningServer,
  readMails,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'

const hits = 1_000
const atOnce = 20

let data = temporaryDirectory()
let running: RunningServer[] = []
afterEach(async () => {
  for (const server of running) await stopServer(server, 'SIGKILL')
  running = []
  data.remove()
  data = temporaryDirectory()
})

const start = async () => {
  const server = await startBuiltServer(data.path)
  running.push(server)
  return server
}

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

const ask = async ({ base }: RunningServer, path: string, userAgent: string) => {
  const response = await fetch(base + path, { redirect: 'manual', headers: { 'user-agent': userAgent } })
  await response.arrayBuffer()
  return response.status
}

/** A server that has sent mails with links, and what they ask for. */
const sentMails = async (mails: number) => {
  const first = await start()
  const project = projectOf(first)
  await runCommand(['access', 'approve', project.project], { POSTHORN_DATA_DIR: data.path })
  const { _id } = await project.post('/transactional-emails', {
    name: 'Order',
    subject: 'Order',
    type: 'html',
    document: '<body><a href="https://shop.example.com/">Shop</a></body>',
  })
  for (let n = 0; n < mails; n += 1)
    await project.post('/send-transactional', { transactionalId: _id, email: `buyer${n}@example.com` })
  await until(async () => (await readMails(data.path)).length === mails)
  const pathOf = (html: string | undefined, kind: string) =>
    new RegExp(`"http://[^/"]+(/${kind}/[^"]+)"`).exec(html ?? '')?.[1] ?? ''
  const sent = await readMails(data.path)
  const links = sent.map(({ html }) => pathOf(html, 'c'))
  const ids = { project: project.project, list: project.list }
  const totals = async (server: RunningServer) => {
    const stats = await projectOf(server, ids).get(`/transactional-emails/${_id}/stats?timeZone=UTC`)
    return stats as unknown as Readonly<Record<string, number>>
  }
  return { first, links, totals }
}

const filesLeft = () => {
  const directory = join(data.path, 'hits')
  return existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.hits')) : []
}

describe('a server that is killed right after answering 1,000 link requests', () => {
  it('counts each once after the next start, even if that one is killed while recording them', async () => {
    const { first, links, totals } = await sentMails(atOnce)
    for (let n = 0; n < hits; n += atOnce) {
      const asked = links.map((path, i) => ask(first, path, i % 2 === 0 ? browser : `curl/8.${n}`))
      expect(new Set(await Promise.all(asked))).toEqual(new Set([302]))
    }
    await stopServer(first, 'SIGKILL')
    expect(filesLeft().length).toBeGreaterThan(0)
    const second = await start()
    await until(async () => (await totals(second)).machineClicks !== 0)
    await stopServer(second, 'SIGKILL')
    const third = await start()
    const recorded = async () => {
      const { clicks = 0, machineClicks = 0 } = await totals(third)
      return clicks + machineClicks
    }
    await until(async () => (await recorded()) >= hits)
    await stopServer(third)
    const fourth = await start()
    const { clicks = 0, machineClicks = 0, uniqueClicks } = await totals(fourth)
    expect([clicks + machineClicks, uniqueClicks]).toEqual([hits, clicks > 0 ? uniqueClicks : 0])
    await stopServer(fourth)
    expect(filesLeft()).toEqual([])
  }, 180_000)
})
