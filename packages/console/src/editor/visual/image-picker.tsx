import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { call, uploadImage } from '../../api/client.js'
import { everyPage, largestPage } from '../../api/records.js'
import { useProject } from '../../shell/session.js'
import { useText } from '../../text/text.js'
import { Button } from '../../ui/button.js'
import { Select } from '../../ui/field.js'
import { ErrorNote } from '../../ui/states.js'
import css from './visual.module.css'

/** Images of the gallery, and new ones for it. */
export const ImagePicker = ({ onChoose }: { readonly onChoose: (url: string) => void }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const [failed, setFailed] = useState<unknown>()
  const key = [projectId, 'gallery', 'images', 'all']
  const { data = [], error } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      everyPage((skip) => call(projectId, 'get', '/gallery/images', { query: { limit: largestPage, skip }, signal })),
  })
  const upload = async (file: File) => {
    setFailed(undefined)
    try {
      const { url } = await uploadImage(projectId, file)
      onChoose(url)
      await client.invalidateQueries({ queryKey: key })
    } catch (thrown) {
      setFailed(thrown)
    }
  }
  return (
    <div className={css.fields}>
      {data.length > 0 && (
        <Select
          dense
          label={say('visualGallery')}
          value={undefined}
          placeholder={say('visualChooseImage')}
          onChange={onChoose}
          options={data.map(({ url, name }) => ({ value: url, label: name }))}
        />
      )}
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
      {failed || error ? <ErrorNote error={failed ?? error} /> : null}
    </div>
  )
}
