import { z } from 'zod'
import { messageWithoutFieldName } from '../kernel/parsed.js'
import { recordView } from '../kernel/shapes.js'
import { GalleryFolderFields, GalleryName, type InGallery, ParentFolderId } from './folder.js'
import { type ImageType, imageTypes } from './image-format.js'

/** The bytes never change. */
export type GalleryImage = InGallery & {
  readonly name: string
  /** Key in the file store and path of the URL; cannot be guessed. */
  readonly file: string
  readonly contentType: ImageType
}

/** As sent: name and type are not verified. */
export type UploadedFile = { readonly filename: string; readonly contentType: string; readonly bytes: Uint8Array }

const isFile = (value: unknown) =>
  typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array

/** gaps.md, "Gallery". */
export const GalleryImageFields = z
  .strictObject({
    image: z.custom<UploadedFile>(isFile, messageWithoutFieldName('Missing required field: image')).meta({
      override: { type: 'string', format: 'binary' },
      description: 'The file: a JPEG, PNG or GIF by its bytes, of at most 10 MB unless the server is set otherwise',
    }),
    name: GalleryName.optional().describe('Absent: the file’s name'),
    parentFolderId: GalleryFolderFields.shape.parentFolderId,
  })
  .meta({ id: 'GalleryImageFields' })
export type GalleryImageFields = z.input<typeof GalleryImageFields>

export const GalleryImageChanges = z
  .strictObject({ name: GalleryName.describe('What the image is called') })
  .meta({ id: 'GalleryImageChanges' })
export type GalleryImageChanges = z.input<typeof GalleryImageChanges>

export const GalleryImageMove = z
  .strictObject({ parentFolderId: GalleryFolderFields.shape.parentFolderId })
  .meta({ id: 'GalleryImageMove' })
export type GalleryImageMove = z.input<typeof GalleryImageMove>

/** `url` is public. */
export const GalleryImageView = recordView({
  name: z.string().describe('What the image is called'),
  url: z.string().describe('Public URL of the image, until it is removed from the gallery'),
  parentFolderId: ParentFolderId,
}).meta({ id: 'GalleryImage', description: 'An image for mails, at a public address' })
export type GalleryImageView = z.output<typeof GalleryImageView>

export const imageKey = (random: string, type: ImageType) => `gallery/${random}.${imageTypes[type].extension}`

/** Removes path and control characters; never empty. */
export const imageNameFromFilename = (filename: string): string => {
  const [last = ''] = filename.split(/[\\/]/).slice(-1)
  const clean = last.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '').trim()
  return /^.{1,100}/su.exec(clean)?.[0].trim() ?? 'image'
}
