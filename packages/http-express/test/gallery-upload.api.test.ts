import { request } from 'node:http'
import { inMemoryFiles } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleImages } from '../../../tests/corpora/images.js'
import { httpApp, openApiDocument, routes } from '../src/index.js'
import { testClient } from '../src/testing.js'
import { imageForm, type SentFile, withFields, withFile } from './image-form.js'
import { aWorld, type World } from './world.js'

const limit = 2000

const files = inMemoryFiles()
let world: World
let shared = ''
beforeAll(async () => {
  world = await aWorld({ files, maxUpload: limit })
  shared = (await world.core.sharedFolders.create(world.project.account._id, { name: 'Shared' }))._id
})
afterAll(() => world.client.close())

const upload = (body: unknown, headers?: Readonly<Record<string, string>>) =>
  world.call('uploadGalleryImage', { body, ...(headers && { headers }) })
const fetched = (url: string) => fetch(`${world.client.base}${new URL(url).pathname}`)
const keptCount = async () => [files.keys().length, (await world.call('listGalleryImages')).result.count]

/** Asks for an upload that is refused: whatever the reason, nothing is left of it. */
const refused = async (body: unknown, headers?: Readonly<Record<string, string>>) => {
  const before = await keptCount()
  const { status, error } = await upload(body, headers)
  expect(await keptCount()).toEqual(before)
  return `${status} ${error?.name}: ${error?.message}`
}

