import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { expect } from 'vitest'
import {
  projectOf,
  type RunningServer,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
} from '../../../../tests/server-process.js'
import { startRelay } from './relay.js'

/** Contacts of the campaign. */
export const recipients = 800

/**
 * Server processes, each with a data directory of its own as on a machine of its own, that share a database, a secret and a relay.
 * Mails leave slowly enough for something to happen meanwhile.
 */
export const startFleet = async (url: string) => {
  const relay = await startRelay()
  const data = temporaryDirectory()
  const running: RunningServer[] = []
  const client = new MongoClient(url)
  const deliveries = client.db().collection('deliveries')
  let started = 0

  const environment = (): Record<string, string> => {
    started += 1
    return {
      MONGODB_URL: url,
      SMTP_URL: relay.url,
      POSTHORN_PUBLIC_URL: 'https://mail.example.com',
      POSTHORN_DATA_DIR: join(data.path, String(started)),
      POSTHORN_SECRET: 'a secret that all of these share',
      POSTHORN_MAIL_RATE: '150',
      POSTHORN_LOG_LEVEL: 'warn',
    }
  }

  const start = async (role: 'api' | 'worker') => {
    const own = environment()
    const server = await startBuiltServer(own.POSTHORN_DATA_DIR ?? '', { ...own, POSTHORN_ROLES: role })
    running.push(server)
    return server
  }

  const command = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runCommand([...args, '--json'], environment())
    if (code !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`)
    return JSON.parse(stdout)
  }

  return {
    relay,
    start,
    command,

    /** Has a project in production and its contacts on the list. */
    prepare: async (api: RunningServer) => {
      const project = projectOf(api)
      await command('access', 'approve', project.project)
      const file = join(data.path, 'people.csv')
      const rows = Array.from({ length: recipients }, (_, n) => `person${n}@example.com,Person ${n}`)
      writeFileSync(file, ['email,name', ...rows, ''].join('\n'))
      expect(await command('contacts', 'import', file, '--list', project.list)).toMatchObject({ created: recipients })
      return project
    },

    /** How many deliveries these processes, or all, have claimed and not recorded an outcome of. */
    inFlight: (...processes: readonly RunningServer[]) =>
      deliveries.countDocuments({
        status: 'sending',
        ...(processes.length > 0 && {
          worker: { $in: processes.map(({ child }) => new RegExp(`:${child.pid}:[0-9a-f]+$`)) },
        }),
      }),

    close: async () => {
      await Promise.all(running.map((server) => stopServer(server, 'SIGKILL')))
      await client.close()
      await relay.close()
      data.remove()
    },
  }
}
export type Fleet = Awaited<ReturnType<typeof startFleet>>

/** A campaign to everybody, whose time is past. */
export const campaignTo = (list: string) => ({
  name: 'Interrupted',
  subject: 'For {{contact.name}}',
  type: 'text',
  document: 'Hello {{contact.name}}',
  timeZone: 'UTC',
  subscriberListId: list,
  status: 'scheduled',
  scheduledTo: '2020-01-01T00:00:00Z',
})

/** Waits for what may take as long as leases, elections and the sweep that runs every minute. @throws Error after four minutes */
export const eventually = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (const until = performance.now() + 240_000; performance.now() < until; ) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('It did not come about within four minutes')
}
