import { inMemoryFiles } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleImages } from '../../../tests/corpora/images.js'
import { imageForm } from './image-form.js'
import { aWorld, type World } from './world.js'

const files = inMemoryFiles()
let world: World
let shared = ''
beforeAll(async () => {
  world = await aWorld({ files })
  shared = (await world.core.sharedFolders.create(world.project.account._id, { name: 'Shared' }))._id
})
afterAll(() => world.client.close())

const upload = (body: FormData) => world.call('uploadGalleryImage', { body })
const folderOf = async (name: string, parentFolderId?: string) =>
  (await world.call('createGalleryFolder', { body: { name, ...(parentFolderId && { parentFolderId }) } })).result._id
const fetched = (url: string, init?: RequestInit) => fetch(`${world.client.base}${new URL(url).pathname}`, init)

describe('gallery folders', () => {
  it('are created, listed with the gallery’s name, renamed and removed', async () => {
    const created = await world.call('createGalleryFolder', { body: { name: 'Spring' } })
    expect(created).toMatchObject({ status: 201, result: { name: 'Spring', parentFolderId: null } })
    const { _id } = created.result
    const below = await folderOf('Below', _id)
    expect((await world.call('listGalleryFolders', { query: { sort: 'name', order: 'asc' } })).result).toMatchObject({
      items: [{ name: 'Shared', parentFolderId: null }, { name: 'Spring' }],
      count: 2,
      next: null,
      galleryName: 'Sample',
    })
    const inside = await world.call('listGalleryFolders', { query: { parentFolderId: _id, limit: '1' } })
    expect(inside.result.items).toMatchObject([{ _id: below, parentFolderId: _id }])
    const renamed = await world.call('updateGalleryFolder', { params: { id: _id }, body: { name: 'Summer' } })
    expect(renamed.result).toMatchObject({ _id, name: 'Summer' })
    expect((await world.call('getGalleryFolder', { params: { id: _id } })).result).toEqual(renamed.result)
    expect((await world.call('deleteGalleryFolder', { params: { id: _id } })).result).toEqual(renamed.result)
    for (const id of [_id, below]) expect((await world.call('getGalleryFolder', { params: { id } })).status).toBe(404)
  })

  it('link to the next page of the same folder', async () => {
    const top = await folderOf('Pages')
    for (const name of ['1', '2', '3']) await folderOf(name, top)
    const { result } = await world.call('listGalleryFolders', { query: { parentFolderId: top, limit: '2' } })
    const next = new URL(result.next ?? '').searchParams
    expect(Object.fromEntries(next)).toMatchObject({ parentFolderId: top, skip: '2', limit: '2' })
  })

  it.each([
    [{}, 'Missing required field: name'],
    [{ name: '' }, 'name: '],
    [{ name: 'a\u0000' }, 'name: must not contain control characters'],
    [{ name: 'a', parentFolderId: 7 }, 'parentFolderId: '],
    [{ name: 'a', treeId: 'x' }, 'Unexpected field: treeId'],
  ])('cannot be created from %j', async (body, message) => {
    const { status, error } = await world.call('createGalleryFolder', { body })
    expect([status, error?.message]).toEqual([400, expect.stringContaining(message)])
  })

  it('cannot be put into folders that the project cannot see', async () => {
    for (const parentFolderId of ['nowhere', '../..', '$ne'])
      expect((await world.call('createGalleryFolder', { body: { name: 'a', parentFolderId } })).status).toBe(404)
    for (const id of ['listGalleryFolders', 'listGalleryImages'] as const)
      expect((await world.call(id, { query: { parentFolderId: 'nowhere' } })).error?.message).toBe(
        'Gallery folder not found',
      )
  })

  it('that are shared cannot be changed by one project', async () => {
    const params = { id: shared }
    expect((await world.call('getGalleryFolder', { params })).result).toMatchObject({ name: 'Shared' })
    expect((await world.call('updateGalleryFolder', { params, body: { name: 'Mine' } })).status).toBe(403)
    expect((await world.call('deleteGalleryFolder', { params })).status).toBe(403)
  })

  it('are removed with their images and files', async () => {
    const top = await folderOf('Doomed')
    const { url } = (await upload(imageForm({ parentFolderId: await folderOf('Below', top) }))).result
    expect((await fetched(url)).status).toBe(200)
    const before = files.keys().length
    expect((await world.call('deleteGalleryFolder', { params: { id: top } })).status).toBe(200)
    expect((await fetched(url)).status).toBe(404)
    expect(files.keys().length).toBe(before - 1)
  })

  it('are listed with the project’s name', async () => {
    await world.call('updateProject', { body: { name: 'Shop' } })
    for (const id of ['listGalleryFolders', 'listGalleryImages'] as const)
      expect((await world.call(id)).result.galleryName).toBe('Shop')
  })
})

