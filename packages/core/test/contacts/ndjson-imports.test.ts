import { createCore } from '@posthorn/core'
import { fixedClock, inMemoryFiles, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const start = async () => {
  const clock = fixedClock()
  const files = inMemoryFiles(clock.now)
  const { ports, jobs } = inMemoryPorts({ clock, files })
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core)
  await core.customFields.create(scope, { name: 'age', type: 'number' })
  const upload = async (text: string | Uint8Array) => {
    const source = async function* () {
      const bytes = Buffer.from(text)
      for (let from = 0; from < bytes.length; from += 50_000) yield bytes.subarray(from, from + 50_000)
    }
    return (await core.imports.create(scope, { file: await core.imports.receive(scope, 'people.ndjson', source()) }))
      ._id
  }
  const errors = async (id: string) => {
    let text = ''
    for await (const chunk of await core.imports.errors(scope, id)) text += chunk
    return text.trim().split('\n').slice(1)
  }
  const run = async (id: string, columns: readonly { field: string | null }[]) => {
    await core.imports.start(scope, id, { columns: [...columns], consent: 'c', subscriberListId: list._id })
    await jobs.runDue()
    return core.imports.get(scope, id)
  }
  return { core, scope, upload, run, errors }
}

const lines = (...rows: readonly unknown[]) =>
  rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n')

describe('an NDJSON file', () => {
  it('shows the keys of its rows as columns', async () => {
    const { core, scope, upload } = await start()
    const id = await upload(
      `\ufeff\n${lines({ 'E-Mail': 'a@example.com', AGE: 36 }, { 'E-Mail': 'b@example.com', tags: ['x', 'y'], vip: true })}\n`,
    )
    expect(await core.imports.preview(scope, id, {})).toEqual({
      encoding: 'utf-8',
      columns: [
        { heading: 'E-Mail', field: 'email', newField: 'eMail', type: 'string' },
        { heading: 'AGE', field: 'age', newField: 'age', type: 'number' },
        { heading: 'tags', field: 'tags', newField: 'tags', type: 'string' },
        { heading: 'vip', field: null, newField: 'vip', type: 'boolean' },
      ],
      rows: [
        ['a@example.com', '36', '', ''],
        ['b@example.com', '', 'x, y', 'true'],
      ],
    })
  })

  it('is imported row by row, and what cannot be is listed with its line', async () => {
    const { core, scope, upload, run, errors } = await start()
    const id = await upload(
      lines(
        { mail: 'a@example.com', age: 36, tags: ['VIP', 'b'] },
        { mail: 'b@example.com', age: '37', tags: 'x; y' },
        '',
        '{"mail":"c@example.com"',
        [1],
        { mail: 'd@example.com', age: 'old' },
        { mail: 'e@example.com', tags: [1] },
        { mail: 'A@example.com', age: null, note: 'ignored' },
        { mail: 5 },
        'null',
        JSON.parse('{"mail":"f@example.com"}'),
      ),
    )
    const columns = [{ field: 'email' }, { field: 'age' }, { field: 'tags' }, { field: null }]
    expect(await run(id, columns)).toMatchObject({
      state: 'done',
      progress: 1,
      counts: { created: 3, updated: 0, unchanged: 1, failed: 6 },
    })
    expect(await core.contacts.get(scope, 'a@example.com')).toMatchObject({
      age: 36,
      tags: ['vip', 'b'],
      _lists: ['Readers'],
    })
    expect(await core.contacts.get(scope, 'b@example.com')).toMatchObject({ age: 37, tags: ['x', 'y'] })
    expect(await errors(id)).toEqual([
      expect.stringMatching(/^4,The row is not valid JSON\.,"{""mail""/),
      expect.stringMatching(/^5,The row is not a JSON object\.,\[1\],/),
      expect.stringMatching(/^6,.*age: expected a number.*,d@example.com,/),
      expect.stringMatching(/^7,.*tags.*,e@example.com,/),
      expect.stringMatching(/^9,.*,5,/),
      expect.stringMatching(/^10,The row is not a JSON object\.,null,/),
    ])
  })

  it('with a key that its first 1,000 rows lack has a failed row', async () => {
    const { upload, run, errors } = await start()
    const rows = Array.from({ length: 1_001 }, (_, n) => ({
      email: `p${n}@example.com`,
      ...(n === 1_000 && { late: 1 }),
    }))
    const id = await upload(lines(...rows))
    expect((await run(id, [{ field: 'email' }])).counts).toEqual({
      created: 1_000,
      updated: 0,
      unchanged: 0,
      failed: 1,
    })
    expect(await errors(id)).toEqual(['1001,The first 1000 rows have no field late.,p1000@example.com'])
  })

  it('is refused with more than 1,000 different keys, and bounded by line', async () => {
    const { core, scope, upload, run, errors } = await start()
    const wide = await upload(lines(Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`k${n}`, n]))))
    await expect(core.imports.preview(scope, wide, {})).rejects.toThrow('more than 1000 different fields')
    await core.imports.cancel(scope, wide)
    const long = await upload(
      `{"email":"a@example.com"}\n{"email":"${'x'.repeat(1_100_000)}"}\n{"email":"b@example.com"}\n`,
    )
    expect((await run(long, [{ field: 'email' }])).counts).toMatchObject({ created: 2, failed: 1 })
    expect(await errors(long)).toEqual([
      expect.stringMatching(/^2,The row has more than 1048576 characters\.,"{""email"":""x{100}/),
    ])
  })

  it('nested deeper than any stack has failed rows, in every column', async () => {
    const { core, scope, upload, run, errors } = await start()
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const objects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const id = await upload(
      [`{"email":${deep},"age":1}`, `{"email":"a@example.com","age":${deep}}`, `{"email":${objects},"age":2}`].join(
        '\n',
      ),
    )
    expect((await core.imports.preview(scope, id, {})).rows).toEqual([
      ['[…]', '1'],
      ['a@example.com', '[…]'],
      ['{…}', '2'],
    ])
    expect((await run(id, [{ field: 'email' }, { field: 'age' }])).counts).toMatchObject({ created: 0, failed: 3 })
    expect(await errors(id)).toHaveLength(3)
  })
})
