import type { Account } from '../accounts/account.js'
import { collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { getOrNotFound, orNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Project } from '../projects/project.js'
import { type GalleryFolder, GalleryFolderFields, GalleryFolderView } from './folder.js'
import { galleryAccess, galleryRemoval } from './gallery-access.js'
import type { GalleryImage } from './image.js'

type Deps = Pick<Runtime, 'files' | 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{
    accounts: Account
    projects: Project
    galleryFolders: GalleryFolder
    galleryImages: GalleryImage
  }>
}

/** For the operator: folders that all projects of an account share (spec, "Gallery folder"). */
export const sharedGalleryFolderUseCases = ({ repositories, files, clock, newId }: Deps) => {
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
