import { inMemoryFiles } from '@posthorn/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleImages } from '../../../tests/corpora/images.js'
import { aWorld, type World } from './world.js'

const limit = 4096
const seed = 20_260_107
const runs = 1000

const images = Object.values(sampleImages).map((bytes) => Buffer.from(bytes))
const disguises = [
  '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  '<!doctype html><script>alert(1)</script>',
  'PK\u0003\u0004',
  '%PDF-1.7',
  '#!/bin/sh\n',
  'GIF89a/*',
  '\u0089PNG\r\n',
].map((text) => Buffer.from(text, 'latin1'))

/** Bytes that are no image, or one with something in it that is not its own. */
const content = fc.oneof(
  fc.constantFrom(...disguises),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(...images),
  fc.tuple(fc.constantFrom(...images), fc.nat(200)).map(([image, n]) => image.subarray(0, n)),
  fc.tuple(fc.constantFrom(...images), fc.constantFrom(...disguises)).map((parts) => Buffer.concat(parts)),
  fc.tuple(fc.constantFrom(...disguises), fc.constantFrom(...images)).map((parts) => Buffer.concat(parts)),
  fc.tuple(fc.constantFrom(...images), fc.nat(100), fc.nat(255)).map(([image, at, byte]) => {
    const flipped = Buffer.from(image)
    flipped[at % flipped.length] = byte
    return flipped
  }),
  fc.constant(Buffer.alloc(limit + 1, 0x89)),
)

const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '../../etc/passwd',
    'a\0b',
    '__proto__',
    'x".png"; y="',
    '\u{1f600}',
    'x'.repeat(3000),
    'a%0d%0aX-Injected: 1',
  ),
)

const part = fc.record({
  name: fc.oneof(
    { weight: 4, arbitrary: fc.constant('image') },
    fc.constantFrom('name', 'parentFolderId', '__proto__', 'image[]', ''),
  ),
  filename: fc.option(text, { nil: undefined, freq: 5 }),
  type: fc.constantFrom('image/png', 'text/html', 'image/svg+xml', 'application/octet-stream', 'x'),
  content,
})

const boundary = 'the-boundary'
const oneLine = (given: string) => given.replace(/[\r\n"]/g, (letter) => encodeURIComponent(letter))

const formOf = (parts: readonly (typeof part extends fc.Arbitrary<infer P> ? P : never)[], whole: boolean): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ name, filename, type, content: bytes }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${oneLine(filename)}"`}\r\nContent-Type: ${type}\r\n\r\n`,
      ),
      bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(whole ? `--${boundary}--\r\n` : `--${boundary}`),
  ])

let world: World
const files = inMemoryFiles()
beforeAll(async () => {
  world = await aWorld({ files, maxUpload: limit })
})
afterAll(() => world.client.close())

const everything = { where: {}, sort: { by: '_id', order: 'asc' }, skip: 0, limit: 1 } as const
const kept = async () => {
  const { count } = await world.ports.repositories.galleryImages.list(everything)
  return { records: count, files: files.keys().length }
}

const assertServedAsImage = async (url: string) => {
  const served = await fetch(new URL(new URL(url).pathname, world.client.base))
  expect(Object.keys(sampleImages)).toContain(served.headers.get('content-type'))
  expect(served.headers.get('x-content-type-options')).toBe('nosniff')
  expect(Buffer.from(await served.arrayBuffer()).includes('<script>')).toBe(false)
}

describe('a hostile upload', () => {
  it('is rejected without storing anything, or stored as nothing but its image', async () => {
    const { project, key } = world.project
    const url = `${world.client.base}/v1/projectId/${project._id}/gallery/images`
    const statuses = new Set<number>()
    const property = fc.asyncProperty(fc.array(part, { maxLength: 3 }), fc.boolean(), async (parts, whole) => {
      const before = await kept()
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
        body: new Uint8Array(formOf(parts, whole)),
      })
      const { result } = (await response.json()) as { result?: { url: string } }
      statuses.add(response.status)
      expect(response.headers.get('x-injected')).toBeNull()
      const taken = response.status === 201 ? 1 : 0
      expect(await kept()).toEqual({ records: before.records + taken, files: before.files + taken })
      if (result) await assertServedAsImage(result.url)
    })
    await fc.assert(property, { seed, numRuns: runs })
    expect(statuses).toEqual(new Set([201, 400, 404, 413]))
    expect((await fetch(`${world.client.base}/healthz`)).status).toBe(200)
  })
})
