import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuthorizationError, ConnectionError, NotFoundError, Posthorn, ValidationError } from '../src/index.js'
import { aServer } from './world.js'

let world: Awaited<ReturnType<typeof aServer>>
beforeAll(async () => {
  world = await aServer()
})
afterAll(() => world.close())

const emailOf = (n: number) => `reader${n}@example.com`

const thrownBy = async (call: PromiseLike<unknown>): Promise<unknown> => {
  try {
    return await call
  } catch (error) {
    return error
  }
}

describe('a call', () => {
  it('creates, reads, changes and deletes a record', async () => {
    const { contacts, customFields } = world.posthorn
    await customFields.create({ name: 'City', type: 'string' })
    const contact = await contacts.create({ email: 'Ada+news@example.com', tags: ['vip'], city: 'London' })
    expect(contact).toMatchObject({ email: 'Ada+news@example.com', tags: ['vip'], city: 'London' })
    expect(await contacts.get('ada+news@example.com')).toEqual(contact)
    expect(await contacts.update('ada+news@example.com', { name: 'Ada' })).toMatchObject({ name: 'Ada' })
    await contacts.delete('ada+news@example.com')
    expect(await thrownBy(contacts.get('ada+news@example.com'))).toBeInstanceOf(NotFoundError)
  })

  it('takes the values of its path, the query and then the options', async () => {
    const { contacts } = world.posthorn
    const signal = AbortSignal.abort(new Error('Not wanted'))
    await expect(contacts.get('ada@example.com', { signal })).rejects.toThrow('Not wanted')
    await expect(Promise.resolve(contacts.list({}, { signal }))).rejects.toThrow('Not wanted')
    await expect(contacts.create({ email: 'ada@example.com' }, { signal })).rejects.toThrow('Not wanted')
  })

  it('refuses an empty value of its path, which would name another record', () => {
    expect(() => world.posthorn.contacts.delete('')).toThrow(new TypeError('email must be a text that is not empty.'))
    expect(() => world.posthorn.campaigns.get(undefined as unknown as string)).toThrow(TypeError)
  })

  it('works with a base URL that ends with a slash', async () => {
    const posthorn = new Posthorn({ ...world.options, baseUrl: `${world.baseUrl}/` })
    expect(await posthorn.project.get()).toMatchObject({ name: 'Sample' })
  })

  it('that is repeated with its key does nothing again', async () => {
    const { segments } = world.posthorn
    const [first, second] = [
      await segments.create({ name: 'Once' }, { idempotencyKey: 'once' }),
      await segments.create({ name: 'Once' }, { idempotencyKey: 'once' }),
    ]
    expect(second).toEqual(first)
    expect((await segments.list({ filter: { name: 'Once' } })).count).toBe(1)
  })
})

it('the GET that posts a test event is not repeated', async () => {
  const requests: unknown[] = []
  const posthorn = new Posthorn({
    ...world.options,
    fetch: async (url) => {
      requests.push(url)
      throw new TypeError('fetch failed')
    },
  })
  await expect(posthorn.webhook.test({ type: 'sent' })).rejects.toThrow(ConnectionError)
  expect(requests).toHaveLength(1)
})

