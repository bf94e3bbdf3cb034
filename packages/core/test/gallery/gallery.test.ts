import { createCore, type Scope } from '@posthorn/core'
import type { Files } from '@posthorn/core/ports/runtime'
import { inMemoryFiles, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { sampleImages } from '../../../../tests/corpora/images.js'

const png = { filename: 'a.png', contentType: 'image/png', bytes: sampleImages['image/png'] }
const page = { limit: 30, skip: 0 }

/** A gallery whose file store has these verbs of its own. */
const start = async (verbsOf: (files: Files) => Partial<Files> = () => ({})) => {
  const files = inMemoryFiles()
  const { ports } = inMemoryPorts({ files: { ...files, ...verbsOf(files) } })
  const kept = files.keys
  const core = createCore(ports)
  const { account, scope } = await sampleProject(core)
  const sibling: Scope = {
    projectId: (await core.projects.create({ accountId: account._id, name: 'Sibling' }))._id,
    caller: 'api-key',
  }
  const stranger = (await sampleProject(core, { name: 'Stranger' })).scope
  const folder = async (name: string, parentFolderId: string | null = null, by = scope) =>
    (await core.galleryFolders.create(by, { name, parentFolderId }))._id
  const image = async (parentFolderId: string | null = null, by = scope) =>
    (await core.galleryImages.upload(by, { image: png, parentFolderId }))._id
  const shared = async (name = 'Shared', parentFolderId: string | null = null) =>
    (await core.sharedFolders.create(account._id, { name, parentFolderId }))._id
  const namesSeen = async (by: Scope, parentFolderId?: string) =>
    (
      await core.galleryFolders.list(by, {
        ...page,
        sort: 'name',
        order: 'asc',
        ...(parentFolderId && { parentFolderId }),
      })
    ).items.map(({ name }) => name)
  return { core, ports, kept, account, scope, sibling, stranger, folder, image, shared, namesSeen }
}

const gone = (noun: string) => ({ kind: 'not-found', message: `${noun} not found` })

describe('the folders of a gallery', () => {
  it('form a tree, listed level by level, with shared ones at the top', async () => {
    const { folder, shared, namesSeen, scope, sibling } = await start()
    const top = await folder('Top')
    await folder('Below', top)
    const both = await shared()
    await folder('Of one project', both)
    expect(await namesSeen(scope)).toEqual(['Shared', 'Top'])
    expect(await namesSeen(scope, top)).toEqual(['Below'])
    expect(await namesSeen(sibling)).toEqual(['Shared'])
    expect(await namesSeen(sibling, both)).toEqual(['Of one project'])
  })

  it('are visible to their project only: by list, by id, or as a parent', async () => {
    const { core, folder, shared, namesSeen, scope, sibling, stranger } = await start()
    const own = await folder('Own')
    const both = await shared()
    for (const [by, id] of [
      [sibling, own],
      [stranger, own],
      [stranger, both],
      [scope, 'nowhere'],
    ] as const) {
      await expect(core.galleryFolders.list(by, { ...page, parentFolderId: id })).rejects.toMatchObject(
        gone('Gallery folder'),
      )
      await expect(core.galleryImages.list(by, { ...page, parentFolderId: id })).rejects.toMatchObject(
        gone('Gallery folder'),
      )
      await expect(core.galleryFolders.get(by, id)).rejects.toMatchObject(gone('Gallery folder'))
      await expect(core.galleryFolders.update(by, id, { name: 'Mine' })).rejects.toMatchObject(gone('Gallery folder'))
      await expect(core.galleryFolders.remove(by, id)).rejects.toMatchObject(gone('Gallery folder'))
      await expect(core.galleryFolders.create(by, { name: 'n', parentFolderId: id })).rejects.toMatchObject(
        gone('Gallery folder'),
      )
      await expect(core.galleryImages.upload(by, { image: png, parentFolderId: id })).rejects.toMatchObject(
        gone('Gallery folder'),
      )
    }
    expect(await namesSeen(stranger)).toEqual([])
    expect((await core.galleryFolders.list(stranger, { ...page, filter: { _id: own } })).count).toBe(0)
    expect((await core.galleryFolders.list(scope, { ...page, filter: { parentFolderId: own } })).count).toBe(0)
  })

  it('can be renamed but not moved', async () => {
    const { core, folder, scope } = await start()
    const a = await folder('A')
    const b = await folder('B', a)
    expect(await core.galleryFolders.update(scope, b, { name: ' A ' })).toMatchObject({ name: 'A', parentFolderId: a })
    await expect(
      core.galleryFolders.update(scope, b, { name: '', parentFolderId: null } as never),
    ).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/name: .*; Unexpected field: parentFolderId/),
    })
    await expect(core.galleryFolders.update(scope, b, {} as never)).rejects.toThrow('Missing required field: name')
    for (const name of ['a\nb', '\0', '\ud800', 'x'.repeat(201), 7 as never])
      await expect(core.galleryFolders.create(scope, { name })).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('have a limited depth', async () => {
    const { core, folder, scope } = await start()
    let parent: string | null = null
    for (let depth = 1; depth <= 20; depth += 1) parent = await folder(`${depth}`, parent)
    await expect(core.galleryFolders.create(scope, { name: '21', parentFolderId: parent })).rejects.toThrow(
      'parentFolderId: folders lie at most 20 deep in one another',
    )
  })

  it('are removed with all records and files below them only', async () => {
    const { core, ports, kept, folder, image, scope } = await start()
    const top = await folder('Top')
    const middle = await folder('Middle', top)
    const deep = await folder('Deep', middle)
    const beside = await folder('Beside')
    const doomed = [await image(top), await image(deep), await image(deep)]
    const staying = [await image(), await image(beside)]
    expect(kept()).toHaveLength(5)
    expect(await core.galleryFolders.remove(scope, top)).toMatchObject({ _id: top, name: 'Top' })
    for (const id of [top, middle, deep])
      await expect(core.galleryFolders.get(scope, id)).rejects.toMatchObject(gone('Gallery folder'))
    for (const id of doomed)
      await expect(core.galleryImages.get(scope, id)).rejects.toMatchObject(gone('Gallery image'))
    for (const id of staying) expect(await core.galleryImages.get(scope, id)).toHaveProperty('url')
    expect(kept()).toHaveLength(2)
    expect(
      (
        await ports.repositories.galleryFolders.list({
          where: {},
          sort: { by: 'name', order: 'asc' },
          skip: 0,
          limit: 9,
        })
      ).count,
    ).toBe(1)
    await expect(core.galleryFolders.remove(scope, top)).rejects.toMatchObject(gone('Gallery folder'))
  })

  it('can be removed again after an interrupted removal', async () => {
    let broken = true
    const { core, folder, image, scope, namesSeen } = await start((files) => ({
      remove: async (key) => {
        if (broken) throw new Error('The disk is away')
        return files.remove(key)
      },
    }))
    const top = await folder('Top')
    await image(await folder('Below', top))
    await expect(core.galleryFolders.remove(scope, top)).rejects.toThrow('The disk is away')
    expect(await namesSeen(scope)).toEqual(['Top'])
    broken = false
    await core.galleryFolders.remove(scope, top)
    expect(await namesSeen(scope)).toEqual([])
  })
})

