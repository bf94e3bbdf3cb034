import type { ReactNode } from 'react'
import type { GalleryFolder, GalleryImage } from '../api/types.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Icon } from '../ui/icons.js'
import type { MenuEntry } from '../ui/menu.js'
import { Empty, ErrorNote, Skeleton } from '../ui/states.js'
import { Pager } from '../ui/table.js'
import css from './gallery.module.css'
import { FolderGrid, ImageGrid } from './gallery-grid.js'
import { galleryPageSize, useFolderPath, useGalleryFolders, useGalleryImages } from './gallery-queries.js'
import type { UploadProgress } from './uploads.js'
import { UploadStatusBar } from './uploads.js'

export const GalleryView = ({
  folder,
  skip,
  uploads,
  mayEdit,
  onFolder,
  onSkip,
  onImage,
  menuOfFolder,
  menuOfImage,
  onMove,
  action,
}: {
  readonly folder: string
  readonly skip: number
  readonly uploads: UploadProgress
  readonly mayEdit: boolean
  readonly onFolder: (folder: string) => void
  readonly onSkip: (skip: number) => void
  readonly onImage: (image: GalleryImage) => void
  readonly menuOfFolder?: (folder: GalleryFolder) => readonly MenuEntry[]
  readonly menuOfImage?: (image: GalleryImage) => readonly MenuEntry[]
  readonly onMove?: (imageIds: readonly string[], folder: string) => void
  /** For an empty gallery. */
  readonly action?: ReactNode
}) => {
  const { say } = useText()
  const folders = useGalleryFolders(folder)
  const images = useGalleryImages(folder, skip)
  const path = useFolderPath(folder)
  const error = folders.error ?? images.error ?? path.error
  const parent = folder === '' ? undefined : (path.data?.at(-1)?.parentFolderId ?? '')
  const retry = () => void Promise.all([folders.refetch(), images.refetch(), folder !== '' && path.refetch()])
  return (
    <>
      {folder !== '' && (
        <nav className={css.path} aria-label={say('galleryPath')}>
          <Button kind="linklike" onPress={() => onFolder('')}>
            {say('gallery')}
          </Button>
          {path.data?.map(({ _id, name }, at) => (
            <span key={_id} className={css.path}>
              <Icon name="right" size={12} />
              {at === path.data.length - 1 ? (
                <b>{name}</b>
              ) : (
                <Button kind="linklike" onPress={() => onFolder(_id)}>
                  {name}
                </Button>
              )}
            </span>
          ))}
        </nav>
      )}
      <UploadStatusBar uploads={uploads} />
      {error ? (
        <ErrorNote error={error} onRetry={retry} />
      ) : !folders.data || !images.data || (folder !== '' && !path.data) ? (
        <Skeleton rows={4} tall />
      ) : (
        <>
          <FolderGrid
            up={parent}
            folders={folders.data}
            onOpen={onFolder}
            {...(menuOfFolder && { menuOf: menuOfFolder })}
            {...(onMove && { onMove })}
            {...(mayEdit && { onFiles: (files, into) => void uploads.add(files, into) })}
          />
          <ImageGrid
            images={images.data.items}
            onOpen={onImage}
            isMovable={onMove !== undefined}
            {...(menuOfImage && { menuOf: menuOfImage })}
            {...(mayEdit && { onFiles: (files) => void uploads.add(files, folder) })}
            empty={
              <Empty icon="image" title={say('galleryEmpty')} action={action}>
                {say(mayEdit ? 'galleryEmptyText' : 'galleryEmptyRead')}
              </Empty>
            }
          />
          <Pager label={say('gallery')} skip={skip} limit={galleryPageSize} count={images.data.count} onSkip={onSkip} />
        </>
      )}
    </>
  )
}
