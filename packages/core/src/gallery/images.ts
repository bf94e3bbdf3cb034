import { listRecordsPage } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Runtime, Secrets } from '../kernel/ports.js'
import { updated } from '../kernel/project-resource.js'
import { notFound } from '../kernel/refusal.js'
import { type ListSort, orNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import type { Project } from '../projects/project.js'
import type { GalleryFolder } from './folder.js'
import type { PageWithGalleryName } from './folders.js'
import { assertOwnGalleryItem, type GalleryQuery, galleryAccess, galleryRemoval } from './gallery-access.js'
import {
  type GalleryImage,
  GalleryImageChanges,
  GalleryImageFields,
  GalleryImageMove,
  GalleryImageView,
  imageKey,
  imageNameFromFilename,
} from './image.js'
import { checkedImage, type ImageType } from './image-format.js'

type Deps = Pick<Runtime, 'files' | 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{
    projects: Project
    galleryFolders: GalleryFolder
    galleryImages: GalleryImage
  }>
  readonly secrets: Pick<Secrets, 'random'>
  readonly settings: { readonly publicUrl: string }
}

export type ServedImage = { readonly name: string; readonly contentType: ImageType; readonly bytes: Uint8Array }

export const galleryImageUseCases = ({ repositories, files, secrets, clock, newId, settings }: Deps) => {
  const { galleryImages } = repositories
  const { reachOf, folderIn, parentIn, visible, listedBy, addedIn } = galleryAccess(repositories)
  const { removeImage } = galleryRemoval({ repositories, files })

  const urlOf = (file: string) => files.publicUrl?.(file) ?? `${settings.publicUrl}/${file}`

  const show = (image: GalleryImage | undefined): GalleryImageView => {
    const there = orNotFound(galleryImages, image)
    return GalleryImageView.parse({ ...there, url: urlOf(there.file) })
  }
  const stored = (scope: Scope, id: string) => visible(galleryImages, scope, id)

  const byFile = ({ filter: { url, ...filter } = {}, sort, order, ...query }: GalleryQuery) => {
    const file = url && `gallery/${url.slice(url.lastIndexOf('/') + 1)}`
    return {
      query: { ...query, filter, order, sort: sort === 'url' ? undefined : sort },
      where: url === undefined ? {} : { file: file && urlOf(file) === url ? file : [] },
      standing: sort === 'url' ? ({ by: 'file', order: 'desc' } satisfies ListSort<GalleryImage>) : undefined,
    }
  }

  return {
    /** @throws Refusal `invalid`, `not-found` for a folder that the project cannot see */
    list: async (scope: Scope, asked: GalleryQuery): Promise<PageWithGalleryName<GalleryImageView>> => {
      const reach = await reachOf(scope)
      const { query, where, standing } = byFile(asked)
      const within = { ...where, ...(await listedBy(reach, asked)) }
      const { items, count } = await listRecordsPage(galleryImages, within, GalleryImageView, query, standing)
      return { items: items.map(show), count, galleryName: reach.galleryName }
    },

    /**
     * Stores the file first: every listed image can be fetched.
     * @throws Refusal `invalid` unless the file is a complete JPEG, PNG or GIF; `not-found` for the folder
     */
    upload: async (scope: Scope, input: GalleryImageFields): Promise<GalleryImageView> => {
      const { image, name = imageNameFromFilename(image.filename), parentFolderId } = parsed(GalleryImageFields, input)
      const { contentType, bytes } = checkedImage(image.bytes, image.contentType)
      const { trees } = await reachOf(scope)
      const parent = await parentIn(trees, parentFolderId)
      const kept: GalleryImage = {
        _id: scope.requestId ?? newId(),
        treeId: parent?.treeId ?? scope.projectId,
        parentFolderId,
        addedBy: scope.projectId,
        name,
        file: imageKey(secrets.random(16), contentType),
        contentType,
        ...stamps(clock().toISOString()),
      }
      await files.put(kept.file, bytes)
      try {
        await addedIn(galleryImages, kept)
      } catch (error) {
        await files.remove(kept.file)
        throw error
      }
      return show(kept)
    },

    /** @throws Refusal `not-found` */
    get: async (scope: Scope, id: string): Promise<GalleryImageView> => show(await stored(scope, id)),

    /** The URL stays. @throws Refusal `not-found`, `invalid`, `forbidden` for another project's image */
    update: async (scope: Scope, id: string, input: GalleryImageChanges): Promise<GalleryImageView> => {
      const { name } = parsed(GalleryImageChanges, input)
      assertOwnGalleryItem(await stored(scope, id), scope)
      const now = clock().toISOString()
      return show(await galleryImages.change({ _id: id }, (image) => updated(image, { name }, now)))
    },

    /**
     * The URL stays. If the folder is removed concurrently, the image moves to the top of the project's own tree.
     * @throws Refusal `not-found` for the image or the folder, `forbidden` for another project's image
     */
    move: async (scope: Scope, id: string, input: GalleryImageMove): Promise<GalleryImageView> => {
      const { parentFolderId } = parsed(GalleryImageMove, input)
      assertOwnGalleryItem(await stored(scope, id), scope)
      const { trees } = await reachOf(scope)
      const { projectId } = scope
      const moveTo = (to: Pick<GalleryImage, 'treeId' | 'parentFolderId'>) =>
        galleryImages.change({ _id: id }, (image) => ({ ...image, ...to, updatedAt: clock().toISOString() }))
      if (parentFolderId === null) return show(await moveTo({ treeId: projectId, parentFolderId }))
      const { treeId } = await folderIn(trees, parentFolderId)
      const moved = await moveTo({ treeId, parentFolderId })
      try {
        await folderIn(trees, parentFolderId)
      } catch (error) {
        await moveTo({ treeId: projectId, parentFolderId: null })
        throw error
      }
      return show(moved)
    },

    /** @throws Refusal `not-found`, `forbidden` for another project's image in a shared folder */
    remove: async (scope: Scope, id: string): Promise<GalleryImageView> => {
      const image = await stored(scope, id)
      assertOwnGalleryItem(image, scope)
      return show(await removeImage(image))
    },

    /** By the last segment of the public URL. @throws Refusal `not-found` */
    served: async (fileName: string): Promise<ServedImage> => {
      const image = await galleryImages.get({ file: `gallery/${fileName}` })
      const bytes = image && (await files.get(image.file))
      if (!bytes) throw notFound(galleryImages.noun)
      return { name: image.name, contentType: image.contentType, bytes }
    },
  }
}