describe('a shared folder', () => {
  it('accepts content from any project of the account, which only that project can change', async () => {
    const { core, shared, folder, image, scope, sibling } = await start()
    const both = await shared()
    const mine = await folder('Mine', both)
    const picture = await image(both)
    expect(await core.galleryFolders.get(sibling, mine)).toMatchObject({ parentFolderId: both })
    expect(await core.galleryImages.get(sibling, picture)).toMatchObject({ parentFolderId: both })
    for (const refused of [
      () => core.galleryFolders.update(sibling, mine, { name: 'x' }),
      () => core.galleryFolders.remove(sibling, mine),
      () => core.galleryImages.update(sibling, picture, { name: 'x' }),
      () => core.galleryImages.remove(sibling, picture),
      () => core.galleryFolders.update(scope, both, { name: 'x' }),
      () => core.galleryFolders.remove(scope, both),
    ])
      await expect(refused()).rejects.toMatchObject({ kind: 'forbidden' })
    await image(mine, sibling)
    await expect(core.galleryFolders.remove(scope, mine)).rejects.toMatchObject({ kind: 'forbidden' })
    expect(await core.galleryImages.remove(scope, picture)).toMatchObject({ _id: picture })
  })

  it('can be removed by the operator, with everything in it', async () => {
    const { core, kept, account, shared, folder, image, scope, sibling } = await start()
    const both = await shared()
    const below = await shared('Below', both)
    await image(await folder('Deeper', below, sibling), scope)
    const own = await folder('Own')
    expect((await core.sharedFolders.list(account._id)).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Shared', 'Below', 'Deeper']),
    )
    await expect(core.sharedFolders.remove(account._id, own)).rejects.toMatchObject(gone('Gallery folder'))
    await core.sharedFolders.remove(account._id, both)
    expect(await core.sharedFolders.list(account._id)).toEqual([])
    expect(kept()).toHaveLength(0)
    expect(await core.galleryFolders.get(scope, own)).toMatchObject({ name: 'Own' })
  })

  it('needs an existing account', async () => {
    const { core, account, folder } = await start()
    await expect(core.sharedFolders.create('nobody', { name: 'n' })).rejects.toMatchObject(gone('Account'))
    await expect(core.sharedFolders.list('nobody')).rejects.toMatchObject(gone('Account'))
    const own = await folder('Own')
    await expect(core.sharedFolders.create(account._id, { name: 'n', parentFolderId: own })).rejects.toMatchObject(
      gone('Gallery folder'),
    )
  })
})

