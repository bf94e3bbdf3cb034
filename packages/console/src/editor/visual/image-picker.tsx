import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { uploadImage } from '../../api/client.js'
import { GalleryPicker } from '../../gallery/gallery-picker.js'
import { useProject } from '../../shell/session.js'
import { useText } from '../../text/text.js'
import { Button } from '../../ui/button.js'
import { ErrorNote } from '../../ui/states.js'
import css from './visual.module.css'

export const ImagePicker = ({ onChoose }: { readonly onChoose: (url: string) => void }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const [isPicking, setPicking] = useState(false)
  const [failed, setFailed] = useState<unknown>()
  const upload = async (file: File) => {
    setFailed(undefined)
    try {
      onChoose((await uploadImage(projectId, file)).url)
    } catch (thrown) {
      setFailed(thrown)
    }
  }
  return (
    <div className={css.fields}>
      <Button small icon="search" onPress={() => setPicking(true)}>
        {say('galleryPick')}
      </Button>
      <FileTrigger
        acceptedFileTypes={['image/jpeg', 'image/png', 'image/gif']}
        onSelect={(files) => {
          const file = files?.[0]
          if (file) void upload(file)
        }}
      >
        <Button small icon="up">
          {say('visualUpload')}
        </Button>
      </FileTrigger>
      {failed ? <ErrorNote error={failed} /> : null}
      <GalleryPicker isOpen={isPicking} onClose={() => setPicking(false)} onPick={({ url }) => onChoose(url)} />
    </div>
  )
}
