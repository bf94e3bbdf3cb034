import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import { afterAll, describe, expect, it } from 'vitest'
import { openCommandContext } from '../../src/cli/open-command-context.js'
import { commandsIn, inJson } from '../terminal.js'
import { exportPlace, startProject } from './migrations.js'

const place = exportPlace()
afterAll(() => place.remove())

const contents = async ({
  lists,
  fields,
  suppressions,
  contactCount,
  transactional,
  campaigns,
}: Awaited<ReturnType<typeof startProject>>) => ({
  lists: await lists(),
  fields: await fields(),
  suppressions: await suppressions(),
  contacts: await contactCount(),
  transactional: (await transactional()).length,
  campaigns: (await campaigns()).length,
})

describe('a dry run', () => {
  it('reports what the run then does, and writes nothing, not even files', async () => {
    const project = await startProject()
    const before = await contents(project)
    const path = place.copy('mailchimp')
    const { value, text } = await project.migrate('mailchimp', path, { dryRun: true })
    expect(await contents(project)).toEqual(before)
    expect([existsSync(`${path}.errors.csv`), existsSync(`${path}.import.json`)]).toEqual([false, false])
    expect(text).toContain('Nothing was written.')
    const { done, dryRun, ...planned } = (await project.migrate('mailchimp', path)).value
    expect({ ...planned, dryRun: true }).toEqual(value)
    expect([dryRun, done?.contacts.failed]).toEqual([false, value.problems.count])
  })
})

describe('a migration', () => {
  it('that is repeated changes nothing', async () => {
    const project = await startProject()
    for (const system of ['mailchimp', 'sendgrid', 'mailjet', 'keila'] as const) {
      const path = place.copy(system)
      await project.migrate(system, path)
      const after = await contents(project)
      const { value } = await project.migrate(system, path)
      expect(await contents(project)).toEqual(after)
      expect(value.done?.contacts).toMatchObject({ created: 0 })
      expect(value.done?.suppressions.created).toBe(0)
      expect(value.lists.map(({ isNew }) => isNew)).not.toContain(true)
    }
  })

  it('leaves memberships that exist as they are', async () => {
    const project = await startProject()
    const path = place.copy('mailchimp')
    await project.migrate('mailchimp', path)
    const { items } = await project.core.subscriberLists.list(project.scope, {
      skip: 0,
      limit: 10,
      filter: { name: 'Mailchimp' },
    })
    const list = items[0]?._id ?? ''
    await project.core.subscribers.update(project.scope, list, 'ada@example.com', { status: 'unsubscribed' })
    await project.migrate('mailchimp', path)
    expect(await project.subscriptions('ada@example.com')).toMatchObject({ Mailchimp: { status: 'unsubscribed' } })
  })

  it('whose store fails exits with 75, counts no row as failed, and continues behind the last step', async () => {
    let [isDown, isMended] = [false, false]
    const project = await startProject((ports) => ({
      ...ports,
      membershipStore: {
        ...ports.membershipStore,
        upsertMembers: async (upserts) => {
          isDown ||= upserts.some(({ contact }) => contact?.email === 'p1200@example.com')
          if (isDown && !isMended) return upserts.map(() => new StoreUnavailable(new Error('too slow')))
          return ports.membershipStore.upsertMembers(upserts)
        },
      },
    }))
    const rows = Array.from({ length: 1500 }, (_, n) => `p${n}@example.com,P,active`)
    const path = place.write({ 'contacts.csv': `Email,First name,Status\nbroken,x,active\n${rows.join('\n')}\n` })
    await expect(project.migrate('keila', path)).rejects.toMatchObject({
      name: 'CommandFailure',
      exitCode: 75,
      message: expect.stringMatching(/because the store failed.*\nRun the same command again/),
    })
    expect(existsSync(`${path}.errors.csv`)).toBe(true)

    isMended = true
    const { value } = await project.migrate('keila', path)
    expect(value.done?.contacts).toEqual({ created: 1500, updated: 0, unchanged: 0, failed: 1 })
    expect(project.notes).toEqual(['Going on after item 1000 of 1502'])
    expect(await project.contactCount()).toBe(1500)
  })

  it('writes failed rows with file, line and reason to a file that guards against formulas', async () => {
    const project = await startProject()
    const path = place.write({ 'contacts.csv': 'Email,Status\n=cmd@x,active\nada@example.com,active\n"open,active\n' })
    const { value } = await project.migrate('keila', path)
    expect(value.done?.errors).toBe(`${path}.errors.csv`)
    expect(readFileSync(`${path}.errors.csv`, 'utf8')).toBe(
      "item,error,file,line,address\n2,Invalid email format,contacts.csv,2,'=cmd@x\n4,The quotes of the row do not match.,contacts.csv,4,\n",
    )
    expect(existsSync(`${path}.import.json`)).toBe(false)
  })

  it('uses fields that exist, whatever their spelling, and renames those whose names are reserved', async () => {
    const project = await startProject()
    await project.core.customFields.create(project.scope, { name: 'shoe size', type: 'string' })
    const path = place.write({
      'contacts.csv': 'Email,Shoe Size,Created,STATUS,email\nx@example.com,38,2024-01-01,active,\n',
      'campaigns.json': '[]',
    })
    const data = '{"status":"x","email":"y","Name":"z","2nd":1,"日本":"k","shoe_size":"40"}'
    writeFileSync(join(path, 'more.json'), `{"data":[{"email":"y@example.com","data":${data}}]}`)
    const { value } = await project.migrate('keila', path)
    expect(value.fields.map(({ name, source, isNew }) => [name, source, isNew])).toEqual([
      ['shoeSize', 'Shoe Size', false],
      ['created', 'Created', true],
      ['keilaStatus', 'status', true],
      ['keilaEmail', 'email', true],
      ['keilaName', 'Name', true],
      ['keila2nd', '2nd', true],
      ['keilaField', '日本', true],
      ['shoeSize2', 'shoe_size', true],
    ])
    expect(await project.contact('y@example.com')).toMatchObject({ keilaName: 'z', shoeSize2: 40, keilaField: 'k' })
  })

  it.each([
    ['a missing file', () => '/nowhere/export.sql', /There is no file or directory/],
    ['an empty directory', () => emptyDirectory(), /has no files/],
    ['a zip archive', () => place.write({ 'audience.zip': Buffer.from('504b0304', 'hex') }), /zip archive. Unpack it/],
    [
      'a file of another kind',
      () => place.write({ 'photo.png': 'x' }),
      /no export of Mailchimp. Expected the unpacked export/,
    ],
    [
      'a table without addresses',
      () => place.write({ 'subscribed_x.csv': 'Name\nAda\n' }),
      /has no column "Email Address"/,
    ],
    [
      'mixed encodings',
      () =>
        place.write({
          'subscribed_x.csv': Buffer.concat([Buffer.from('Email Address,Ä\nzö, ß ü\n'), Buffer.from([0xe4, 0x0a])]),
        }),
      /is UTF-8 but for \d+ places, the first in line 3\. Correct them/,
    ],
  ])('from %s says what was expected', async (_, path, message) => {
    const project = await startProject()
    await expect(project.migrate('mailchimp', path())).rejects.toMatchObject({
      name: 'Refusal',
      message: expect.stringMatching(message),
    })
    expect(await project.lists()).toEqual(['Readers'])
  })
})

