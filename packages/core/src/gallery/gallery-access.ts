import { z } from 'zod'
import { chunked, ListQueryFields } from '../kernel/listing.js'
import type { Files } from '../kernel/ports.js'
import { forbidden, invalid, notFound } from '../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor, type Repository, uncheckedWhere } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import type { Project } from '../projects/project.js'
import { deepestFolder, type GalleryFolder, type InGallery } from './folder.js'
import type { GalleryImage } from './image.js'

export const GalleryQuery = ListQueryFields.extend({
  parentFolderId: z
    .string()
    .transform((id) => id || undefined)
    .optional()
    .describe('The folder whose content is listed; absent: the top level, where the shared folders are listed too'),
})
export type GalleryQuery = z.output<typeof GalleryQuery>

type GalleryAccess = { readonly galleryName: string; readonly trees: readonly [string, ...string[]] }

/** Access rules of the gallery (spec, "Gallery rules"). */
export const galleryAccess = ({
  projects,
  galleryFolders,
}: RepositoriesFor<{ projects: Project; galleryFolders: GalleryFolder }>) => {
  const reachOf = async ({ projectId }: Scope): Promise<GalleryAccess> => {
    const project = await getOrNotFound(projects, { _id: projectId })
    return { galleryName: project.name, trees: [projectId, project.accountId] }
  }

  const folderIn = (trees: readonly string[], id: string): Promise<GalleryFolder> =>
    getOrNotFound(galleryFolders, { _id: id, treeId: trees })

  /** Undefined at the top. @throws Refusal `not-found` */
  const parentIn = async (trees: readonly string[], id: string | null): Promise<GalleryFolder | undefined> =>
    id === null ? undefined : folderIn(trees, id)

  /** If the folder is removed concurrently, removes the record, too. @throws Refusal `not-found` */
  const addedIn = async <T extends InGallery>(repository: Repository<T>, record: T): Promise<void> => {
    await repository.add(record)
    const { parentFolderId, _id } = record
    if (parentFolderId === null || (await galleryFolders.get({ _id: parentFolderId }))) return
    await repository.remove(uncheckedWhere<InGallery, T>({ _id }))
    throw notFound(galleryFolders.noun)
  }

  return {
    reachOf,
    folderIn,
    parentIn,
    addedIn,

    /** @throws Refusal `not-found` if the project cannot see it */
    visible: async <T extends InGallery>(repository: Repository<T>, scope: Scope, id: string): Promise<T> => {
      const { trees } = await reachOf(scope)
      return getOrNotFound(repository, uncheckedWhere<InGallery, T>({ _id: id, treeId: trees }))
    },

    /** The given folder, or the top level of both trees. @throws Refusal `not-found` */
    listedBy: async ({ trees }: GalleryAccess, { parentFolderId, filter }: GalleryQuery) => {
      const parent = parentFolderId === undefined ? null : (await folderIn(trees, parentFolderId))._id
      const contradicted = filter?.parentFolderId !== undefined && filter.parentFolderId !== parent
      return { treeId: trees, parentFolderId: contradicted ? [] : parent }
    },

    /** In the first of the trees, unless it has a parent. @throws Refusal `not-found` for the parent, `invalid` if it is too deep */
    addFolder: async (
      trees: readonly [string, ...string[]],
      { parentFolderId, ...given }: Pick<GalleryFolder, '_id' | 'name' | 'parentFolderId' | 'addedBy'>,
      now: string,
    ): Promise<GalleryFolder> => {
      const parent = await parentIn(trees, parentFolderId)
      const place = { treeId: parent?.treeId ?? trees[0], parentFolderId, depth: depthBelow(parent) }
      const folder = { ...given, ...place, ...stamps(now) }
      await addedIn(galleryFolders, folder)
      return folder
    },
  }
}

const depthBelow = (parent: GalleryFolder | undefined): number => {
  const depth = (parent?.depth ?? 0) + 1
  if (depth > deepestFolder) throw invalid(`parentFolderId: folders lie at most ${deepestFolder} deep in one another`)
  return depth
}

/** Others share the record, so only its project may change it. @throws Refusal `forbidden` */
export const assertOwnGalleryItem = ({ addedBy }: InGallery, { projectId }: Scope): void => {
  if (addedBy !== projectId) throw sharedGalleryRefusal()
}

export const sharedGalleryRefusal = () =>
  forbidden('This is shared by the projects of the account. A project can change only what it added itself.')

type Deps = {
  readonly repositories: RepositoriesFor<{ galleryFolders: GalleryFolder; galleryImages: GalleryImage }>
  readonly files: Files
}

/**
 * Crash-safe: removes the folder last, so repeating the call removes the rest; and a record before its file, so every
 * listed image has its file.
 */
export const galleryRemoval = ({ repositories: { galleryFolders, galleryImages }, files }: Deps) => {
  const dropFiles = async (images: readonly GalleryImage[]) => {
    await Promise.all(images.map(({ file }) => files.remove(file)))
  }

  const imagesIn = async ({ _id }: GalleryFolder): Promise<void> => {
    for await (const some of chunked(galleryImages.each({ parentFolderId: _id }), 100)) {
      await galleryImages.removeAll({ _id: some.map((image) => image._id) })
      await dropFiles(some)
    }
  }

  const children = ({ _id, depth }: GalleryFolder) => galleryFolders.each({ parentFolderId: _id, depth: depth + 1 })

  const contentOf = async (folder: GalleryFolder): Promise<void> => {
    for await (const child of children(folder)) await removeFolder(child)
    await imagesIn(folder)
  }

  const removeFolder = async (folder: GalleryFolder): Promise<GalleryFolder | undefined> => {
    await contentOf(folder)
    const removed = await galleryFolders.remove({ _id: folder._id })
    // Content added during the removal; without the folder, no more can be added.
    await contentOf(folder)
    return removed
  }

  const isWhollyBy = async (projectId: string, folder: GalleryFolder): Promise<boolean> => {
    if (folder.addedBy !== projectId) return false
    for await (const { addedBy } of galleryImages.each({ parentFolderId: folder._id }))
      if (addedBy !== projectId) return false
    for await (const child of children(folder)) if (!(await isWhollyBy(projectId, child))) return false
    return true
  }

  return {
    removeFolder,
    isWhollyBy,
    /** Undefined if another caller removed it first. */
    removeImage: async (image: GalleryImage): Promise<GalleryImage | undefined> => {
      const removed = await galleryImages.remove({ _id: image._id })
      await dropFiles([image])
      return removed
    },
  }
}
