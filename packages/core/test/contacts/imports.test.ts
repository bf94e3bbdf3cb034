import { type Core, createCore, type Scope } from '@posthorn/core'
import { fixedClock, inMemoryFiles, inMemoryPorts, portsKilledAtWrite, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import {
  canMoveImport,
  type Import,
  type ImportStateMove,
  importStateMoves,
  importStates,
  moveImport,
  newImport,
} from '../../src/contacts/imports/import.js'

const query = { limit: 30, skip: 0 }

const start = async () => {
  const clock = fixedClock()
  const files = inMemoryFiles(clock.now)
  const { ports, jobs } = inMemoryPorts({ clock, files })
  const core = createCore(ports)
  const { scope, list, account } = await sampleProject(core)
  return { core, ports, jobs, clock, files, scope, list, account, count: () => countOf(core, scope) }
}

const countOf = async (core: Core, scope: Scope) => (await core.contacts.list(scope, query)).count

const piecesOf = async function* (text: string | Uint8Array) {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += 50_000) yield bytes.subarray(from, from + 50_000)
}

const upload = async (core: Core, scope: Scope, text: string | Uint8Array) =>
  (await core.imports.create(scope, { file: await core.imports.receive(scope, 'people.csv', piecesOf(text)) }))._id

const plan = { columns: [{ field: 'email' }, { field: 'name' }], consent: 'Signed up at the fair' }

const people = (n: number, from = 0) =>
  `email,name\n${Array.from({ length: n }, (_, i) => `p${from + i}@example.com,Person ${from + i}`).join('\n')}\n`

const errorsOf = async (core: Core, scope: Scope, id: string) => {
  let text = ''
  for await (const chunk of await core.imports.errors(scope, id)) text += chunk
  return text
}

