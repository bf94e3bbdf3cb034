import { z } from 'zod'
import { Id, Instant, type Stamped } from '../kernel/shapes.js'

/** The fields that folders and images share: their place in a tree. */
export type InGallery = Stamped & {
  /** The project that owns the tree, or the account whose projects share it. Never changes. */
  readonly treeId: string
  readonly parentFolderId: string | null
  /** The project that added it; absent if the operator did. */
  readonly addedBy?: string
}

/** A folder of the gallery. A project's own top level has no record. */
export type GalleryFolder = InGallery & {
  readonly name: string
  /** 1 at the top of a tree, and one more than the parent's below. */
  readonly depth: number
}

/** The deepest nesting of folders. Removal does not descend further either, whatever the records say. */
export const deepestFolder = 20

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

/** A gallery folder in responses. */
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
