import type { GalleryImage } from '../api/types.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Dialog } from '../ui/dialog.js'
import css from './gallery.module.css'
import { Picture } from './gallery-grid.js'
import { ImageUses } from './image-uses.js'

export const ImageDialog = ({
  image: { _id, name, url, createdAt },
  onClose,
  onCopy,
}: {
  readonly image: GalleryImage
  readonly onClose: () => void
  readonly onCopy: () => void
}) => {
  const { say, dateTime } = useText()
  return (
    <Dialog
      title={name}
      isOpen
      wide
      onClose={onClose}
      foot={
        <>
          <Button kind="quiet" onPress={onClose}>
            {say('close')}
          </Button>
          <Button kind="primary" icon="link" onPress={onCopy}>
            {say('galleryCopyUrl')}
          </Button>
        </>
      }
    >
      <span className={css.large}>
        <Picture url={url} alt={name} />
      </span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <code className={css.url} tabIndex={0}>
        {url}
      </code>
      <p className={css.hint}>{say('galleryUploaded', { time: dateTime(createdAt) })}</p>
      <ImageUses id={_id} />
    </Dialog>
  )
}
