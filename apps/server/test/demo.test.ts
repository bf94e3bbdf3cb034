import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { countMails, runCommand, startCommand, temporaryDirectory, until } from '../../../tests/server-process.js'
import { commandsIn } from './terminal.js'

let data = temporaryDirectory()
afterEach(() => {
  data.remove()
  data = temporaryDirectory()
})
const environment = () => ({ POSTHORN_DATA_DIR: data.path, PORT: '0' })
const demo = async (...args: string[]) => {
  const { code, stdout, stderr } = await runCommand(['demo', '--exit', '--json', ...args], environment())
  return { code, stderr, told: JSON.parse(stdout) }
}

describe('posthorn demo', () => {
  it('sends everybody a personalised mail, and starts over the next time', async () => {
    const first = await demo('--contacts', '20')
    expect(first).toMatchObject({ code: 0, told: { status: 'sent', deliveries: { sent: 20, failed: 0 } } })
    expect(countMails(join(data.path, 'demo'))).toBe(20)
    const second = await demo('--contacts', '5')
    expect(second.told).toMatchObject({ status: 'sent', deliveries: { sent: 5 } })
    expect(second.told.campaignId).not.toBe(first.told.campaignId)
    expect(countMails(join(data.path, 'demo'))).toBe(5)
    expect(existsSync(join(data.path, 'posthorn.db'))).toBe(false)
  })

  it('sends through a simulated Amazon SES, and records its bounces', async () => {
    const { code, told } = await demo('--contacts', '100', '--mailer', 'ses')
    expect(code).toBe(0)
    expect(told).toMatchObject({
      status: 'sent',
      deliveries: { sent: 100, failed: 0 },
      ses: { mails: 100, bounces: 2 },
    })
    expect(countMails(join(data.path, 'demo'))).toBe(0)
    const list = commandsIn(join(data.path, 'demo'))
    expect(JSON.parse((await list('suppression', 'list', '--json')).stdout)).toHaveLength(2)
  })

  it('continues the campaign of an interrupted demo', async () => {
    const n = 1_500
    // It would take thirty seconds: there is a middle on the fastest machine, and on one that has no time for this process meanwhile.
    const paced = { ...environment(), POSTHORN_MAIL_RATE: String(n / 30) }
    const interrupted = startCommand(['demo', '--contacts', String(n)], paced)
    await until(() => countMails(join(data.path, 'demo')) > 50)
    interrupted.child.kill('SIGKILL')
    await interrupted.ended
    expect(countMails(join(data.path, 'demo'))).toBeLessThan(n)
    const { code, told } = await demo('--contacts', '5')
    expect(code).toBe(0)
    expect(told).toMatchObject({ status: 'sent', deliveries: { sent: n, failed: 0, uncertain: 0 } })
    expect(told).not.toHaveProperty('key')
  }, 120_000)

  it('uses another port if its own is taken, and prints how to continue', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    const running = startCommand(['demo', '--contacts', '3'], { ...environment(), PORT: String(port) })
    let printed = ''
    running.child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    await until(() => printed.includes('npm start'))
    const dataDir = join(data.path, 'demo')
    const lines = printed.split('\n').filter((line) => /^(?:export|curl) /.test(line))
    expect(lines.map((line) => line.split('=')[0])).toEqual([
      'export POSTHORN',
      'export PROJECT',
      'export CAMPAIGN',
      'export KEY',
      expect.stringContaining('curl -s'),
    ])
    const { stdout } = await promisify(execFile)('bash', ['-c', lines.join('\n')])
    expect(JSON.parse(stdout)).toMatchObject({ status: 200, result: { sent: 3 } })
    expect(printed).toContain(`\nPOSTHORN_DATA_DIR=${dataDir} npm start\n`)
    const [, base, token] = /^(http:\S+)\/console\/link#(\S+)$/m.exec(printed) ?? []
    const signedIn = await fetch(`${base}/console/api/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token }),
    })
    expect(await signedIn.json()).toMatchObject({ result: { projects: [{ role: 'owner' }] } })
    const second = await runCommand(['demo', '--exit', '--contacts', '3'], environment())
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Another demo or server uses ${dataDir}.`),
    })
    running.child.kill('SIGTERM')
    await running.ended
    const [, project = ''] = /PROJECT=(\w+)/.exec(printed) ?? []
    const [, campaign = ''] = /CAMPAIGN=(\w+)/.exec(printed) ?? []
    const report = await commandsIn('/nowhere')('--data', dataDir, 'campaign', 'report', campaign)
    expect(report.stdout).toMatch(/^sent +3 \(/m)
    expect((await commandsIn(dataDir)('project', 'list')).stdout).toContain(project)
    taken.close()
  })

  it('rejects an invalid number of contacts', async () => {
    expect(await runCommand(['demo', '--contacts', '0'], environment())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Expected a whole number from 1 to 1000000.'),
    })
  })
})
