import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { GalleryFolder, GalleryImage } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { DestroyDialog, FormDialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import type { MenuEntry } from '../ui/menu.js'
import { ErrorNote, useToast } from '../ui/states.js'
import css from './gallery.module.css'
import { GalleryView } from './gallery-view.js'
import { ImageDialog } from './image-dialog.js'
import { ImageUses } from './image-uses.js'
import { MoveDialog } from './move-dialog.js'
import { UploadButton, useUploads } from './uploads.js'

type Item =
  | { readonly kind: 'folder'; readonly record: GalleryFolder }
  | { readonly kind: 'image'; readonly record: GalleryImage }
type Act = 'rename' | 'delete' | 'move' | 'show'
type Chosen = { readonly act: Act; readonly item: Item }

export const GalleryPage = () => {
  const { say } = useText()
  const lacks = useLacks()
  const { projectId, may } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const uploads = useUploads()
  const { get, set } = useUrlState()
  const folder = get('folder')
  const skip = skipOf(get('skip'))
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<Chosen>()
  const [failed, setFailed] = useState<unknown>()
  const mayEdit = may('content.edit')
  const changed = () => client.invalidateQueries({ queryKey: [projectId, 'gallery'] })

  const move = async (images: readonly string[], parentFolderId: string) => {
    for (const id of images)
      await call(projectId, 'post', '/gallery/images/{id}/move', { params: { id }, body: { parentFolderId } })
    toast(say('galleryMoved'))
  }
  const dropped = async (images: readonly string[], into: string) => {
    setFailed(undefined)
    await move(images, into).catch(setFailed)
    await changed()
  }
  const copy = ({ url }: GalleryImage) => void navigator.clipboard?.writeText(url).then(() => toast(say('copied')))

  const open = (act: Act, item: Item) => () => {
    setName(item.record.name)
    setChosen({ act, item })
  }
  const editing = (item: Item): readonly MenuEntry[] =>
    mayEdit
      ? [
          { id: 'rename', label: say('rename'), icon: 'pencil', onAction: open('rename', item) },
          { id: 'delete', label: say('deleteMore'), icon: 'trash', danger: true, onAction: open('delete', item) },
        ]
      : []
  const menuOfImage = (record: GalleryImage): readonly MenuEntry[] => [
    { id: 'copy', label: say('galleryCopyUrl'), icon: 'link', onAction: () => copy(record) },
    ...(mayEdit
      ? [
          {
            id: 'move',
            label: say('galleryMove'),
            icon: 'folder' as const,
            onAction: open('move', { kind: 'image', record }),
          },
        ]
      : []),
    ...editing({ kind: 'image', record }),
  ]
  const close = () => setChosen(undefined)
  const { act, item } = chosen ?? {}
  const record = item?.record
  const path = item?.kind === 'folder' ? '/gallery/folders/{id}' : '/gallery/images/{id}'
  const params = { id: record?._id ?? '' }
  return (
    <PageFrame
      title={say('gallery')}
      actions={
        mayEdit && (
          <>
            <Button icon="plus" onPress={() => set({ new: '1' })}>
              {say('galleryNewFolder')}
            </Button>
            <UploadButton uploads={uploads} folder={folder} />
          </>
        )
      }
    >
      {mayEdit && <p className={css.hint}>{say('galleryHint')}</p>}
      {failed !== undefined && <ErrorNote error={failed} />}
      <GalleryView
        folder={folder}
        skip={skip}
        uploads={uploads}
        mayEdit={mayEdit}
        onFolder={(to) => set({ folder: to || undefined, skip: undefined })}
        onSkip={(to) => set({ skip: to === 0 ? undefined : String(to) })}
        onImage={(image) => open('show', { kind: 'image', record: image })()}
        menuOfFolder={(one) => editing({ kind: 'folder', record: one })}
        menuOfImage={menuOfImage}
        {...(mayEdit && { onMove: (ids: readonly string[], into: string) => void dropped(ids, into) })}
      />
      {mayEdit && (
        <FormDialog
          title={say('galleryNewFolder')}
          isOpen={get('new') === '1'}
          onClose={() => set({ new: undefined })}
          submit={say('create')}
          why={lacks({ [say('name')]: name.trim() === '' })}
          onSubmit={async () => {
            const body = { name: name.trim(), ...(folder !== '' && { parentFolderId: folder }) }
            await call(projectId, 'post', '/gallery/folders', { body })
            setName('')
            await changed()
          }}
        >
          <TextField label={say('name')} value={name} onChange={setName} maxLength={200} autoFocus dense />
        </FormDialog>
      )}
      {record && act === 'rename' && (
        <FormDialog
          title={say('galleryRename', { name: record.name })}
          isOpen
          onClose={close}
          submit={say('save')}
          why={lacks({ [say('name')]: name.trim() === '' })}
          onSubmit={async () => {
            await call(projectId, 'patch', path, { params, body: { name: name.trim() } })
            await changed()
          }}
        >
          <TextField label={say('name')} value={name} onChange={setName} maxLength={200} autoFocus dense />
        </FormDialog>
      )}
      {record && act === 'delete' && (
        <DestroyDialog
          isOpen
          title={say('galleryDelete', { name: record.name })}
          effect={say(item?.kind === 'folder' ? 'galleryDeleteFolderEffect' : 'galleryDeleteImageEffect')}
          name={record.name}
          submit={say('delete')}
          onClose={close}
          onSubmit={async () => {
            await call(projectId, 'delete', path, { params })
            toast(say('deleted'))
            await changed()
          }}
        >
          {item?.kind === 'image' && <ImageUses id={record._id} isDeleting />}
        </DestroyDialog>
      )}
      {item?.kind === 'image' && act === 'show' && (
        <ImageDialog image={item.record} onClose={close} onCopy={() => copy(item.record)} />
      )}
      {item?.kind === 'image' && act === 'move' && (
        <MoveDialog
          image={item.record}
          onClose={close}
          onMove={async (into) => {
            await move([item.record._id], into)
            await changed()
          }}
        />
      )}
    </PageFrame>
  )
}