const emptyDirectory = () => {
  const path = join(place.path, 'empty')
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path)
  return path
}

describe('the command', () => {
  it('migrates into a store on disk and answers in JSON', async () => {
    const data = join(place.path, 'data')
    const run = commandsIn(data)
    const json = inJson(run)
    await run('store', 'create')
    const { _id: account } = await json('account', 'create', 'Acme')
    const { _id: project } = await json('project', 'create', account, 'Shop')
    const path = join(place.copy('listmonk'), 'listmonk.sql')
    const dry = await json('migrate-from', 'listmonk', path, '--project', project, '--dry-run')
    const { done, ...wet } = await json('migrate-from', 'listmonk', path, '--project', project)
    expect({ ...wet, dryRun: true }).toEqual(dry)
    expect(done).toMatchObject({
      contacts: { created: 9, updated: 0, unchanged: 0, failed: 2 },
      suppressions: { created: 4, existing: 0 },
      errors: `${path}.errors.csv`,
    })
    expect(await json('suppression', 'list', '--project', project)).toHaveLength(4)
    const { core, close } = await openCommandContext({ POSTHORN_DATA_DIR: data })
    const scope = { projectId: project, caller: 'operator' } as const
    const { items } = await core.subscriptions.list(scope, 'ada@example.com', { skip: 0, limit: 10 })
    await close()
    expect(
      items.map(({ status, joinedAt, changedAt, consent }) => [status, joinedAt, changedAt, consent]),
    ).toContainEqual([
      'unsubscribed',
      '2021-03-04T10:11:12.000Z',
      '2021-06-01T00:00:00.000Z',
      'listmonk: unsubscribed, added on 2021-03-04T10:11:12.000Z',
    ])
  })

  it('knows no other systems', async () => {
    const { code, stderr } = await commandsIn(place.path)('migrate-from', 'other', 'x.csv')
    expect([code, stderr]).toEqual([2, expect.stringContaining('Allowed choices are listmonk, mailchimp')])
  })
})
