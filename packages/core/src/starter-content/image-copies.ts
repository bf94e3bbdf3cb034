import { type GalleryImage, imageKey } from '../gallery/image.js'
import { imageTypes } from '../gallery/image-structure.js'
import { collected } from '../kernel/listing.js'
import type { Files, NewId, Secrets } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Project } from '../projects/project.js'

export type ImageCopiesDeps = {
  readonly repositories: RepositoriesFor<{ galleryImages: GalleryImage }>
  readonly files: Files
  readonly secrets: Pick<Secrets, 'random'>
  readonly newId: NewId
}

const folder = 'gallery/'
const extensions = Object.values(imageTypes).map(({ extension }) => `.${extension}`)

/** The strings in the text that look like keys of images. */
const keysIn = (text: string): readonly string[] => {
  const named = text.split(folder).slice(1)
  const keys = named.flatMap((rest) => {
    const dot = rest.indexOf('.')
    const extension = extensions.find((one) => dot > 0 && dot < 100 && rest.startsWith(one, dot))
    return extension ? [`${folder}${rest.slice(0, dot)}${extension}`] : []
  })
  return [...new Set(keys)]
}

/**
 * Copies images of a project's own gallery to another project, so that removing the original does not affect the copy. Images that an
 * account's projects share are not copied.
 */
export const imageCopies = ({ repositories: { galleryImages }, files, secrets, newId }: ImageCopiesDeps) => {
  const copy = async (image: GalleryImage, { _id, createdAt }: Project): Promise<string | undefined> => {
    const bytes = await files.get(image.file)
    if (!bytes) return undefined
    const file = imageKey(secrets.random(16), image.contentType)
    const place = { treeId: _id, parentFolderId: null, addedBy: _id }
    await files.put(file, bytes)
    await galleryImages.add({ ...image, ...place, _id: newId(), file, createdAt, updatedAt: createdAt })
    return file
  }

  /** Copies the images that a JSON value of the source project names, and returns the value with the copies' keys. */
  return (source: Project, project: Project) => {
    const copies = new Map<string, string>()

    return async <T>(value: T): Promise<T> => {
      let text = JSON.stringify(value) ?? ''
      for (const image of await collected(galleryImages.each({ treeId: source._id, file: keysIn(text) }))) {
        const file = copies.get(image.file) ?? (await copy(image, project))
        if (file === undefined) continue
        copies.set(image.file, file)
        text = text.replaceAll(image.file, file)
      }
      return text === '' ? value : JSON.parse(text)
    }
  }
}
