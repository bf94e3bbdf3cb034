import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleImages } from '../../../../tests/corpora/images.js'
import { aWorld, type World } from '../world.js'
import { anOwner, type ConsoleBrowser } from './browser.js'

const document = { tagName: 'mjml', children: [{ tagName: 'mj-body', children: [] }] }

describe('templates and the gallery in the console', () => {
  let world: World
  let owner: ConsoleBrowser
  let at = ''
  beforeAll(async () => {
    world = await aWorld()
    owner = await anOwner(world)
    at = `/projectId/${world.project.project._id}`
  })
  afterAll(() => world.client.close())

  const lastEntry = async () => {
    const all = []
    for await (const one of world.ports.repositories.auditEntries.each({})) all.push(one)
    return all.at(-1)
  }
  const aTemplate = async () =>
    (await owner.call<{ _id: string }>('POST', `${at}/templates`, { name: 'News', subject: 'News', document })).result
      ._id

  it('show the document of a template, which the API leaves out', async () => {
    const id = await aTemplate()
    expect((await owner.call('GET', `${at}/templates/${id}`)).result).not.toHaveProperty('document')
    expect((await owner.call('GET', `${at}/templates/${id}/document`)).result).toEqual({ document })
    expect((await owner.call('GET', `${at}/templates/none/document`)).status).toBe(404)
  })

  it('send a test of a template to one address, and count nothing', async () => {
    const id = await aTemplate()
    const sent = await owner.call('POST', `${at}/templates/${id}/test`, { email: 'ada@example.com' })
    expect(sent).toMatchObject({ status: 200, result: { success: true } })
    await world.core.worker.runUntilIdle()
    expect(world.mailer.sent.map(({ to }) => to)).toEqual(['ada@example.com'])
    expect(await lastEntry()).toMatchObject({ action: 'testTemplate', record: id })
    expect(JSON.stringify(await lastEntry())).not.toContain('ada@example.com')
    expect((await owner.call('POST', `${at}/templates/none/test`, { email: 'ada@example.com' })).status).toBe(404)
    expect((await owner.call('POST', `${at}/templates/${id}/test`, { email: 'no address' })).status).toBe(400)
    expect((await owner.call('POST', `${at}/templates/${id}/test`, {})).status).toBe(400)
  })

  it('list where an image is shown', async () => {
    const { scope } = world.project
    const image = { filename: 'a.png', contentType: 'image/png', bytes: sampleImages['image/png'] }
    const { _id, url } = await world.core.galleryImages.upload(scope, { image, parentFolderId: null })
    const email = { name: 'Receipt', subject: 'Receipt', type: 'text', document: url } as const
    const { _id: emailId } = await world.core.transactionalEmails.create(scope, email)
    expect((await owner.call('GET', `${at}/gallery/images/${_id}/uses`)).result).toEqual({
      items: [{ kind: 'transactional', _id: emailId, name: 'Receipt' }],
      ...{ count: 1, isComplete: true, isShared: false },
    })
    expect((await owner.call('GET', `${at}/gallery/images/none/uses`)).status).toBe(404)
  })

  it('move an image, and record from where to where', async () => {
    const { scope } = world.project
    const image = { filename: 'a.png', contentType: 'image/png', bytes: sampleImages['image/png'] }
    const { _id } = await world.core.galleryImages.upload(scope, { image })
    const folder = await world.core.galleryFolders.create(scope, { name: 'Covers' })
    const moved = await owner.call('POST', `${at}/gallery/images/${_id}/move`, { parentFolderId: folder._id })
    expect(moved).toMatchObject({ status: 200, result: { _id, parentFolderId: folder._id } })
    expect(await lastEntry()).toMatchObject({
      action: 'moveGalleryImage',
      record: _id,
      before: { parentFolderId: null },
      after: { parentFolderId: folder._id },
    })
    expect((await owner.call('POST', `${at}/gallery/images/${_id}/move`, { parentFolderId: 'none' })).status).toBe(404)
  })
})