describe('an image of the gallery', () => {
  it('moves to a folder of the project, to a shared one, and back to the top, at the same URL', async () => {
    const { core, folder, image, shared, scope, sibling } = await start()
    const [own, both, picture] = [await folder('Own'), await shared(), await image()]
    const { url } = await core.galleryImages.get(scope, picture)
    for (const parentFolderId of [own, both]) {
      expect(await core.galleryImages.move(scope, picture, { parentFolderId })).toMatchObject({ parentFolderId, url })
      expect((await core.galleryImages.list(scope, { ...page, parentFolderId })).count).toBe(1)
    }
    expect(await core.galleryImages.get(sibling, picture)).toMatchObject({ parentFolderId: both })
    await core.galleryImages.move(scope, picture, { parentFolderId: null })
    await expect(core.galleryImages.get(sibling, picture)).rejects.toMatchObject(gone('Gallery image'))
    expect((await core.galleryImages.list(scope, page)).count).toBe(1)
  })

  it('does not move if another project added it, or to a folder that the project cannot see', async () => {
    const { core, folder, image, shared, scope, sibling, stranger } = await start()
    const both = await shared()
    const theirs = await image(both, sibling)
    await expect(core.galleryImages.move(scope, theirs, { parentFolderId: null })).rejects.toMatchObject({
      kind: 'forbidden',
    })
    const mine = await image()
    for (const hidden of [await folder('Hidden', null, stranger), 'none'])
      await expect(core.galleryImages.move(scope, mine, { parentFolderId: hidden })).rejects.toMatchObject(
        gone('Gallery folder'),
      )
    await expect(core.galleryImages.move(stranger, mine, { parentFolderId: null })).rejects.toMatchObject(
      gone('Gallery image'),
    )
  })

  it('has the given name, or its file’s without a path', async () => {
    const { core, scope } = await start()
    const named = async (filename: string, name?: string) =>
      (await core.galleryImages.upload(scope, { image: { ...png, filename }, ...(name && { name }) })).name
    expect(await named('a.png', 'Logo')).toBe('Logo')
    expect(await named('../../etc/passwd')).toBe('passwd')
    expect(await named('C:\\Users\\x\\Grüße 😀.png')).toBe('Grüße 😀.png')
    expect(await named('ab\r\n\u202egnp.exe')).toBe('abgnp.exe')
    for (const nothing of ['', '/', '..\\', '\r\n']) expect(await named(nothing)).toBe('image')
    expect((await named('😀'.repeat(200))).length).toBe(200)
  })

  it('has an unguessable URL that clients do not choose', async () => {
    const { core, kept, scope } = await start()
    const url = async () =>
      (await core.galleryImages.upload(scope, { image: { ...png, filename: '../x.html' }, name: '../../y' })).url
    const [one, two] = [await url(), await url()]
    for (const each of [one, two]) expect(each).toMatch(/^https:\/\/posthorn\.example\.com\/gallery\/[\w-]{22}\.png$/)
    expect(one).not.toBe(two)
    expect(kept()).toEqual([one, two].map((each) => new URL(each).pathname.slice(1)))
  })

  it('has the store’s own URL if there is one', async () => {
    const { core, scope } = await start(() => ({ publicUrl: (key) => `https://cdn.example.com/${key}` }))
    const { url } = await core.galleryImages.upload(scope, { image: png })
    expect(url).toMatch(/^https:\/\/cdn\.example\.com\/gallery\//)
    expect((await core.galleryImages.list(scope, { ...page, filter: { url } })).count).toBe(1)
    expect((await core.galleryImages.list(scope, { ...page, filter: { url: `x${url}` } })).count).toBe(0)
  })

  it('keeps its file when renamed, and loses it when removed', async () => {
    const { core, kept, scope } = await start()
    const image = await core.galleryImages.upload(scope, { image: png })
    const file = image.url.split('/').at(-1) ?? ''
    expect(await core.galleryImages.update(scope, image._id, { name: 'New' })).toMatchObject({
      name: 'New',
      url: image.url,
    })
    expect(await core.galleryImages.served(file)).toEqual({ name: 'New', contentType: 'image/png', bytes: png.bytes })
    expect(await core.galleryImages.remove(scope, image._id)).toMatchObject({ url: image.url })
    expect(kept()).toHaveLength(0)
    await expect(core.galleryImages.served(file)).rejects.toMatchObject(gone('Gallery image'))
  })

  it.each([
    [{}, 'Missing required field: image'],
    [{ image: 'a.png', size: 3 }, 'Missing required field: image; Unexpected field: size'],
    [{ image: { ...png, bytes: new TextEncoder().encode('<svg/>') } }, /^Mime type 'image\/svg\+xml' not allowed!/],
    [{ image: { ...png, bytes: png.bytes.slice(0, 40) } }, 'image: the image/png is not complete'],
  ])('is rejected without storing anything: case %#', async (input, message) => {
    const { core, kept, scope } = await start()
    await expect(core.galleryImages.upload(scope, input as never)).rejects.toThrow(message)
    expect(kept()).toHaveLength(0)
    expect((await core.galleryImages.list(scope, page)).count).toBe(0)
  })

  it('is removed if its folder is removed during the upload', async () => {
    let meanwhile = async () => {}
    const { core, kept, folder, image, scope } = await start((files) => ({
      put: async (key, bytes) => {
        await files.put(key, bytes)
        await meanwhile()
      },
    }))
    const top = await folder('Top')
    meanwhile = async () => {
      await core.galleryFolders.remove(scope, top)
    }
    await expect(image(top)).rejects.toMatchObject(gone('Gallery folder'))
    expect(kept()).toHaveLength(0)
  })
})

describe('the gallery', () => {
  it('has its project’s name, also after a rename', async () => {
    const { core, scope } = await start()
    expect((await core.galleryFolders.list(scope, page)).galleryName).toBe('Sample')
    await core.projects.update(scope, { name: 'Shop' })
    expect((await core.galleryFolders.list(scope, page)).galleryName).toBe('Shop')
    expect((await core.galleryImages.list(scope, page)).galleryName).toBe('Shop')
  })
})
