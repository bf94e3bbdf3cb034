import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

type Result = { readonly email: string; readonly status: string; readonly violations?: readonly string[] }
type Answer = {
  readonly status: number
  readonly result: { readonly counts: Readonly<Record<string, number>>; readonly results: readonly Result[] }
  readonly error?: { readonly message: string }
}

let world: World
beforeAll(async () => {
  world = await aWorld()
  await world.call('createCustomField', { body: { name: 'age', type: 'number' } })
})
afterAll(() => world.client.close())

const json = 'application/json'
const ndjson = 'application/x-ndjson'

const post = async (
  body: string | Uint8Array,
  type = ndjson,
  more: Readonly<Record<string, string>> = {},
  query = '',
) => {
  const response = await fetch(`${world.client.base}/v1/projectId/${world.project.project._id}/contacts/bulk${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.project.key}`, 'content-type': type, ...more },
    body: typeof body === 'string' ? body : Uint8Array.from(body),
  })
  return { headers: response.headers, ...((await response.json()) as Answer) }
}
const told = ({ result }: Answer) => result.results.map(({ status, violations }) => violations?.join('; ') ?? status)

describe('rows as NDJSON', () => {
  it('are one object per line; a line that cannot be read is a row that fails', async () => {
    const lines = [
      '\ufeff{"email":"a@example.com","age":3}\r',
      '',
      '  \t ',
      '{"email":"b@example.com"',
      '{"email":"A@example.com","age":4} x',
      '[]',
      'null',
      '"text"',
      `${'['.repeat(200)}`,
      `{"email":"c@example.com","name":"${'x'.repeat(300_000)}"}`,
      '{"email":"A@EXAMPLE.com","age":4}',
    ]
    const answer = await post(lines.join('\n'))
    expect(answer.status).toBe(200)
    expect(told(answer)).toEqual([
      'created',
      'The row is not valid JSON.',
      'The row is not valid JSON.',
      'expected an object, got a list',
      'expected an object, got null',
      'expected an object, got a text',
      'The row is nested more than 100 levels deep.',
      'The row is larger than 262144 bytes.',
      'updated',
    ])
    expect(answer.result.results.map(({ email }) => email)).toEqual([
      ...['a@example.com', '', '', '', '', '', '', ''],
      'A@EXAMPLE.com',
    ])
  })

  it('may be none, and at most 5,000', async () => {
    expect((await post('\n\n')).result).toEqual({
      counts: { created: 0, updated: 0, unchanged: 0, failed: 0 },
      results: [],
    })
    expect(await post('{}\n'.repeat(5001))).toMatchObject({
      status: 400,
      error: { message: 'The body has more than 5000 rows. Send several requests.' },
    })
    expect((await post('{}\n'.repeat(5000))).result.counts).toMatchObject({ failed: 5000 })
  })

  it('may be compressed', async () => {
    const answer = await post(gzipSync('{"email":"zip@example.com"}\n'), ndjson, { 'content-encoding': 'gzip' })
    expect(told(answer)).toEqual(['created'])
    const bomb = await post(gzipSync(Buffer.alloc(11 * 1024 * 1024, '{}\n')), ndjson, { 'content-encoding': 'gzip' })
    expect([bomb.status, bomb.error?.message]).toEqual([413, 'The body is larger than 10485760 bytes.'])
  })
})

describe('rows as JSON', () => {
  it('stand in an array, with the rows of any length and nesting that a store keeps', async () => {
    const { status, result } = await post(
      ' {"contacts" : [ {"email":"d@example.com","name":"a \\"quoted\\" ] } name","data":{"age":1}} , {"email":"e@example.com"}]} \n',
      json,
    )
    expect([status, result.counts]).toEqual([200, { created: 2, updated: 0, unchanged: 0, failed: 0 }])
    expect((await world.call('getContact', { params: { email: 'd@example.com' } })).result).toMatchObject({
      name: 'a "quoted" ] } name',
      age: 1,
    })
    expect((await post('{"contacts":[]}', json)).result.results).toEqual([])
  })

  it.each([
    ['followed by text', '{"contacts":[{"email":"x@example.com"}]} x', 'The body is not valid JSON.'],
    ['with a comma too many', '{"contacts":[{"email":"x@example.com"},]}', 'The body is not valid JSON.'],
    ['cut off', '{"contacts":[{"email":"x@example.com"}', 'The body is not valid JSON.'],
    ['closed by the wrong sign', '{"contacts":[{"email":"x@example.com"]}', 'The body is not valid JSON.'],
    ['without a comma', '{"contacts":[1 2]}', 'The body is not valid JSON.'],
    ['without quotes', '{contacts:[]}', 'The body is not valid JSON.'],
    ['with a comma at its end', '{"contacts":[],}', 'The body is not valid JSON.'],
    ['only a name', '{"contacts"', 'The body is not valid JSON.'],
    ['a text', '"contacts"', 'The body must be a JSON object.'],
    ['null', 'null', 'The body must be a JSON object.'],
    ['a list', '[{"email":"x@example.com"}]', 'expected an object, got a list'],
    ['empty', '{}', 'Missing required field: contacts'],
    ['without a list', '{"contacts":{}}', 'contacts: expected a list, got an object'],
    ['null', '{"contacts":null}', 'contacts: expected a list, got null'],
    ['with another field', '{"contacts":[],"existing":"skip"}', 'Unexpected field: existing'],
    ['too deep', `{"contacts":[${'['.repeat(101)}${']'.repeat(101)}]}`, 'A row is nested more than 100 levels deep.'],
    ['too wide', `{"contacts":[[${'0,'.repeat(50_001)}0]]}`, 'A row contains more than 50000 values.'],
    [
      'with a row too large',
      `{"contacts":[{"name":"${'x'.repeat(300_000)}"}]}`,
      'contacts[0]: larger than 262144 bytes',
    ],
    [
      'with too many rows',
      `{"contacts":[${'{},'.repeat(5000)}{}]}`,
      'The body has more than 5000 rows. Send several requests.',
    ],
  ])('are refused as a whole if the body is %s', async (_, body, message) => {
    const { status, error } = await post(body, json)
    expect([status, error?.message]).toEqual([400, message])
  })

  it('are read as they would be in one piece', async () => {
    const rows = [
      { email: 'f@example.com', name: 'é \u2028 \\ " \ud83d\ude00', tags: ['a', 'b'], age: -1.5e3 },
      { email: 'g@example.com', data: { deep: [[[{}]]] } },
      true,
      'a',
      12,
    ]
    const [one, other] = [
      await post(JSON.stringify({ contacts: rows }, null, 2), json),
      await post(rows.map((row) => JSON.stringify(row)).join('\n'), ndjson),
    ]
    expect(told(one)).toEqual(['created', ...told(other).slice(1)])
    expect(told(other)[0]).toBe('unchanged')
  })
})

