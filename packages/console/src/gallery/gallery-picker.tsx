import { useState } from 'react'
import type { GalleryImage } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Dialog } from '../ui/dialog.js'
import { GalleryView } from './gallery-view.js'
import { UploadButton, useUploads } from './uploads.js'

export const GalleryPicker = ({
  isOpen,
  onClose,
  onPick,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onPick: (image: GalleryImage) => void
}) => {
  const { say } = useText()
  const { may } = useProject()
  const uploads = useUploads()
  const [{ folder, skip }, setPlace] = useState({ folder: '', skip: 0 })
  const mayEdit = may('content.edit')
  return (
    <Dialog
      title={say('galleryPick')}
      isOpen={isOpen}
      wide
      onClose={onClose}
      foot={
        <>
          <Button kind="quiet" onPress={onClose}>
            {say('cancel')}
          </Button>
          {mayEdit && <UploadButton uploads={uploads} folder={folder} />}
        </>
      }
    >
      <GalleryView
        folder={folder}
        skip={skip}
        uploads={uploads}
        mayEdit={mayEdit}
        onFolder={(to) => setPlace({ folder: to, skip: 0 })}
        onSkip={(to) => setPlace({ folder, skip: to })}
        onImage={(image) => {
          onPick(image)
          onClose()
        }}
      />
    </Dialog>
  )
}
