import { z } from 'zod'
import { Id, Instant, type Stamped } from '../kernel/shapes.js'

/** What folders and images have in common: a place in a tree. */
export type InGallery = Stamped & {
  /** The project whose own tree it lies in, or the account whose projects share it. It never changes. */
  readonly treeId: string
  readonly parentFolderId: string | null
  /** The project that added it; absent: the operator did. */
  readonly addedBy?: string
}

/** A folder of the gallery. A project's own top level has no record. */
export type GalleryFolder = InGallery & {
  readonly name: string
  /** 1 at the top of a tree, and one more than the parent's below. */
  readonly depth: number
}

/** How deep folders may lie in one another. A removal goes no deeper either, whatever the records say. */
export const deepestFolder = 20

/** The name of a folder or an image. */
export const GalleryName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')

export const GalleryFolderFields = z
  .strictObject({
    name: GalleryName.meta({ description: 'What the folder is called' }),
    parentFolderId: z
      .string()
      .nullable()
      .default(null)
      .transform((id) => id || null)
      .meta({
        description: 'A folder of the project, or a shared one; absent or empty: the top of the project’s own tree',
      }),
  })
  .meta({ id: 'GalleryFolderFields' })
export type GalleryFolderFields = z.input<typeof GalleryFolderFields>

export const GalleryFolderChanges = z
  .strictObject({ name: GalleryName.meta({ description: 'What the folder is called' }) })
  .meta({ id: 'GalleryFolderChanges' })
export type GalleryFolderChanges = z.input<typeof GalleryFolderChanges>

export const ParentFolderId = Id.nullable().meta({
  description: 'null at the top of the project’s own tree, and for a folder that the account’s projects share',
})

/** What a client sees of a folder. */
export const GalleryFolderView = z
  .object({
    _id: Id,
    name: z.string().meta({ description: 'What the folder is called' }),
    parentFolderId: ParentFolderId,
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'GalleryFolder', description: 'A folder of the gallery: the project’s own, or shared by the account' })
export type GalleryFolderView = z.output<typeof GalleryFolderView>
