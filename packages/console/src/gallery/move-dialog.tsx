import { useState } from 'react'
import type { GalleryImage } from '../api/types.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { FormDialog } from '../ui/dialog.js'
import { ErrorNote, Skeleton } from '../ui/states.js'
import css from './gallery.module.css'
import { FolderGrid } from './gallery-grid.js'
import { useFolderPath, useGalleryFolders } from './gallery-queries.js'

export const MoveDialog = ({
  image,
  onClose,
  onMove,
}: {
  readonly image: GalleryImage
  readonly onClose: () => void
  readonly onMove: (folder: string) => Promise<void>
}) => {
  const { say } = useText()
  const [folder, setFolder] = useState(image.parentFolderId ?? '')
  const folders = useGalleryFolders(folder)
  const path = useFolderPath(folder)
  const here = path.data?.at(-1)
  const error = folders.error ?? path.error
  return (
    <FormDialog
      title={say('galleryMoveTitle', { name: image.name })}
      isOpen
      wide
      onClose={onClose}
      submit={folder === '' ? say('galleryMoveTop') : say('galleryMoveTo', { name: here?.name ?? '…' })}
      why={folder === (image.parentFolderId ?? '') ? say('galleryMoveText') : undefined}
      onSubmit={() => onMove(folder)}
    >
      <p>{say('galleryMoveText')}</p>
      {error ? (
        <>
          <ErrorNote error={error} onRetry={() => void folders.refetch()} />
          <Button onPress={() => setFolder('')}>{say('gallery')}</Button>
        </>
      ) : !folders.data || (folder !== '' && !path.data) ? (
        <Skeleton rows={2} />
      ) : (
        <>
          {folder === '' && folders.data.length === 0 && <p className={css.hint}>{say('galleryNoFolders')}</p>}
          <FolderGrid
            up={folder === '' ? undefined : (here?.parentFolderId ?? '')}
            folders={folders.data}
            onOpen={setFolder}
          />
        </>
      )}
    </FormDialog>
  )
}
