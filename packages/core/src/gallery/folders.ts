import type { Account } from '../accounts/account.js'
import { collected, listRecordsPage } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { updated } from '../kernel/project-resource.js'
import { getOrNotFound, orNotFound, type Page, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { Project } from '../projects/project.js'
import { type GalleryFolder, GalleryFolderChanges, GalleryFolderFields, GalleryFolderView } from './folder.js'
import {
  assertOwnGalleryItem,
  type GalleryQuery,
  galleryAccess,
  galleryRemoval,
  sharedGalleryRefusal,
} from './gallery-access.js'
import type { GalleryImage } from './image.js'

type Deps = Pick<Runtime, 'files' | 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{
    projects: Project
    galleryFolders: GalleryFolder
    galleryImages: GalleryImage
  }>
}

export type PageWithGalleryName<T> = Page<T> & { readonly galleryName: string }

export const galleryFolderUseCases = ({ repositories, files, clock, newId }: Deps) => {
  const { galleryFolders } = repositories
  const { reachOf, visible, listedBy, addFolder } = galleryAccess(repositories)
  const { removeFolder, isWhollyBy } = galleryRemoval({ repositories, files })

  const stored = (scope: Scope, id: string) => visible(galleryFolders, scope, id)
  const show = (folder: GalleryFolder | undefined) => GalleryFolderView.parse(orNotFound(galleryFolders, folder))

  return {
    /** @throws Refusal `invalid`, `not-found` for a folder that the project cannot see */
    list: async (scope: Scope, query: GalleryQuery): Promise<PageWithGalleryName<GalleryFolderView>> => {
      const reach = await reachOf(scope)
      const where = await listedBy(reach, query)
      const { items, count } = await listRecordsPage(galleryFolders, where, GalleryFolderView, query)
      return { items: items.map(show), count, galleryName: reach.galleryName }
    },

    /** A folder below a shared folder is shared too. @throws Refusal `invalid`, `not-found` for the parent */
    create: async (scope: Scope, input: GalleryFolderFields): Promise<GalleryFolderView> => {
      const { name, parentFolderId } = parsed(GalleryFolderFields, input)
      const { trees } = await reachOf(scope)
      const given = { _id: scope.requestId ?? newId(), parentFolderId, addedBy: scope.projectId, name }
      return show(await addFolder(trees, given, clock().toISOString()))
    },

    /** @throws Refusal `not-found` */
    get: async (scope: Scope, id: string): Promise<GalleryFolderView> => show(await stored(scope, id)),

    /** @throws Refusal `not-found`, `invalid`, `forbidden` unless the project added it */
    update: async (scope: Scope, id: string, input: GalleryFolderChanges): Promise<GalleryFolderView> => {
      const { name } = parsed(GalleryFolderChanges, input)
      assertOwnGalleryItem(await stored(scope, id), scope)
      const now = clock().toISOString()
      return show(await galleryFolders.change({ _id: id }, (folder) => updated(folder, { name }, now)))
    },

    /**
     * With everything below it. @throws Refusal `not-found`, `forbidden` if a shared one contains anything that others
     * added
     */
    remove: async (scope: Scope, id: string): Promise<GalleryFolderView> => {
      const folder = await stored(scope, id)
      const own = folder.treeId === scope.projectId || (await isWhollyBy(scope.projectId, folder))
      if (!own) throw sharedGalleryRefusal()
      return show(await removeFolder(folder))
    },
  }
}

type SharedDeps = Deps & { readonly repositories: RepositoriesFor<{ accounts: Account }> }

/** For the operator: folders that all projects of an account share (spec, "Gallery folder"). */
export const sharedGalleryFolderUseCases = ({ repositories, files, clock, newId }: SharedDeps) => {
  const { accounts, galleryFolders } = repositories
  const { folderIn, addFolder } = galleryAccess(repositories)
  const { removeFolder } = galleryRemoval({ repositories, files })

  const assertAccount = async (accountId: string): Promise<void> => {
    await getOrNotFound(accounts, { _id: accountId })
  }
  const show = (folder: GalleryFolder | undefined) => GalleryFolderView.parse(orNotFound(galleryFolders, folder))

  return {
    /** Includes nested folders. @throws Refusal `not-found` for the account */
    list: async (accountId: string): Promise<readonly GalleryFolderView[]> => {
      await assertAccount(accountId)
      return (await collected(galleryFolders.each({ treeId: accountId }))).map(show)
    },

    /** @throws Refusal `invalid`, `not-found` for the account or the parent */
    create: async (accountId: string, input: GalleryFolderFields): Promise<GalleryFolderView> => {
      const { name, parentFolderId } = parsed(GalleryFolderFields, input)
      await assertAccount(accountId)
      return show(await addFolder([accountId], { _id: newId(), parentFolderId, name }, clock().toISOString()))
    },

    /** Removes everything below it, no matter who added it. @throws Refusal `not-found` */
    remove: async (accountId: string, id: string): Promise<GalleryFolderView> => {
      await assertAccount(accountId)
      return show(await removeFolder(await folderIn([accountId], id)))
    },
  }
}
