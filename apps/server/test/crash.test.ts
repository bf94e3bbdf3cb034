import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  countMails,
  projectOf,
  readMails,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'
import { thorough } from '../../../tests/thorough.js'

const recipients = thorough ? 2_000 : 400

let data = temporaryDirectory()
afterEach(() => {
  data.remove()
  data = temporaryDirectory()
})

/** Starts a campaign, ends the server by the signal in the middle, and starts another on the same data. */
const interrupted = async (signal: NodeJS.Signals) => {
  // The first server would need twenty seconds, so that the signal comes before the end on any machine.
  const first = await startBuiltServer(data.path, { POSTHORN_MAIL_RATE: String(recipients / 20) })
  const project = projectOf(first)
  const cli = { POSTHORN_DATA_DIR: data.path }
  await runCommand(['access', 'approve', project.project], cli)
  const file = join(data.path, 'people.csv')
  writeFileSync(
    file,
    `email,name\n${Array.from({ length: recipients }, (_, n) => `person${n}@example.com,Person ${n}`).join('\n')}\n`,
  )
  const imported = await runCommand(['contacts', 'import', file, '--list', project.list, '--json'], cli)
  expect(JSON.parse(imported.stdout)).toMatchObject({ created: recipients, failed: 0 })
  const campaign = await project.post('/campaigns', {
    name: 'Interrupted',
    subject: 'For {{contact.name}}',
    type: 'text',
    document: 'Hello {{contact.name}}',
    timeZone: 'UTC',
    subscriberListId: project.list,
    status: 'scheduled',
    scheduledTo: '2020-01-01T00:00:00Z',
  })
  await until(() => countMails(data.path) > recipients / 20)
  const code = await stopServer(first, signal)
  const before = countMails(data.path)
  const second = await startBuiltServer(data.path)
  const again = projectOf(second, { project: project.project, list: project.list })
  await until(async () => (await again.get(`/campaigns/${campaign._id}`)).status === 'sent')
  await stopServer(second)
  const status = JSON.parse((await runCommand(['campaign', 'status', campaign._id ?? '', '--json'], cli)).stdout)
  return { code, before, status }
}

const endings = [
  ['SIGKILL', null],
  ['SIGTERM', 0],
] as const

describe.each(thorough ? endings : endings.slice(0, 1))(
  'a server that is stopped by %s in the middle of a campaign',
  (signal, exitCode) => {
    it('has sent to everyone once after a restart, as the ledger confirms', async () => {
      const { code, before, status } = await interrupted(signal)
      expect(code).toBe(exitCode)
      expect(before).toBeLessThan(recipients)
      expect(status).toMatchObject({
        status: 'sent',
        deliveries: { sent: recipients, failed: 0, queued: 0, sending: 0, uncertain: 0, excluded: 0 },
      })
      const addresses = (await readMails(data.path)).map(({ to }) => to?.[0]?.address)
      expect(addresses).toHaveLength(recipients)
      expect(new Set(addresses).size).toBe(recipients)
    }, 180_000)
  },
)
