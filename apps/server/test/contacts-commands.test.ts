import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCommand, temporaryDirectory } from '../../../tests/server-process.js'
import { commandsIn, inJson } from './terminal.js'

const data = temporaryDirectory()
afterAll(() => data.remove())

const run = commandsIn(data.path)
const json = inJson(run)

let [account, files] = ['', 0]
beforeAll(async () => {
  await run('store', 'create')
  account = (await json('account', 'create', 'Acme'))._id
})
const fileOf = (text: string, name = 'csv') => {
  files += 1
  const path = join(data.path, `${files}.${name}`)
  writeFileSync(path, text)
  return path
}
const project = async () => (await json('project', 'create', account, 'Shop'))._id as string

describe('the columns of an import', () => {
  it('are shortened in messages if there are many', async () => {
    const headings = Array.from({ length: 900 }, (_, i) => `c${i}`).join(',')
    const { stderr } = await run('contacts', 'import', fileOf(`email,${headings}\n`), '--project', await project())
    expect(stderr).toContain('\n… and 880 more\n')
    expect(stderr.split('\n')).toHaveLength(24)
  })

  const people =
    'E-Mail,Plan,Shoe size,Joined,Zip,Note\nada@example.com,pro,38,2026-01-06,01099,x\nbob@example.com,,41.5,,10115,\n'

  it('without a field are proposed with a field and type, and nothing is imported', async () => {
    const id = await project()
    expect(await run('contacts', 'import', fileOf(people), '--project', id)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: The project has no field for these columns:
  "Plan": would be plan, a string
  "Shoe size": would be shoeSize, a number
  "Joined": would be joined, a date
  "Zip": would be zip, a string
  "Note": would be note, a string
Make the fields (--create-fields), say which they are (--map "Plan=<field>"), or pass them over (--ignore "Plan").
`,
    })
    expect(await json('field', 'list', '--project', id)).toEqual([])
  })

  it('become fields, are mapped or ignored by the options', async () => {
    const id = await project()
    await run('field', 'create', 'tier', '--project', id)
    const asked = ['--project', id, '--create-fields', '--ignore', 'Note', '--map', 'Plan=tier']
    const { stderr, stdout } = await run('contacts', 'import', fileOf(people), ...asked)
    expect(stderr).toContain('New field shoeSize, a number, for the column "Shoe size"\n')
    expect(stdout).toBe('2 created, 0 updated, 0 as they were, 0 not taken\n')
    const fields: { name: string; type: string }[] = await json('field', 'list', '--project', id)
    expect(Object.fromEntries(fields.map(({ name, type }) => [name, type]))).toEqual({
      tier: 'string',
      shoeSize: 'number',
      joined: 'date',
      zip: 'string',
    })
    const [bob = '', ada = ''] = (await run('contacts', 'export', '--project', id, '--format', 'ndjson')).stdout.split(
      '\n',
    )
    expect(JSON.parse(ada)).toMatchObject({
      tier: 'pro',
      shoeSize: 38,
      joined: '2026-01-06T00:00:00.000Z',
      zip: '01099',
    })
    expect(JSON.parse(bob)).toMatchObject({ shoeSize: 41.5, zip: '10115' })
  })

  it('with contradicting options stop the import', async () => {
    const id = await project()
    const refused = async (...args: string[]) => run('contacts', 'import', fileOf(people), '--project', id, ...args)
    expect(await refused('--map', 'Plan')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--map: expected'),
    })
    expect(await refused('--ignore', 'Hat')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The file has no column "Hat"; it has "E-Mail", "Plan"'),
    })
    expect(await refused('--create-fields', '--map', 'Plan=status')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('status is reserved'),
    })
    expect(await json('contacts', 'export', '--project', id, '--format', 'csv').catch(() => 'no JSON')).toBe('no JSON')
  })
})

describe('rejected rows', () => {
  it('can be corrected in their file and imported from there', async () => {
    const id = await project()
    const file = fileOf(
      'email;name;Größe\nada example.com;"Ada ""A""\nLove";38\nbob@example.com;=1+1;x\ncy@example.com;Cy\n',
    )
    const first = await json('contacts', 'import', file, '--project', id, '--create-fields')
    expect(first).toMatchObject({ created: 1, failed: 2, fields: [{ name: 'groesse', type: 'string' }] })
    const errors = `${file}.errors.csv`
    expect(first.errors).toBe(errors)
    expect(readFileSync(errors, 'utf8')).toBe(
      'line;error;email;name;Größe\n2;Invalid email format;ada example.com;"Ada ""A""\nLove";38\n5;"The row has 2 cells, and the header has 3.";cy@example.com;Cy\n',
    )
    writeFileSync(errors, readFileSync(errors, 'utf8').replace('ada ex', 'ada@ex').replace(';Cy\n', ';Cy;\n'))
    expect(await json('contacts', 'import', errors, '--project', id)).toMatchObject({ created: 2, failed: 0 })
    const { stdout } = await run('contacts', 'export', '--project', id)
    expect(stdout).toContain('\nada@example.com,"Ada ""A""\nLove",,38\n')
    expect(stdout).toContain("bob@example.com,'=1+1,,x\n")
  })
})

describe('posthorn contacts export', () => {
  it('writes a file that imports unchanged, whatever the texts begin with', async () => {
    const [from, to] = [await project(), await project()]
    const rows = ['=HYPERLINK("x")', '+43 660', '-5', '@SUM(A1)', "'=1", 'a, "b"', 'two\nlines', 'Zoë']
    const ndjson = fileOf('', 'ndjson')
    const csv = `${ndjson}.csv`
    const source = rows.map((name, i) => `a${i}@example.com,"${name.replaceAll('"', '""')}",${i - 2}`)
    // The apostrophe that guards is taken off: to have one, there are two.
    const text = `email,name,score\n${source.join('\n').replace("'=1", "''=1")}\n`
    await json('contacts', 'import', fileOf(text), '--project', from, '--create-fields')
    expect(await json('contacts', 'export', csv, '--project', from)).toEqual({ contacts: 8, file: csv })
    const exported = readFileSync(csv, 'utf8')
    expect(exported.split('\n').filter((line) => /,"?[=+@]/.test(line))).toEqual([])
    expect(exported).toContain(',,-2\n')
    expect(statSync(csv).mode & 0o077).toBe(0)
    await json('contacts', 'import', csv, '--project', to, '--create-fields')
    const of = async (id: string) =>
      (await run('contacts', 'export', '--project', id, '--format', 'ndjson')).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ email, name, score }) => ({ email, name, score }))
        .toSorted((a, b) => a.email.localeCompare(b.email))
    expect(await of(to)).toEqual(await of(from))
    expect((await of(from)).map(({ name }) => name)).toEqual(rows)
  })

  it('exports a list with statuses, one status of it, or a segment', async () => {
    const id = await project()
    const { _id: list } = await json('list', 'create', 'News', '--project', id)
    const people = fileOf('email,name\nada@example.com,Ada\nbob@example.com,Bob\n')
    await json('contacts', 'import', people, '--project', id, '--list', list)
    await json('contacts', 'import', fileOf('email,name\nida@example.com,Ida\n'), '--project', id)
    const groups = JSON.stringify([{ conditions: [{ property: 'name', operator: 'contains', value: 'da' }] }])
    const { _id: segment } = await json('segment', 'create', 'Da', '--groups', groups, '--project', id)
    const exported = async (...args: string[]) => (await run('contacts', 'export', '--project', id, ...args)).stdout
    expect(await exported('--list', list)).toBe(
      'email,name,tags,status\nbob@example.com,Bob,,active\nada@example.com,Ada,,active\n',
    )
    expect(await exported('--list', list, '--status', 'paused')).toBe('email,name,tags,status\n')
    expect((await exported('--segment', segment)).trim().split('\n').toSorted()).toEqual([
      'ada@example.com,Ada,',
      'email,name,tags',
      'ida@example.com,Ida,',
    ])
    expect(JSON.parse(await exported('--list', list, '--segment', segment, '--json'))).toMatchObject({
      email: 'ada@example.com',
      _lists: ['News'],
      status: 'active',
    })
  })

  it('overwrites nothing, and leaves no file if it is refused', async () => {
    const id = await project()
    const there = fileOf('mine')
    expect(await run('contacts', 'export', there, '--project', id)).toMatchObject({
      code: 2,
      stderr: `error: There is a file ${there} already.\n`,
    })
    expect(readFileSync(there, 'utf8')).toBe('mine')
    expect(await run('contacts', 'export', `${there}.new`, '--project', id, '--list', 'nowhere')).toMatchObject({
      code: 1,
      stderr: 'error: Subscriber list not found\n',
    })
    expect(existsSync(`${there}.new`)).toBe(false)
  })

  it('works with pipes: export - writes standard output, import - reads standard input', async () => {
    const [from, to] = [await project(), await project()]
    await json('contacts', 'import', fileOf('email,name\nada@example.com,=1+1\n'), '--project', from)
    const { stdout } = await run('contacts', 'export', '-', '--project', from)
    expect(stdout).toBe("email,name,tags\nada@example.com,'=1+1,\n")
    const { child, ended } = startCommand(['contacts', 'import', '-', '--project', to], {
      POSTHORN_DATA_DIR: data.path,
    })
    child.stdin?.end(stdout)
    expect(await ended).toMatchObject({ code: 0, stdout: '1 created, 0 updated, 0 as they were, 0 not taken\n' })
    expect((await run('contacts', 'export', '--project', to)).stdout).toBe(stdout)
  })

  it('ends without an error when the reader closes the pipe', async () => {
    const id = await project()
    const n = 30_000
    const people = fileOf(`email,name\n${Array.from({ length: n }, (_, i) => `p${i}@example.com,`).join('\n')}\n`)
    await json('contacts', 'import', people, '--project', id)
    const { child, ended } = startCommand(['contacts', 'export', '--project', id], { POSTHORN_DATA_DIR: data.path })
    child.stdout.once('data', () => child.stdout.destroy())
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([0, ''])
  })
})
