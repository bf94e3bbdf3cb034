import type { ReactNode } from 'react'
import {
  Button,
  type DirectoryDropItem,
  type DropItem,
  DropZone,
  type FileDropItem,
  GridList,
  GridListItem,
  isFileDropItem,
  Text,
  useDragAndDrop,
} from 'react-aria-components'
import type { GalleryFolder, GalleryImage } from '../api/types.js'
import { useText } from '../text/text.js'
import { Icon } from '../ui/icons.js'
import { Long } from '../ui/long.js'
import { type MenuEntry, RowMenu } from '../ui/menu.js'
import css from './gallery.module.css'
import { imageSource } from './gallery-queries.js'
import { imageFileTypes } from './uploads.js'

export const Picture = ({ url, alt }: { readonly url: string; readonly alt: string }) => {
  const source = imageSource(url)
  return source === undefined ? (
    <Icon name="image" size={32} />
  ) : (
    <img src={source} alt={alt} loading="lazy" draggable={false} />
  )
}

const dragType = 'posthorn-image'

const filesIn = (items: readonly DropItem[]): Promise<readonly File[]> =>
  Promise.all(
    items
      .filter((one: DropItem): one is FileDropItem => isFileDropItem(one as FileDropItem | DirectoryDropItem))
      .map((one) => one.getFile()),
  )

const idsIn = (items: readonly DropItem[]): Promise<readonly string[]> =>
  Promise.all(items.flatMap((one) => (one.kind === 'text' && one.types.has(dragType) ? [one.getText(dragType)] : [])))

type OnFiles = (files: readonly File[]) => void

const Caption = ({
  name,
  menu,
  children,
}: {
  readonly name: string
  readonly menu: readonly MenuEntry[] | undefined
  readonly children?: ReactNode
}) => {
  const { say } = useText()
  return (
    <span className={css.caption}>
      {children}
      <span className={css.called}>
        <Long>{name}</Long>
      </span>
      {menu && menu.length > 0 && <RowMenu label={say('actionsOn', { name })} entries={menu} />}
    </span>
  )
}

type Folder = { readonly id: string; readonly name: string; readonly up: boolean }

export const FolderGrid = ({
  up,
  folders,
  onOpen,
  menuOf,
  onMove,
  onFiles,
}: {
  /** Id of the folder above; empty for the top level, undefined at the top. */
  readonly up: string | undefined
  readonly folders: readonly GalleryFolder[]
  readonly onOpen: (folder: string) => void
  readonly menuOf?: (folder: GalleryFolder) => readonly MenuEntry[]
  readonly onMove?: (imageIds: readonly string[], folder: string) => void
  readonly onFiles?: (files: readonly File[], folder: string) => void
}) => {
  const { say } = useText()
  /** Keys must not be empty, as the top level's id is. */
  const upKey = 'up'
  const idOf = (key: unknown) => (key === upKey ? (up ?? '') : String(key))
  const droppedOn = async (folder: string, dropped: readonly DropItem[]) => {
    const [ids, files] = await Promise.all([idsIn(dropped), filesIn(dropped)])
    if (ids.length > 0) onMove?.(ids, folder)
    if (files.length > 0) onFiles?.(files, folder)
  }
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: !onMove,
    acceptedDragTypes: [dragType, ...imageFileTypes],
    getDropOperation: (_target, types) => (types.has(dragType) ? 'move' : 'copy'),
    onItemDrop: ({ items: dropped, target }) => void droppedOn(idOf(target.key), dropped),
  })
  const items: readonly Folder[] = [
    ...(up === undefined ? [] : [{ id: upKey, name: say('galleryUp'), up: true }]),
    ...folders.map(({ _id, name }) => ({ id: _id, name, up: false })),
  ]
  if (items.length === 0) return null
  return (
    <GridList
      aria-label={say('galleryFolders')}
      className={css.grid}
      layout="grid"
      items={items}
      dragAndDropHooks={dragAndDropHooks}
      onAction={(key) => onOpen(idOf(key))}
      dependencies={[menuOf]}
    >
      {(item) => {
        const folder = folders.find(({ _id }) => _id === item.id)
        return (
          <GridListItem id={item.id} textValue={item.name} className={`${css.item} ${css.folder}`}>
            <Icon name={item.up ? 'up' : 'folder'} size={20} />
            <Caption name={item.name} menu={folder && menuOf?.(folder)} />
          </GridListItem>
        )
      }}
    </GridList>
  )
}

/** Images can be dragged on a folder, also by keyboard; files can be dropped here. */
export const ImageGrid = ({
  images,
  onOpen,
  menuOf,
  isMovable,
  onFiles,
  empty,
}: {
  readonly images: readonly GalleryImage[]
  readonly onOpen: (image: GalleryImage) => void
  readonly menuOf?: (image: GalleryImage) => readonly MenuEntry[]
  readonly isMovable: boolean
  readonly onFiles?: OnFiles
  /** Without an image. */
  readonly empty: ReactNode
}) => {
  const { say } = useText()
  const find = (key: unknown) => images.find(({ _id }) => _id === key)
  const dropped = (items: readonly DropItem[]) =>
    void filesIn(items).then((files) => {
      if (files.length > 0) onFiles?.(files)
    })
  const { dragAndDropHooks } = useDragAndDrop({
    ...(isMovable && {
      getItems: (keys) =>
        [...keys].flatMap((key) => {
          const image = find(key)
          return image ? [{ [dragType]: image._id, 'text/plain': image.name }] : []
        }),
    }),
    ...(onFiles && {
      acceptedDragTypes: imageFileTypes,
      getDropOperation: () => 'copy' as const,
      onRootDrop: ({ items }: { readonly items: readonly DropItem[] }) => dropped(items),
    }),
  })
  if (images.length === 0)
    return onFiles ? (
      <DropZone
        className={css.zone}
        getDropOperation={(types) => (imageFileTypes.some((type) => types.has(type)) ? 'copy' : 'cancel')}
        onDrop={({ items }) => dropped(items)}
      >
        <Text slot="label" className={css.hidden}>
          {say('galleryUpload')}
        </Text>
        {empty}
      </DropZone>
    ) : (
      empty
    )
  return (
    <GridList
      aria-label={say('gallery')}
      className={css.grid}
      layout="grid"
      items={images.map((image) => ({ ...image, id: image._id }))}
      dragAndDropHooks={dragAndDropHooks}
      onAction={(key) => {
        const image = find(key)
        if (image) onOpen(image)
      }}
      dependencies={[menuOf]}
    >
      {(image) => (
        <GridListItem id={image._id} textValue={image.name} className={css.item}>
          {({ allowsDragging }) => (
            <>
              <span className={css.picture}>
                <Picture url={image.url} alt="" />
              </span>
              <Caption name={image.name} menu={menuOf?.(image)}>
                {allowsDragging && (
                  <Button slot="drag" className={css.drag} aria-label={say('galleryDrag', { name: image.name })}>
                    <Icon name="grip" size={14} />
                  </Button>
                )}
              </Caption>
            </>
          )}
        </GridListItem>
      )}
    </GridList>
  )
}