describe('an uploaded file', () => {
  it('shows its columns, the fields they name and the types of the others', async () => {
    const { core, scope } = await start()
    await core.customFields.create(scope, { name: 'city', type: 'string' })
    const id = await upload(core, scope, 'E-Mail;City;Shoe size;Joined\na@example.com;Wien;42;2026-01-06\n')
    expect(await core.imports.preview(scope, id, {})).toEqual({
      encoding: 'utf-8',
      columns: [
        { heading: 'E-Mail', field: 'email', newField: 'eMail', type: 'string' },
        { heading: 'City', field: 'city', newField: 'city', type: 'string' },
        { heading: 'Shoe size', field: null, newField: 'shoeSize', type: 'number' },
        { heading: 'Joined', field: null, newField: 'joined', type: 'date' },
      ],
      rows: [['a@example.com', 'Wien', '42', '2026-01-06']],
    })
  })

  it('is imported with new fields, onto a list', async () => {
    const { core, scope, list, jobs, files } = await start()
    const id = await upload(core, scope, 'mail,Shoe size,note\na@example.com,42,x\nb@example.com,,y\n')
    await core.imports.start(scope, id, {
      columns: [{ field: 'email' }, { field: 'Shoe size', type: 'number' }, { field: null }],
      subscriberListId: list._id,
      status: 'unverified',
      consent: 'Signed up at the fair',
    })
    expect(await core.imports.get(scope, id)).toMatchObject({ state: 'running', progress: 0 })
    await jobs.runDue()
    expect(await core.imports.get(scope, id)).toMatchObject({
      state: 'done',
      progress: 1,
      consent: 'Signed up at the fair',
      counts: { created: 2, updated: 0, unchanged: 0, failed: 0 },
    })
    expect(await core.contacts.get(scope, 'a@example.com')).toMatchObject({ shoeSize: 42, _lists: ['Readers'] })
    expect((await core.subscribers.get(scope, list._id, 'b@example.com')).status).toBe('unverified')
    expect(files.keys().filter((key) => key.startsWith('contact-imports'))).toEqual([])
  })

  it('is refused without rows to read, and keeps nothing then', async () => {
    const { core, scope, files } = await start()
    await expect(upload(core, scope, '')).rejects.toThrow('The file is empty.')
    const broken = async function* () {
      yield Buffer.alloc(3_000_000, 'a')
      throw new Error('the connection was lost')
    }
    await expect(core.imports.receive(scope, 'a.csv', broken())).rejects.toThrow('the connection was lost')
    expect(files.keys()).toEqual([])
  })

  it.each([
    ['a spreadsheet', Buffer.from('504b03041400060008000000210062ee9d685e010000', 'hex')],
    ['an image', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['an old spreadsheet', Buffer.from('d0cf11e0a1b11ae100000000', 'hex')],
    ['a PDF', Buffer.from('%PDF-1.7\n')],
  ])('is refused if it is %s, and not kept', async (_, bytes) => {
    const { core, scope, files } = await start()
    await expect(upload(core, scope, bytes)).rejects.toThrow('save it as CSV (UTF-8), and choose that file')
    expect(files.keys()).toEqual([])
  })

  it.each(['utf-8', 'utf16le'] as const)('may be text in %s', async (encoding) => {
    const { core, scope } = await start()
    const id = await upload(core, scope, Buffer.from(people(2_000), encoding))
    expect((await core.imports.preview(scope, id, {})).columns).toHaveLength(2)
  })

  it('is read in the encoding that was chosen', async () => {
    const { core, scope, jobs } = await start()
    const bytes = Buffer.concat([
      Buffer.from('email,name\na@example.com,Zoë Ünal\nb@example.com,J'),
      Buffer.from([0xfc]),
    ])
    const id = await upload(core, scope, bytes)
    expect((await core.imports.preview(scope, id, {})).damage).toEqual({ places: 1, firstLine: 3 })
    await expect(core.imports.start(scope, id, plan)).rejects.toThrow('the first in line 3. Choose an encoding.')
    await core.imports.start(scope, id, { ...plan, encoding: 'windows-1252' })
    await jobs.runDue()
    expect((await core.contacts.get(scope, 'b@example.com')).name).toBe('Jü')
  })

  it.each([
    ['too few columns', { columns: [{ field: 'email' }] }, 'columns: the file has 2 columns, got 1'],
    ['no address', { columns: [{ field: 'name' }, { field: null }] }, 'columns: no column has the field email'],
    ['an unknown field', { columns: [{ field: 'email' }, { field: 'city' }] }, 'the project has no field city'],
    ['a field twice', { columns: [{ field: 'email' }, { field: 'email' }] }, 'columns: email is named twice'],
    ['no consent', { consent: ' ' }, 'consent'],
    ['a list of another project', { subscriberListId: '000000000000000000000000' }, 'Subscriber list not found'],
  ])('is not started with %s', async (_, change, message) => {
    const { core, scope, jobs, count } = await start()
    const id = await upload(core, scope, people(1))
    await expect(core.imports.start(scope, id, { ...plan, ...change })).rejects.toThrow(message)
    expect((await core.imports.get(scope, id)).state).toBe('uploaded')
    await jobs.runDue()
    expect(await count()).toBe(0)
  })

  it('of another project is not found', async () => {
    const { core, account, scope } = await start()
    const id = await upload(core, scope, people(1))
    const other = await core.projects.create({ accountId: account._id, name: 'Other' })
    const theirs: Scope = { projectId: other._id, caller: 'api-key' }
    const asked = [
      core.imports.get(theirs, id),
      core.imports.preview(theirs, id, {}),
      core.imports.start(theirs, id, plan),
      core.imports.cancel(theirs, id),
      core.imports.errors(theirs, id),
      core.imports.failedRows(theirs, id),
    ]
    for (const one of await Promise.allSettled(asked))
      expect(one.status === 'rejected' && String(one.reason)).toContain('Import not found')
    expect((await core.imports.list(theirs, query)).count).toBe(0)
  })

  it('waits for at most ten others of the project, and a day for its start', async () => {
    const { core, scope, clock, files } = await start()
    for (let n = 0; n < 10; n += 1) await upload(core, scope, people(1))
    await expect(upload(core, scope, people(1))).rejects.toThrow('The project has 10 imports that are not done.')
    clock.advance(86_400_000 + 1)
    await core.imports.sweep()
    expect((await core.imports.list(scope, query)).items.map(({ state }) => state)).toEqual(Array(10).fill('cancelled'))
    expect(files.keys()).toEqual([])
  })
})

describe('a running import', () => {
  it('reports failed rows by line and reason, with their cells, without formulas', async () => {
    const { core, scope, jobs } = await start()
    const id = await upload(
      core,
      scope,
      'E-Mail;"Name;=1"\n=cmd|x;A\na@example.com;A\nb@example.com;B;C\nb@example.com;"B\nc@example.com;C\n',
    )
    await core.imports.start(scope, id, plan)
    await jobs.runDue()
    expect((await core.imports.get(scope, id)).counts).toEqual({ created: 2, updated: 0, unchanged: 0, failed: 3 })
    expect((await errorsOf(core, scope, id)).split('\n')).toEqual([
      `line,reason,E-Mail,"Name;'=1"`,
      expect.stringMatching(/^2,.*email.*,'=cmd\|x,A$/),
      '4,"The row has 3 cells, and the header has 2.",b@example.com,B,C',
      '5,The quotes of the row do not match.,"b@example.com;""B",',
      '',
    ])
    expect(await core.imports.failedRows(scope, id)).toEqual({
      headings: ['E-Mail', 'Name;=1'],
      items: [
        { line: 2, reason: expect.stringMatching(/email/), cells: ['=cmd|x', 'A'] },
        { line: 4, reason: 'The row has 3 cells, and the header has 2.', cells: ['b@example.com', 'B', 'C'] },
        { line: 5, reason: 'The quotes of the row do not match.', cells: ['b@example.com;"B', ''] },
      ],
    })
  })

  it('writes failed rows that can be mended and imported again', async () => {
    const { core, scope, jobs } = await start()
    const first = await upload(core, scope, 'email,name,note\na@example,"A, the ""first""",x\nb@example,B,y\n')
    const columns = [{ field: 'email' }, { field: 'name' }, { field: null }]
    await core.imports.start(scope, first, { ...plan, columns })
    await jobs.runDue()
    const mended = (await errorsOf(core, scope, first)).replace('a@example,', 'a@example.com,')
    const second = await upload(core, scope, mended)
    const preview = await core.imports.preview(scope, second, {})
    expect(preview.columns.map(({ field, newField }) => field ?? newField)).toEqual(['', '', 'email', 'name', 'note'])
    const ignored = [{ field: null }, { field: null }]
    await core.imports.start(scope, second, { ...plan, columns: [...ignored, ...columns] })
    await jobs.runDue()
    expect((await core.imports.get(scope, second)).counts).toMatchObject({ created: 1, failed: 1 })
    expect((await core.contacts.get(scope, 'a@example.com')).name).toBe('A, the "first"')
    expect((await errorsOf(core, scope, second)).split('\n')).toEqual([
      'line,reason,email,name,note',
      expect.stringMatching(/^3,.*,b@example,B,y$/),
      '',
    ])
  })

  it('leaves out the cells of failed rows that are too long, and says so', async () => {
    const { core, scope, jobs } = await start()
    const id = await upload(core, scope, `email,name\nnobody,${'x'.repeat(30_000)}\n`)
    await core.imports.start(scope, id, plan)
    await jobs.runDue()
    expect((await core.imports.failedRows(scope, id)).items).toEqual([
      { line: 2, reason: expect.stringMatching(/The row is too long to be repeated here\.$/), cells: [] },
    ])
  })

  it('shows the first twenty failed rows of many', async () => {
    const { core, scope, jobs } = await start()
    const id = await upload(core, scope, `email,name\n${'nobody,X\n'.repeat(3_000)}`)
    await core.imports.start(scope, id, plan)
    await jobs.runDue()
    const { items } = await core.imports.failedRows(scope, id)
    expect(items.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, n) => n + 2))
  })

  it('takes ten thousand rows in batches, and a repetition changes nothing', async () => {
    const { core, scope, jobs, count } = await start()
    for (const counts of [
      { created: 10_000, updated: 0, unchanged: 0, failed: 0 },
      { created: 0, updated: 0, unchanged: 10_000, failed: 0 },
    ]) {
      const id = await upload(core, scope, people(10_000))
      await core.imports.start(scope, id, plan)
      await jobs.runDue()
      expect(await core.imports.get(scope, id)).toMatchObject({ state: 'done', counts })
    }
    expect(await count()).toBe(10_000)
  })

  it('takes turns with another one, in runs of twenty thousand rows', async () => {
    const { core, scope, jobs, count } = await start()
    const ids = [await upload(core, scope, people(25_000)), await upload(core, scope, people(10, 25_000))]
    for (const id of ids) await core.imports.start(scope, id, plan)
    await jobs.runDue()
    const states = async () => (await Promise.all(ids.map((id) => core.imports.get(scope, id)))).map((one) => one.state)
    expect(await states()).toEqual(['running', 'done'])
    await jobs.runDue()
    expect(await states()).toEqual(['done', 'done'])
    expect(await count()).toBe(25_010)
  })

  it('stops at a batch when it is cancelled, and keeps what it has imported', async () => {
    const { core, ports, scope, jobs, count } = await start()
    const id = await upload(core, scope, people(10_000))
    await core.imports.start(scope, id, plan)
    let batches = 0
    const slower = createCore({
      ...ports,
      membershipStore: {
        ...ports.membershipStore,
        upsertMembers: async (members) => {
          batches += 1
          if (batches === 5) await core.imports.cancel(scope, id)
          return ports.membershipStore.upsertMembers(members)
        },
      },
    })
    await jobs.runDue()
    const { state, counts } = await slower.imports.get(scope, id)
    expect(state).toBe('cancelled')
    expect(counts.created).toBeGreaterThan(0)
    expect(counts.created).toBeLessThan(await count())
    expect(await count()).toBeLessThan(10_000)
    await expect(core.imports.cancel(scope, id)).rejects.toThrow('The import has ended already.')
    await expect(core.imports.start(scope, id, plan)).rejects.toThrow('started or cancelled already')
  })

  it('fails with the reason if its list is deleted', async () => {
    const { core, scope, list, jobs } = await start()
    const id = await upload(core, scope, people(10))
    await core.imports.start(scope, id, { ...plan, subscriberListId: list._id })
    await core.subscriberLists.remove(scope, list._id)
    await jobs.runDue()
    expect(await core.imports.get(scope, id)).toMatchObject({
      state: 'failed',
      errorMessage: 'Subscriber list not found',
    })
  })

  it('loses the list of failed rows after thirty days', async () => {
    const { core, scope, jobs, clock } = await start()
    const id = await upload(core, scope, 'email,name\nnobody,A\n')
    await core.imports.start(scope, id, plan)
    await jobs.runDue()
    clock.advance(31 * 86_400_000)
    await core.imports.sweep()
    await expect(core.imports.errors(scope, id)).rejects.toThrow('deleted after 30 days')
    await expect(core.imports.failedRows(scope, id)).rejects.toThrow('deleted after 30 days')
  })
})

