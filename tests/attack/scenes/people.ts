import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { asTenant } from '../client.js'
import { rest, type Scene, type Stage, settled, unless } from '../scene.js'

const outboxFiles = ({ target }: Stage): readonly string[] =>
  readdirSync(join(target.dataDir, 'outbox'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.eml'))
    .map((name) => join(target.dataDir, 'outbox', name))

/** The text, and whatever is said in it in quoted-printable, percent encoding or base64. */
const readings = (text: string): string => {
  const plain = text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const decoded = plain.replace(/%([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const hidden = [...plain.matchAll(/[\w-]{16,}/g)].map(([part]) => Buffer.from(part, 'base64url').toString('latin1'))
  return [text, plain, decoded, ...hidden].join('\n')
}

const tagsOf = async (tenant: Stage['asAttacker']): Promise<number> => {
  const { text } = await tenant.get('/contacts/tags?limit=1')
  return (JSON.parse(text) as { readonly result: { readonly count: number } }).result.count
}

/** What is about people: whose mail says what, and who is written to. */
export const peopleScenes: readonly Scene[] = [
  {
    name: 'the ids of project and account, looked for in mails',
    run: async (stage) => {
      const { asAttacker, attacker } = stage
      const list = await asAttacker.made('/subscriber-lists', { name: 'Few' })
      await asAttacker.post(`/subscriber-lists/${list}/subscribers`, { email: 'few@example.com' })
      const campaign = await asAttacker.made('/campaigns', {
        name: 'Links',
        subject: 'Links',
        type: 'html',
        document: '<a href="{{unsubscribeLink}}">a</a> <a href="{{pauseSubscriptionLink}}">b</a>',
        subscriberListId: list,
        timeZone: 'UTC',
        status: 'scheduled',
        scheduledTo: '2020-01-01T00:00:00Z',
      })
      const status = await settled(stage, campaign)
      const mails = outboxFiles(stage)
        .map((file) => readFileSync(file, 'latin1'))
        .filter((text) => text.includes('few@example.com'))
      return [
        ...unless(status === 'sent' && mails.length > 0, `the campaign is ${status}, ${mails.length} mails`),
        ...unless(
          !mails.some((mail) => readings(mail).includes(attacker.projectId)),
          'a mail shows the id of its project',
        ),
        ...unless(
          !mails.some((mail) => readings(mail).includes(attacker.accountId)),
          'a mail shows the id of its account',
        ),
      ]
    },
  },
  {
    name: 'eighty confirmations to one person, by leaving and joining again',
    run: async (stage) => {
      const { asAttacker, client, attacker } = stage
      await asAttacker.patch('', { whiteList: ['shop.example'] })
      const emailId = await asAttacker.made('/transactional-emails', {
        name: 'Confirm',
        subject: 'Confirm',
        type: 'html',
        document: '<a href="{{verifyLink}}">Confirm</a>',
      })
      const list = await asAttacker.made('/subscriber-lists', {
        name: 'Confirmed',
        doubleOptIn: { active: true, emailId },
      })
      const headers = { origin: 'https://shop.example' }
      for (let times = 0; times < stage.size(80, 20); times += 1) {
        await client.ask('POST', `/v1/subscriber-lists/${list}`, { headers, body: { email: 'person@example.com' } })
        await client.ask('PATCH', `/v1/subscriber-lists/${list}/person%40example.com`, {
          headers,
          body: { status: 'unsubscribed' },
        })
        if (times % 10 === 0)
          await client.ask('DELETE', `/v1/projectId/${attacker.projectId}/contacts/person%40example.com`, { headers })
      }
      await rest(stage.size(3000, 500))
      const mails = outboxFiles(stage).filter((file) =>
        readFileSync(file, 'latin1').includes('person@example.com'),
      ).length
      return unless(mails <= 5, `${mails} mails were sent to one person`)
    },
  },
  {
    name: 'somebody else’s address, confirmed by changing one’s own',
    run: async (stage) => {
      const { asAttacker, client } = stage
      const emailId = await asAttacker.made('/transactional-emails', {
        name: 'Confirm',
        subject: 'Confirm',
        type: 'html',
        document: '<a href="{{verifyLink}}">Confirm</a>',
      })
      const list = await asAttacker.made('/subscriber-lists', { name: 'Owned', doubleOptIn: { active: true, emailId } })
      await asAttacker.patch('', { whiteList: ['shop.example'] })
      await asAttacker.post(`/subscriber-lists/${list}/subscribers`, { email: 'mine@example.com', status: 'active' })
      const headers = { origin: 'https://shop.example' }
      await client.ask('PATCH', `/v1/subscriber-lists/${list}/mine%40example.com`, {
        headers,
        body: { email: 'victim@example.com' },
      })
      await client.ask('PATCH', `/v1/subscriber-lists/${list}/victim%40example.com`, {
        headers,
        body: { status: 'active' },
      })
      const { result } = await asAttacker.get(`/subscriber-lists/${list}/subscribers/victim%40example.com`)
      const { status = 'none' } = (result ?? {}) as { readonly status?: string }
      return unless(status !== 'active', `the other address is ${status}`)
    },
  },
  {
    name: 'tags by the hundred, created by a visitor who may only subscribe',
    run: async ({ asAttacker, client, size }) => {
      const list = await asAttacker.made('/subscriber-lists', { name: 'Tagged', signupForm: { showCaptcha: false } })
      await asAttacker.patch('', { whiteList: ['shop.example'], browserAccess: 'subscribe-only' })
      const headers = { origin: 'https://shop.example' }
      const before = await tagsOf(asAttacker)
      const statuses = await Promise.all(
        Array.from({ length: size(100, 20) }, async (_, n) => {
          const tags = Array.from({ length: 500 }, (_none, tag) => `visitor ${n} ${tag}`)
          const body = { email: `tagged${n}@example.com`, tags }
          return (await client.ask('POST', `/v1/subscriber-lists/${list}`, { headers, body })).status
        }),
      )
      const created = (await tagsOf(asAttacker)) - before
      await asAttacker.patch('', { browserAccess: 'full' })
      return [
        ...unless(created === 0, `a visitor created ${created} tags`),
        ...unless(
          statuses.every((status) => status === 400),
          `the answers were ${[...new Set(statuses)].join(', ')} instead of 400`,
        ),
      ]
    },
  },
  {
    name: 'custom fields by the thousand, and contacts that are read by them',
    run: async ({ target, client, attacker, asAttacker, size }) => {
      // A project of its own: removing 500 fields would sweep the attacker's 100,000 contacts 500 times.
      const asSister = asTenant(client, await target.project(attacker.accountId, 'Fields'))
      const fields = Array.from({ length: size(2000, 600) }, (_, n) => ({ name: `field ${n} x`, type: 'string' }))
      const created: number[] = []
      for (let from = 0; from < fields.length; from += 20) {
        const some = fields.slice(from, from + 20).map((field) => asSister.post('/contacts/fields', field))
        created.push(...(await Promise.all(some)).map(({ status }) => status))
      }
      const made = created.filter((status) => status === 201)
      const contacts = await Promise.all(
        Array.from({ length: size(400, 50) }, (_, n) =>
          asSister.post('/contacts', { email: `many-fields${n}@example.com`, field0X: 'x' }),
        ),
      )
      // Removing a field sweeps all contacts of its project.
      const removed = fields.slice(0, size(10, 3))
      await Promise.all(removed.map((field) => asAttacker.post('/contacts/fields', field)))
      await Promise.all(removed.map((_, n) => asAttacker.remove(`/contacts/fields/field${n}X`)))
      return [
        ...unless(made.length > 0 && made.length <= 500, `${made.length} custom fields were created`),
        ...unless(
          created.every((status) => status === 201 || status === 400),
          `the answers were ${[...new Set(created)].join(', ')}`,
        ),
        ...unless(
          contacts.every(({ status }) => status === 201),
          `contacts were answered ${[...new Set(contacts.map(({ status }) => status))].join(', ')}`,
        ),
      ]
    },
  },
  {
    name: 'a data directory that others on the machine could read',
    run: async ({ target }) => {
      const files = ['.', ...readdirSync(target.dataDir, { recursive: true }).map(String)]
      const open = files.filter((name) => (statSync(join(target.dataDir, name)).mode & 0o077) !== 0)
      return unless(open.length === 0, `${open.length} files and directories, such as ${open[0]}, are open to others`)
    },
  },
]
