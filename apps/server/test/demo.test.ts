import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { countMails, runCommand, startCommand, temporaryDirectory, until } from './running-server.js'

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
  it('sends everybody a personalised mail, and begins anew the next time', async () => {
    const first = await demo('--contacts', '20')
    expect(first).toMatchObject({ code: 0, told: { status: 'sent', deliveries: { sent: 20, failed: 0 } } })
    expect(countMails(join(data.path, 'demo'))).toBe(20)
    const second = await demo('--contacts', '5')
    expect(second.told).toMatchObject({ status: 'sent', deliveries: { sent: 5 } })
    expect(second.told.campaignId).not.toBe(first.told.campaignId)
    expect(countMails(join(data.path, 'demo'))).toBe(5)
    expect(existsSync(join(data.path, 'posthorn.db'))).toBe(false)
  })

  it('goes on with the campaign of a demo that was interrupted', async () => {
    const n = 1_500
    const interrupted = startCommand(['demo', '--contacts', String(n)], environment())
    await until(() => countMails(join(data.path, 'demo')) > 50)
    interrupted.child.kill('SIGKILL')
    await interrupted.ended
    expect(countMails(join(data.path, 'demo'))).toBeLessThan(n)
    const { code, told } = await demo('--contacts', '5')
    expect(code).toBe(0)
    expect(told).toMatchObject({ status: 'sent', deliveries: { sent: n, failed: 0, uncertain: 0 } })
    expect(told).not.toHaveProperty('key')
  }, 120_000)

  it('takes no number of contacts that is none', async () => {
    expect(await runCommand(['demo', '--contacts', '0'], environment())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Expected a whole number from 1 to 1000000.'),
    })
  })
})