describe('a bulk request', () => {
  it('reports violations of the query, and takes options there', async () => {
    expect(await post('{}', ndjson, {}, '?existing=no&tags=no&colour=red')).toMatchObject({
      status: 400,
      error: { message: expect.stringMatching(/existing: .*; tags: .*; Unexpected field: colour/) },
    })
    await post('{"email":"h@example.com","tags":["a"]}')
    expect(told(await post('{"email":"h@example.com","tags":["b"]}', ndjson, {}, '?tags=add'))).toEqual(['updated'])
    expect((await world.call('getContact', { params: { email: 'h@example.com' } })).result.tags).toEqual(['a', 'b'])
  })

  it.each([
    ['text/csv', /JSON or NDJSON, with Content-Type: application\/json or application\/x-ndjson/],
    ['application/x-ndjson; charset=latin1', /UTF-8/],
  ])('is refused with the content type %s', async (type, message) => {
    const { status, error } = await post('{}', type)
    expect([status, error?.message]).toEqual([400, expect.stringMatching(message)])
  })

  it('with an Idempotency-Key is carried out once, however large its response is', async () => {
    const rows = Array.from({ length: 600 }, (_, n) => `{"email":"key${n}@example.com","age":${n}}`).join('\n')
    const key = { 'idempotency-key': 'bulk-1' }
    const [first, again] = [await post(rows, ndjson, key), await post(rows, ndjson, key)]
    expect(first.result.counts).toMatchObject({ created: 600 })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.result).toEqual(first.result)
    expect((await post(`${rows}\n{}`, ndjson, key)).status).toBe(409)
  })

  it('costs a request of the rate per 250 rows', async () => {
    const limited = await aWorld({ rateLimits: { api: { perSecond: 0.001, burst: 60 } } })
    const send = async (n: number) => {
      const { headers } = await limited.call('bulkContacts', {
        body: { contacts: Array.from({ length: n }, () => ({})) },
      })
      return Number(headers.get('x-ratelimit-remaining'))
    }
    await send(0)
    const before = await send(5000)
    const after = await send(0)
    expect(before - after).toBe(20)
    await limited.client.close()
  })
})

describe('subscribers in bulk', () => {
  it('are added to the list', async () => {
    const { status, result } = await world.call('bulkSubscribe', {
      params: { id: world.project.list._id },
      body: { subscribers: [{ email: 'sub@example.com' }, { email: 'sub' }] },
    })
    expect([status, result.counts]).toEqual([200, { created: 1, updated: 0, unchanged: 0, failed: 1 }])
    expect(result.results[0]).toMatchObject({ status: 'created', subscriberStatus: 'active' })
  })
})

describe('an export', () => {
  it('is CSV or NDJSON, by format', async () => {
    const csv = await world.call('exportContacts', { query: { 'filter[email]': 'd@example.com' } })
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/)
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename=contacts.csv')
    expect(csv.result.content).toMatch(/^email,name,tags,age,lists,createdAt,.*\nd@example\.com,/)
    const lines = await world.call('exportContacts', { query: { format: 'ndjson', find: 'key1' } })
    expect(lines.headers.get('content-type')).toMatch(/^application\/x-ndjson/)
    expect(lines.result.content.trim().split('\n')).toHaveLength(111)
    expect(await world.call('exportContacts', { query: { format: 'xml', 'filter[shoe]': '1' } })).toMatchObject({
      status: 400,
      error: { message: expect.stringMatching(/format: expected csv or ndjson; filter\[shoe\]: unknown field/) },
    })
  })
})
