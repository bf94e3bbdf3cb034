import { createCore } from '@posthorn/core'
import { storePortsOf } from '@posthorn/core/ports/storage'
import { inMemoryPorts, numberedId, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { freshStore, type MakeStore } from './under-test/store.js'

const newest = 1_000
const patience = 60_000
/** A picture of one pixel. */
const bytes = Uint8Array.from(atob('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'), (c) => c.charCodeAt(0))
const gif = { filename: 'lamp.gif', contentType: 'image/gif', bytes }

/** Where the contents of a project show an image of its gallery. */
export const imageUsesContract = (name: string, make: MakeStore) => {
  describe(`${name}: the uses of an image`, () => {
    const store = freshStore(make)

    const aGallery = async () => {
      const { ports } = inMemoryPorts({ ...storePortsOf(store()), storeClock: undefined })
      const core = createCore(ports)
      const { account, scope, list } = await sampleProject(core)
      const image = await core.galleryImages.upload(scope, { image: gif, parentFolderId: null })
      const email = { subject: 'News', type: 'text', document: image.url } as const
      const campaign = { ...email, timeZone: 'UTC', subscriberListId: list._id } as const
      return {
        core,
        ports,
        account,
        scope,
        list,
        image,
        email,
        campaign,
        uses: () => core.galleryImages.uses(scope, image._id),
      }
    }

    it('are in every kind of content, also behind another host name', async () => {
      const { core, scope, list, image, email, campaign, uses } = await aGallery()
      expect(await uses()).toEqual({ items: [], count: 0, isComplete: true, isShared: false })
      const url = image.url.replace(/^https?:\/\/[^/]+/, 'https://cdn.example')
      const mjml = {
        tagName: 'mjml',
        children: [{ tagName: 'mj-body', children: [{ tagName: 'mj-image', attributes: { src: url } }] }],
      }
      const { _id: first } = await core.campaigns.create(scope, { ...campaign, name: 'First' })
      const { _id: triggered } = await core.triggeredEmails.create(scope, {
        ...email,
        name: 'Back',
        subscriberListId: list._id,
      })
      const { _id: transactional } = await core.transactionalEmails.create(scope, { ...email, name: 'Receipt' })
      const { _id: template } = await core.templates.create(scope, { name: 'Letter', subject: 'News', document: mjml })
      await core.projects.update(scope, { logoUrl: url })
      const [design] = (
        await core.designSystems.list(scope, {
          skip: 0,
          limit: 1,
          sort: 'createdAt',
          order: 'desc',
        })
      ).items
      await core.designSystems.update(scope, design?._id ?? '', {
        setOverrides: [{ category: 'variables', key: 'images', name: 'logo', value: url }],
      })
      await core.transactionalEmails.create(scope, { ...email, name: 'Without', document: 'No image' })
      const { items, ...rest } = await uses()
      expect(rest).toEqual({ count: 6, isComplete: true, isShared: false })
      expect(items).toEqual([
        { kind: 'campaign', _id: first, name: 'First' },
        { kind: 'triggered', _id: triggered, name: 'Back' },
        { kind: 'transactional', _id: transactional, name: 'Receipt' },
        { kind: 'template', _id: template, name: 'Letter' },
        { kind: 'design-system', _id: design?._id, name: '' },
        { kind: 'project', _id: scope.projectId, name: 'Sample' },
      ])
    })

    it('are none of another project, and an image in a shared folder says so', async () => {
      const { core, account, scope } = await aGallery()
      const { _id: parentFolderId } = await core.sharedFolders.create(account._id, {
        name: 'Shared',
        parentFolderId: null,
      })
      const shared = await core.galleryImages.upload(scope, { image: gif, parentFolderId })
      const sibling = {
        ...scope,
        projectId: (await core.projects.create({ accountId: account._id, name: 'Sibling' }))._id,
      }
      await core.transactionalEmails.create(sibling, {
        name: 'Theirs',
        subject: 'News',
        type: 'text',
        document: shared.url,
      })
      expect(await core.galleryImages.uses(scope, shared._id)).toMatchObject({ count: 0, isShared: true })
      expect(await core.galleryImages.uses(sibling, shared._id)).toMatchObject({ count: 1, isShared: true })
      const stranger = (await sampleProject(core, { name: 'Stranger' })).scope
      await expect(core.galleryImages.uses(stranger, shared._id)).rejects.toMatchObject({ kind: 'not-found' })
    })

    it(
      `are searched in the newest ${newest} of a kind, and it says that there are more`,
      async () => {
        const { core, ports, scope, email, uses } = await aGallery()
        const { transactionalEmails } = ports.repositories
        const { _id } = await core.transactionalEmails.create(scope, { ...email, name: 'Oldest' })
        const oldest = await transactionalEmails.get({ _id })
        if (!oldest) throw new Error('It is stored.')
        const later = new Date(Date.parse(oldest.createdAt) + 1_000).toISOString()
        const others = Array.from({ length: newest }, (_, n) => ({
          ...{
            ...oldest,
            _id: numberedId(1_000_000 + n),
            document: 'No image',
            createdAt: later,
          },
        }))
        await transactionalEmails.addNew(others.slice(1))
        expect(await uses()).toMatchObject({ count: 1, isComplete: true })
        await transactionalEmails.addNew(others.slice(0, 1))
        expect(await uses()).toMatchObject({ count: 0, isComplete: false })
      },
      patience,
    )
  })
}
