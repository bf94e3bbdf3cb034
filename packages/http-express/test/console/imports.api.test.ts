import { inMemoryFiles } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from '../world.js'
import { anOwner, type ConsoleBrowser } from './browser.js'

type Import = { readonly _id: string; readonly state: string; readonly counts: Readonly<Record<string, number>> }

const files = inMemoryFiles()
let world: World
let browser: ConsoleBrowser
let at = ''
beforeAll(async () => {
  world = await aWorld({ files, maxImport: 5 * 1024 * 1024 })
  browser = await anOwner(world)
  at = `/projectId/${world.project.project._id}/imports`
})
afterAll(() => world.client.close())

const upload = async (bytes: string | Uint8Array, part = 'file', more: Readonly<Record<string, string>> = {}) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(more)) form.append(name, value)
  form.append(part, new Blob([Uint8Array.from(Buffer.from(bytes))]), 'people.csv')
  const answer = await fetch(`${world.client.base}/console/api${at}`, {
    method: 'POST',
    headers: { cookie: browser.cookie(), 'sec-fetch-site': 'same-origin' },
    body: form,
  })
  const body = (await answer.json()) as { readonly result: Import; readonly error?: { readonly message: string } }
  return { status: answer.status, ...body }
}

const start = {
  columns: [{ field: 'email' }, { field: 'Shoe size', type: 'number' }],
  consent: 'Signed up at the fair',
}

describe('an upload of contacts', () => {
  it('is previewed, imported, and its failed rows are downloaded', async () => {
    const { status, result } = await upload('email,Shoe size\na@example.com,42\nb@example.com,large\n')
    expect([status, result.state]).toEqual([201, 'uploaded'])
    const one = `${at}/${result._id}`
    expect((await browser.call('GET', `${one}/preview`)).result).toMatchObject({
      encoding: 'utf-8',
      columns: [{ field: 'email' }, { heading: 'Shoe size', field: null, newField: 'shoeSize', type: 'string' }],
    })
    expect((await browser.call('POST', `${one}/start`, start)).result).toMatchObject({ state: 'running' })
    await world.jobs.runDue()
    expect((await browser.call('GET', one)).result).toMatchObject({
      state: 'done',
      uploadedBy: 'Olga',
      counts: { created: 1, failed: 1 },
    })
    const errors = await browser.call<string>('GET', `${one}/errors`)
    expect(errors.headers.get('content-disposition')).toContain('attachment')
    expect(errors.result).toMatch(/^line,reason,email,Shoe size\n3,"shoeSize.*,b@example\.com,large\n/)
    const failed = await browser.call<{ items: readonly { line: number }[] }>('GET', `${one}/failed-rows`)
    expect(failed.result.items.map(({ line }) => line)).toEqual([3])
    expect((await browser.call<{ count: number }>('GET', at)).result.count).toBe(1)
  })

  it('of several megabytes is stored in pieces and read back whole', async () => {
    const rows = Array.from({ length: 60_000 }, (_, n) => `person${n}@example.com,Person Number ${n}`)
    const { status, result } = await upload(`email,name\n${rows.join('\n')}\n`)
    expect(status).toBe(201)
    expect(files.keys().filter((key) => key.includes(result._id)).length).toBeGreaterThan(1)
    expect((await browser.call('POST', `${at}/${result._id}/cancel`)).result).toMatchObject({ state: 'cancelled' })
    expect(files.keys().filter((key) => key.includes(result._id))).toEqual([])
  })

  it.each([
    ['over the limit', () => upload(new Uint8Array(6 * 1024 * 1024)), '413', /larger than 5242880 bytes/],
    ['empty', () => upload(''), '400', /The file is empty/],
    ['in another part', () => upload('email\n', 'image'), '400', /Unexpected field: image/],
    ['with an unknown field', () => upload('email\n', 'file', { list: 'x' }), '400', /Unexpected field: list/],
  ])('is refused %s, and leaves nothing', async (_, send, status, message) => {
    const before = files.keys()
    const refused = await send()
    expect(String(refused.status)).toBe(status)
    expect(refused.error?.message).toMatch(message)
    expect(files.keys()).toEqual(before)
  })

  it('without a file is refused, also with a text in its place', async () => {
    const form = new FormData()
    form.append('file', '{"importId":"x"}')
    const answer = await fetch(`${world.client.base}/console/api${at}`, {
      method: 'POST',
      headers: { cookie: browser.cookie(), 'sec-fetch-site': 'same-origin' },
      body: form,
    })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { message: 'Missing required field: file' } },
    ])
  })
})