describe('an import whose process is killed', () => {
  const rows = 4_000
  const file = `${people(rows)}nobody,X\n`

  it.each(['before', 'after'] as const)('%s any of its writes is finished by another, once', async (when) => {
    let kills = 0
    for (let wasKilled = true; wasKilled; ) {
      const { core, ports, scope, jobs, clock, count } = await start()
      const id = await upload(core, scope, file)
      await core.imports.start(scope, id, plan)
      const { settings, ...others } = ports
      createCore({ ...portsKilledAtWrite(others, kills + 1, when), settings })
      await jobs.runDue()
      wasKilled = jobs.failures.length > 0
      if (wasKilled) kills += 1
      const next = createCore(ports)
      clock.advance(120_000)
      await next.imports.sweep()
      await jobs.runDue()
      const { state, counts } = await next.imports.get(scope, id)
      expect([state, counts.failed, await count()]).toEqual(['done', 1, rows])
      expect(counts.created + counts.unchanged).toBe(rows)
      expect((await errorsOf(next, scope, id)).split('\n')).toHaveLength(3)
    }
    expect(kills).toBeGreaterThan(8)
  })

  it('before the job was planned is planned by the maintenance', async () => {
    const { core, ports, scope, jobs, clock, count } = await start()
    const id = await upload(core, scope, people(3))
    const forgetful = createCore({ ...ports, jobs: { ...ports.jobs, at: () => Promise.reject(new Error('killed')) } })
    await expect(forgetful.imports.start(scope, id, plan)).rejects.toThrow('killed')
    await createCore(ports).imports.sweep()
    await jobs.runDue()
    expect(await count()).toBe(0)
    clock.advance(60_001)
    await createCore(ports).imports.sweep()
    await jobs.runDue()
    expect(await count()).toBe(3)
  })
})

describe('the states of an import', () => {
  const moves = Object.keys(importStateMoves) as ImportStateMove[]
  const inState = (state: Import['state']): Import => ({
    ...newImport({ _id: 'a', projectId: 'p', fileName: 'a.csv', size: 1 }, 'now'),
    state,
  })

  it('change by the table, and in no other way', () => {
    for (const state of importStates)
      for (const move of moves) {
        const one = inState(state)
        const { from, to } = importStateMoves[move]
        const allowed = (from as readonly string[]).includes(state)
        expect(canMoveImport(one, move)).toBe(allowed)
        const after = moveImport(one, move, 'later')
        expect([after.state, after === one]).toEqual(allowed ? [to, false] : [state, true])
      }
  })

  it('end with the time of their end', () => {
    expect(moveImport(inState('running'), 'finish', 'later').finishedAt).toBe('later')
    expect(moveImport(inState('uploaded'), 'start', 'later').finishedAt).toBeUndefined()
  })
})