describe('gallery images', () => {
  it('are listed by folder, renamed without a new file, and removed with their file', async () => {
    const parentFolderId = await folderOf('Listed')
    const { result: image } = await upload(imageForm({ name: 'b', parentFolderId }))
    await upload(imageForm({ name: 'a', parentFolderId }))
    const listed = await world.call('listGalleryImages', { query: { parentFolderId, sort: 'name', order: 'asc' } })
    expect(listed.result.items.map(({ name }) => name)).toEqual(['a', 'b'])
    const filtered = await world.call('listGalleryImages', { query: { parentFolderId, 'filter[url]': image.url } })
    expect(filtered.result.items).toEqual([image])

    const params = { id: image._id }
    const renamed = await world.call('updateGalleryImage', { params, body: { name: 'c' } })
    expect(renamed.result).toMatchObject({ _id: image._id, name: 'c', url: image.url, parentFolderId })
    expect((await world.call('getGalleryImage', { params })).result).toEqual(renamed.result)
    for (const body of [{}, { name: 7 }, { name: 'x', url: 'y' }, { name: 'x', parentFolderId: null }])
      expect((await world.call('updateGalleryImage', { params, body })).status).toBe(400)
    expect((await world.call('deleteGalleryImage', { params })).result).toEqual(renamed.result)
    expect((await fetched(image.url)).status).toBe(404)
    for (const id of ['getGalleryImage', 'deleteGalleryImage'] as const)
      expect((await world.call(id, { params })).error?.message).toBe('Gallery image not found')
    expect((await world.call('updateGalleryImage', { params, body: { name: 'x' } })).status).toBe(404)
  })

  it('shared by another project cannot be changed', async () => {
    const sibling = await world.core.projects.create({ accountId: world.project.account._id, name: 'Sibling' })
    const { _id } = await world.core.galleryImages.upload(
      { projectId: sibling._id, caller: 'api-key' },
      {
        image: { filename: 'a', contentType: '', bytes: sampleImages['image/gif'] },
        parentFolderId: shared,
      },
    )
    const params = { id: _id }
    expect((await world.call('getGalleryImage', { params })).status).toBe(200)
    expect((await world.call('updateGalleryImage', { params, body: { name: 'x' } })).status).toBe(403)
    expect((await world.call('deleteGalleryImage', { params })).status).toBe(403)
  })
})

describe('the URL of an image', () => {
  it('is public, with headers that make the file harmless', async () => {
    const { url } = (await upload(imageForm({ name: 'Grüße "x"; a=\'b\'.html' }))).result
    const { headers, status } = await fetched(url)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-disposition':
        'inline; filename="Gr__e _x__ a__b_.html.png"; filename*=UTF-8\'\'Gr%C3%BC%C3%9Fe%20%22x%22%3B%20a%3D%27b%27.html.png',
    })
    expect(headers.get('set-cookie')).toBeNull()
  })

  it('sends an ASCII file name in one form only', async () => {
    const { url } = (await upload(imageForm({ name: 'logo.png' }))).result
    expect((await fetched(url)).headers.get('content-disposition')).toBe('inline; filename="logo.png"')
  })

  it('can be cached', async () => {
    const { url } = (await upload(imageForm())).result
    const etag = (await fetched(url)).headers.get('etag') ?? ''
    expect((await fetched(url, { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } })).status).toBe(304)
    const head = await fetched(url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it.each(['nothing.png', '..%2f..%2fetc%2fpasswd', '%2e%2e%2fattachments%2f1', '%00', '__proto__', '[object Object]'])(
    'returns 404 for anything but images: %s',
    async (name) => {
      const answer = await fetch(`${world.client.base}/gallery/${name}`)
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({ error: { name: 'NOT_FOUND' } })
      expect(answer.headers.get('cache-control') ?? '').not.toContain('immutable')
    },
  )
})

describe('icons of visual emails', () => {
  const icon = (name: string, init?: RequestInit) => fetch(`${world.client.base}/gallery/icons/${name}`, init)

  it('are shown in mails and on any page, and kept for a week', async () => {
    const response = await icon('facebook.png')
    expect([response.status, [...new Uint8Array(await response.arrayBuffer())].slice(1, 4)]).toEqual([
      200,
      [80, 78, 71],
    ])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=604800',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
  })

  it.each(['none.png', '', '..%2fpackage.json', '%2e%2e/package.json'])('lead to nothing else: %s', async (name) => {
    expect((await icon(name)).status).toBe(404)
  })

  it('are read only', async () => {
    expect((await icon('facebook.png', { method: 'POST' })).status).toBe(404)
  })
})
