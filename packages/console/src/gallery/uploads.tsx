import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { uploadImage } from '../api/client.js'
import type { GalleryImage } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Long } from '../ui/long.js'
import { Note, useErrorText } from '../ui/states.js'
import css from './gallery.module.css'

export const imageFileTypes = ['image/jpeg', 'image/png', 'image/gif']

type Failed = { readonly id: number; readonly name: string; readonly sentence: string }

export type UploadProgress = {
  readonly done: number
  readonly count: number
  readonly failed: readonly Failed[]
  readonly add: (files: readonly File[], folder: string) => Promise<readonly GalleryImage[]>
  readonly dismiss: () => void
}

/** One file after the other; a refused one does not stop the others. */
export const useUploads = (): UploadProgress => {
  const { projectId } = useProject()
  const client = useQueryClient()
  const errorText = useErrorText()
  const [{ done, count }, setProgress] = useState({ done: 0, count: 0 })
  const [failed, setFailed] = useState<readonly Failed[]>([])
  const add = useCallback(
    async (files: readonly File[], folder: string) => {
      const images: GalleryImage[] = []
      setProgress((now) => ({ ...now, count: now.count + files.length }))
      for (const file of files) {
        try {
          images.push(await uploadImage(projectId, file, folder))
        } catch (error) {
          const sentence = errorText(error).join(' ')
          setFailed((all) => [...all, { id: Date.now() + Math.random(), name: file.name, sentence }])
        }
        setProgress((now) => ({ ...now, done: now.done + 1 }))
      }
      setProgress((now) => (now.done >= now.count ? { done: 0, count: 0 } : now))
      await client.invalidateQueries({ queryKey: [projectId, 'gallery', 'images'] })
      return images
    },
    [projectId, client, errorText],
  )
  return { done, count, failed, add, dismiss: () => setFailed([]) }
}

export const UploadButton = ({
  uploads: { add, count },
  folder,
}: {
  readonly uploads: UploadProgress
  readonly folder: string
}) => {
  const { say } = useText()
  return (
    <FileTrigger
      allowsMultiple
      acceptedFileTypes={imageFileTypes}
      onSelect={(files) => void add([...(files ?? [])], folder)}
    >
      <Button kind="primary" icon="up">
        {count > 0 ? say('uploading') : say('galleryUpload')}
      </Button>
    </FileTrigger>
  )
}

export const UploadStatusBar = ({
  uploads: { done, count, failed, dismiss },
}: {
  readonly uploads: UploadProgress
}) => {
  const { say } = useText()
  return (
    <>
      {count > 0 && (
        <div className={css.progress} role="status">
          <span>{say('galleryUploading', { done, count })}</span>
          <progress value={done} max={count} aria-label={say('uploading')} />
        </div>
      )}
      {failed.length > 0 && (
        <Note
          kind="bad"
          action={
            <Button small onPress={dismiss}>
              {say('close')}
            </Button>
          }
        >
          <ul>
            {failed.map(({ id, name, sentence }) => (
              <li key={id}>
                <Long>{say('galleryRefused', { name, reason: sentence })}</Long>
              </li>
            ))}
          </ul>
        </Note>
      )}
    </>
  )
}
