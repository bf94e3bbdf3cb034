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
 * Removing, so that a crash at any point leaves a gallery that is right by itself: the deepest first, the folder last, so that
 * asking again removes the rest; a record before its file, so that no image is shown whose file is gone. What can be left over
 * is a file that no record names, and nothing serves.
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

  /** The folder as it was, and nothing of it left; undefined where somebody else was faster. */
  const removeFolder = async (folder: GalleryFolder): Promise<GalleryFolder | undefined> => {
    await contentOf(folder)
    const removed = await galleryFolders.remove({ _id: folder._id })
    // What was added while the rest was removed: nothing can be added any more.
    await contentOf(folder)
    return removed
  }

  /** Whether all in the folder, and the folder itself, was added by the project. */
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
    /** The image as it was; undefined where somebody else was faster. */
    removeImage: async (image: GalleryImage): Promise<GalleryImage | undefined> => {
      const removed = await galleryImages.remove({ _id: image._id })
      await dropFiles([image])
      return removed
    },
  }
}
