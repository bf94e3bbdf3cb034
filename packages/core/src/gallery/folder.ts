import { z } from 'zod'
import { Id, recordView, type Stamped } from '../kernel/shapes.js'

export type InGallery = Stamped & {
  /** The owning project, or the sharing account. Changes only when an image is moved to another tree. */
  readonly treeId: string
  readonly parentFolderId: string | null
  /** The project; absent if the operator added it. */
  readonly addedBy?: string
}

/** A project's own top level has no record. */
export type GalleryFolder = InGallery & {
  readonly name: string
  /** 1 at the top of a tree. */
  readonly depth: number
}

/** Removal does not descend further either. */
export const deepestFolder = 20

export const GalleryName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')

export const GalleryFolderFields = z
  .strictObject({
    name: GalleryName.describe('What the folder is called'),
    parentFolderId: z
      .string()
      .nullable()
      .default(null)
      .transform((id) => id || null)
      .describe('A folder of the project, or a shared one; absent or empty: the top of the project’s own tree'),
  })
  .meta({ id: 'GalleryFolderFields' })
export type GalleryFolderFields = z.input<typeof GalleryFolderFields>

export const GalleryFolderChanges = z
  .strictObject({ name: GalleryName.describe('What the folder is called') })
  .meta({ id: 'GalleryFolderChanges' })
export type GalleryFolderChanges = z.input<typeof GalleryFolderChanges>

export const ParentFolderId = Id.nullable().describe(
  'null at the top of the project’s own tree, and for a folder that the account’s projects share',
)

/** A gallery folder in responses. */
export const GalleryFolderView = recordView({
  name: z.string().describe('What the folder is called'),
  parentFolderId: ParentFolderId,
}).meta({ id: 'GalleryFolder', description: 'A folder of the gallery: the project’s own, or shared by the account' })
export type GalleryFolderView = z.output<typeof GalleryFolderView>
