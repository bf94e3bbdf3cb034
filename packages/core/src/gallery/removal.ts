import { chunked } from '../kernel/listing.js'
import type { Files } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { GalleryFolder } from './folder.js'
import type { GalleryImage } from './image.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ galleryFolders: GalleryFolder; galleryImages: GalleryImage }>
  readonly files: Files
}

/**
 * Removal that leaves a consistent gallery if it crashes at any point. It removes the deepest content first and the folder last, so that
 * repeating the call removes the rest; and a record before its file, so that no listed image lacks its file. A crash can leave a file
 * without a record, which is never served.
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

  /** Removes the folder with its content and returns it; undefined if another caller removed it first. */
  const removeFolder = async (folder: GalleryFolder): Promise<GalleryFolder | undefined> => {
    await contentOf(folder)
    const removed = await galleryFolders.remove({ _id: folder._id })
    // Removes content that was added during the removal. No more can be added, because the folder is gone.
    await contentOf(folder)
    return removed
  }

  /** Whether the project added the folder and everything in it. */
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
    /** Removes the image and returns it; undefined if another caller removed it first. */
    removeImage: async (image: GalleryImage): Promise<GalleryImage | undefined> => {
      const removed = await galleryImages.remove({ _id: image._id })
      await dropFiles([image])
      return removed
    },
  }
}