describe('a list', () => {
  beforeAll(async () => {
    for (let n = 1; n <= 35; n += 1) await world.posthorn.contacts.create({ email: emailOf(n), tags: ['many'] })
  })
  const filter = { tags: 'many' }

  it('is one page if it is awaited', async () => {
    const page = await world.posthorn.contacts.list({ filter, limit: 5, sort: 'email', order: 'asc' })
    expect(page.items.map(({ email }) => email)).toEqual([10, 11, 12, 13, 14].map(emailOf))
    expect(page.count).toBe(35)
    expect(page.next).toContain('skip=5')
  })

  it('is all items if it is walked', async () => {
    const emails = new Set<string>()
    for await (const { email } of world.posthorn.contacts.list({ filter })) emails.add(email)
    expect(emails.size).toBe(35)
  })

  it('is walked in pages of 30, or of the given size, from baseUrl and not from the public URL', async () => {
    const sizes: number[] = []
    for await (const { items, next } of world.posthorn.contacts.list({ filter }).pages()) {
      sizes.push(items.length)
      expect(next ?? '').not.toContain(world.baseUrl)
    }
    expect(sizes).toEqual([30, 5])
    sizes.length = 0
    for await (const { items } of world.posthorn.contacts.list({ filter, limit: 20, skip: 3 }).pages())
      sizes.push(items.length)
    expect(sizes).toEqual([20, 12])
  })

  it('reads no further page once the walk ends', async () => {
    let requests = 0
    const posthorn = new Posthorn({
      ...world.options,
      fetch: (...given) => {
        requests += 1
        return fetch(...given)
      },
    })
    for await (const _ of posthorn.contacts.list({ limit: 10 })) break
    expect(requests).toBe(1)
    const list = posthorn.contacts.list()
    expect(requests).toBe(1)
    expect(await list).toBe(await list)
    expect(requests).toBe(2)
  })

  it('without pages is walked, too', async () => {
    const names: string[] = []
    for await (const { name } of world.posthorn.customFields.list()) names.push(name)
    expect(names).toEqual(['city'])
  })

  it('can be caught and be one of several', async () => {
    const { contacts, segments } = world.posthorn
    const wrong = contacts.list({ filter: { nothing: 'x' } })
    expect(await wrong.catch((error: unknown) => error)).toBeInstanceOf(ValidationError)
    const [first, second] = await Promise.all([contacts.list({ limit: 1 }), segments.list().finally(() => undefined)])
    expect([first.items.length, second.next]).toEqual([1, null])
  })
})

describe('an error', () => {
  it('of an invalid request has every violation with its field', async () => {
    const error = await thrownBy(
      world.posthorn.segments.create({ groups: [{ conditions: [{ operator: 'like' }] }], colour: 'red' } as never),
    )
    expect(error).toBeInstanceOf(ValidationError)
    const { violations, message, code } = error as ValidationError
    expect(code).toBe('VALIDATION_ERROR')
    expect(violations.map(({ field }) => field).sort()).toEqual(['colour', 'groups[0].conditions[0].operator', 'name'])
    for (const { message: said } of violations) expect(message).toContain(said.slice(0, 200))
    expect(violations.find(({ field }) => field.startsWith('groups'))?.message).toMatch(/^expected one of/)
  })

  it('of a rule with one sentence has its field, too', async () => {
    const error = await thrownBy(
      world.posthorn.webhook.set({ url: 'https://example.com/hook', secretKey: 'whsec_short' }),
    )
    expect((error as ValidationError).violations).toMatchObject([{ field: 'secretKey' }])
  })

  it('of a wrong key says so', async () => {
    const posthorn = new Posthorn({ ...world.options, apiKey: 'ph_wrong' })
    expect(await thrownBy(posthorn.project.get())).toBeInstanceOf(AuthorizationError)
  })
})

const chunk = (type: string, data: Uint8Array) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
}
const png = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
  chunk('IDAT', deflateSync(Buffer.from([0, 0]))),
  chunk('IEND', Buffer.alloc(0)),
])

describe('a file', () => {
  it('is uploaded as bytes, as a Blob and as a File', async () => {
    const { galleryImages } = world.posthorn
    const bytes = await galleryImages.upload({ image: { name: 'bytes.png', content: new Uint8Array(png) } })
    const blob = await galleryImages.upload({ image: { name: 'blob.png', content: new Blob([png]) }, name: 'A blob' })
    const file = await galleryImages.upload({ image: new File([png], 'file.png', { type: 'image/png' }) })
    expect([bytes.name, blob.name, file.name]).toEqual(['bytes.png', 'A blob', 'file.png'])
    expect((await galleryImages.list()).count).toBe(3)
  })

  it('is downloaded as a text, a Blob or a stream', async () => {
    const { domains, signupForms } = world.posthorn
    const form = await signupForms.create({ name: 'Form' })
    const embed = await signupForms.embed(form._id)
    expect(embed.contentType).toContain('text/html')
    expect(await embed.text()).toContain('<form')
    const domain = await domains.create({ domain: 'example.com', region: 'eu-west-1' })
    const dns = await domains.exportDns(domain._id)
    expect(dns.filename).toBe('example.com-dns.csv')
    const chunks: Uint8Array[] = []
    for await (const one of dns.stream) chunks.push(one)
    expect(Buffer.concat(chunks).toString()).toContain('type,name,value,priority')
    expect((await (await domains.exportDns(domain._id)).blob()).size).toBe(Buffer.concat(chunks).length)
  })
})