describe('an upload', () => {
  it('is accepted with its fields before or after the file', async () => {
    const fields = { name: 'Logo', parentFolderId: shared }
    for (const form of [imageForm(fields), withFields(fields, withFile(new FormData()))])
      expect(await upload(form)).toMatchObject({ status: 201, result: { name: 'Logo', parentFolderId: shared } })
  })

  it.each(Object.entries(sampleImages))(
    'is served unchanged as %s, whatever its declared type',
    async (type, bytes) => {
      const { result } = await upload(imageForm({}, { bytes, type: 'text/html', filename: 'x.html' }))
      const answer = await fetched(result.url)
      expect(answer.headers.get('content-type')).toBe(type)
      expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), bytes)).toBe(0)
    },
  )

  it('may have the name of another image', async () => {
    const [one, two] = [await upload(imageForm()), await upload(imageForm())]
    expect([one.result.name, two.result.name]).toEqual(['a.png', 'a.png'])
    expect(one.result.url).not.toBe(two.result.url)
  })

  it.each([
    '../../../etc/passwd',
    '..\\..\\boot.ini',
    '/etc/passwd',
    '.htaccess',
    '%2e%2e%2fx.png',
    'x".png; a="',
    'a\r\nSet-Cookie: b=c.png',
    '...',
  ])('stores the name %j without making a path of it', async (filename) => {
    const before = files.keys()
    const { status, result } = await upload(imageForm({}, { filename }))
    expect(status).toBe(201)
    expect(result.name).not.toMatch(/[/\\\p{Cc}]/u)
    const [key] = files.keys().filter((one) => !before.includes(one))
    expect(key).toMatch(/^gallery\/[\w-]{22}\.png$/)
    expect((await fetched(result.url)).headers.get('set-cookie')).toBeNull()
  })

  it.each<readonly [string, SentFile, string]>([
    ['a drawing', { bytes: '<svg onload="alert(1)"/>' }, 'image/svg+xml'],
    ['a page', { bytes: '<!doctype html><script>alert(1)</script>', filename: 'a.gif' }, 'text/html'],
    ['an archive', { bytes: 'PK\u0003\u0004' }, 'application/zip'],
    ['text', { bytes: 'hello', type: 'text/plain' }, 'text/plain'],
    ['nothing', { bytes: '' }, 'application/octet-stream'],
  ])('of %s is rejected, and nothing is stored', async (_, file, type) => {
    expect(await refused(imageForm({}, file))).toBe(
      `400 VALIDATION_ERROR: Mime type '${type}' not allowed! Allowed mime types are: image/jpeg,image/png,image/gif`,
    )
  })

  it.each<readonly [string, () => FormData, string]>([
    ['without a file', () => withFields({ name: 'n' }), 'Missing required field: image'],
    ['of no part at all', () => new FormData(), 'Missing required field: image'],
    ['with a file that was never chosen', () => imageForm({}, { filename: '' }), 'Missing required field: image'],
    [
      'with a NUL in the file’s name',
      () => imageForm({}, { filename: 'a\0.png' }),
      'The multipart body cannot be read.',
    ],
    ['with text for the file', () => withFields({ image: 'a.png' }), 'Missing required field: image'],
    ['with the file in another part', () => imageForm({}, { part: 'file' }), 'Unexpected field: file'],
    ['with two files', () => withFile(imageForm()), 'More than one file'],
    ['with two files in two parts', () => withFile(imageForm(), { part: 'other' }), 'More than one file'],
    ['with an odd field', () => imageForm({ size: '1' }), 'Unexpected field: size'],
    ['with fields in fields', () => imageForm({ 'name[a]': 'n' }), 'Unexpected field: name[a]'],
    ['with a name of nothing', () => imageForm({ name: ' ' }), 'name: '],
    ['with a name twice', () => withFields({ name: 'b' }, imageForm({ name: 'a' })), 'name: '],
    ['with a name without end', () => imageForm({ name: 'x'.repeat(20_000) }), 'name: longer than 10240 bytes'],
    ['cut off', () => imageForm({}, { bytes: sampleImages['image/png'].slice(0, 50) }), 'image: the image/png is not'],
    [
      'of many fields',
      () => imageForm(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, '']))),
      'More fields than the endpoint accepts',
    ],
  ])('with %s is rejected, and nothing is stored', async (_, form, message) => {
    expect(await refused(form())).toContain(`400 VALIDATION_ERROR: ${message}`)
  })

  it('with fields named like prototypes is rejected', async () => {
    const form = imageForm()
    form.append('__proto__', 'x')
    form.append('constructor', 'y')
    expect(await refused(form)).toBe('400 VALIDATION_ERROR: Unexpected field: __proto__; Unexpected field: constructor')
  })

  it('must be a multipart form', async () => {
    const wrong = '400 VALIDATION_ERROR: The body must be multipart/form-data.'
    expect(await refused('{"image":"a"}')).toBe(wrong)
    expect(await refused('image=a', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(wrong)
    expect(await refused('--x--', { 'content-type': 'multipart/mixed; boundary=x' })).toBe(wrong)
    for (const [body, type] of [
      ['--x--', 'multipart/form-data'],
      [
        '--x\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\nabc',
        'multipart/form-data; boundary=x',
      ],
    ])
      expect(await refused(body, { 'content-type': type ?? '' })).toBe(
        '400 VALIDATION_ERROR: The multipart body cannot be read.',
      )
    expect(await refused(undefined)).toBe('400 VALIDATION_ERROR: Missing required field: image')
  })

  it('reports its violations together with those of the query', async () => {
    const { error } = await world.call('uploadGalleryImage', { body: new FormData(), query: { colour: 'red' } })
    expect(error?.message).toBe('Unexpected field: colour; Missing required field: image')
  })

  it('may be as large as the limit, and no byte larger', async () => {
    const ofSize = (length: number) => {
      const bytes = new Uint8Array(length)
      bytes.set(sampleImages['image/gif'])
      return imageForm({}, { bytes })
    }
    expect((await upload(ofSize(limit))).status).toBe(201)
    for (const length of [limit + 1, 3_000_000])
      expect(await refused(ofSize(length))).toBe(`413 PAYLOAD_TOO_LARGE: The file is larger than ${limit} bytes.`)
  })

  it('into a folder that the project cannot see returns 404, and stores nothing', async () => {
    const nowhere = '404 NOT_FOUND: Gallery folder not found'
    for (const parentFolderId of ['nowhere', '../..', '$ne'])
      expect(await refused(imageForm({ parentFolderId }))).toBe(nowhere)
  })

  it('with an empty folder id goes to the top level', async () => {
    const { result } = await world.call('uploadGalleryImage', { body: imageForm({ parentFolderId: '' }) })
    expect(result.parentFolderId).toBeNull()
  })

  it('with a wrong key is refused unread', async () => {
    const { status } = await world.call('uploadGalleryImage', {
      key: 'ph_wrong',
      body: imageForm({}, { bytes: 'x'.repeat(limit + 1) }),
    })
    expect(status).toBe(403)
  })

  it('that is interrupted stores nothing', async () => {
    const before = files.keys().length
    const { hostname, port } = new URL(world.client.base)
    const path = `/v1/projectId/${world.project.project._id}/gallery/images`
    await new Promise<void>((resolve) => {
      const broken = request({
        hostname,
        port,
        path,
        method: 'POST',
        headers: {
          authorization: `Bearer ${world.project.key}`,
          'content-type': 'multipart/form-data; boundary=x',
          'content-length': '1000',
        },
      })
      broken.on('error', () => resolve())
      broken.write('--x\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n\x89PNG', () =>
        broken.destroy(new Error('The client has gone')),
      )
    })
    expect((await upload(imageForm())).status).toBe(201)
    expect(files.keys().length).toBe(before + 1)
  })

  it('may have ten megabytes by default', async () => {
    const { core, ports, project } = world
    const client = await testClient(httpApp({ core, publicUrl: ports.settings.publicUrl, log: ports.log }))
    const asked = (length: number) => {
      const bytes = new Uint8Array(length)
      bytes.set(sampleImages['image/gif'])
      return { key: project.key, params: { projectId: project.project._id }, body: imageForm({}, { bytes }) }
    }
    expect((await client.call('uploadGalleryImage', asked(10 * 1024 * 1024))).status).toBe(201)
    expect((await client.call('uploadGalleryImage', asked(10 * 1024 * 1024 + 1))).status).toBe(413)
    await client.close()
  })

  it('is documented as a form with a file', () => {
    expect(openApiDocument(routes)).toMatchObject({
      paths: {
        '/v1/projectId/{projectId}/gallery/images': {
          post: {
            requestBody: {
              required: true,
              content: {
                'multipart/form-data': {
                  schema: { $ref: '#/components/schemas/GalleryImageFields' },
                  encoding: { image: { contentType: 'image/jpeg, image/png, image/gif' } },
                },
              },
            },
          },
        },
      },
      components: {
        schemas: {
          GalleryImageFields: {
            required: ['image'],
            properties: { image: { type: 'string', format: 'binary' }, name: { type: 'string' } },
          },
        },
      },
    })
  })
})
