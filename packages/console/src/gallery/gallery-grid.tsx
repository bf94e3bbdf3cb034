import {
  type DirectoryDropItem,
  type DropItem,
  type FileDropItem,
  GridList,
  GridListItem,
  isFileDropItem,
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

const dragType = 'posthorn-image'

export type GalleryItem =
  | { readonly id: string; readonly kind: 'up'; readonly folder: string }
  | { readonly id: string; readonly kind: 'folder'; readonly folder: GalleryFolder }
  | { readonly id: string; readonly kind: 'image'; readonly image: GalleryImage }

/** `up`: the id of the folder above; undefined at the top. */
export const itemsOf = (
  up: string | undefined,
  folders: readonly GalleryFolder[],
  images: readonly GalleryImage[],
): readonly GalleryItem[] => [
  ...(up === undefined ? [] : [{ id: 'up', kind: 'up', folder: up } as const]),
  ...folders.map((folder) => ({ id: folder._id, kind: 'folder', folder }) as const),
  ...images.map((image) => ({ id: image._id, kind: 'image', image }) as const),
]

/** The folder that something dropped on the item goes to. */
const folderOf = (item: GalleryItem | undefined): string | undefined =>
  item?.kind === 'up' ? item.folder : item?.kind === 'folder' ? item.folder._id : undefined

const filesIn = (items: readonly DropItem[]): Promise<readonly File[]> =>
  Promise.all(
    items
      .filter((one: DropItem): one is FileDropItem => isFileDropItem(one as FileDropItem | DirectoryDropItem))
      .map((one) => one.getFile()),
  )

const idsIn = (items: readonly DropItem[]): Promise<readonly string[]> =>
  Promise.all(items.flatMap((one) => (one.kind === 'text' && one.types.has(dragType) ? [one.getText(dragType)] : [])))

/** Folders and images. Images can be dragged into folders, also by keyboard; files can be dropped on the grid or on a folder. */
export const GalleryGrid = ({
  items,
  onOpen,
  menuOf,
  onMove,
  onFiles,
}: {
  readonly items: readonly GalleryItem[]
  readonly onOpen: (item: GalleryItem) => void
  readonly menuOf?: (item: GalleryItem) => readonly MenuEntry[]
  readonly onMove?: (imageIds: readonly string[], folder: string) => void
  /** `folder`: undefined for the one that is shown. */
  readonly onFiles?: (files: readonly File[], folder: string | undefined) => void
}) => {
  const { say } = useText()
  const find = (key: unknown) => items.find(({ id }) => id === key)
  const droppedOn = async (folder: string | undefined, dropped: readonly DropItem[]) => {
    const [ids, files] = await Promise.all([idsIn(dropped), filesIn(dropped)])
    if (ids.length > 0 && folder !== undefined) onMove?.(ids, folder)
    if (files.length > 0) onFiles?.(files, folder)
  }
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: !onMove,
    getItems: (keys) =>
      [...keys].flatMap((key) => {
        const item = find(key)
        return item?.kind === 'image' ? [{ [dragType]: item.id, 'text/plain': item.image.name }] : []
      }),
    acceptedDragTypes: [dragType, ...imageFileTypes],
    getDropOperation: (_target, types) => (types.has(dragType) ? 'move' : 'copy'),
    shouldAcceptItemDrop: ({ key }) => folderOf(find(key)) !== undefined,
    onItemDrop: ({ items: dropped, target }) => void droppedOn(folderOf(find(target.key)), dropped),
    onRootDrop: ({ items: dropped }) => void droppedOn(undefined, dropped),
  })
  const nameOf = (item: GalleryItem) =>
    item.kind === 'up' ? say('galleryUp') : item.kind === 'folder' ? item.folder.name : item.image.name
  return (
    <GridList
      aria-label={say('gallery')}
      className={css.grid}
      layout="grid"
      items={items}
      dragAndDropHooks={dragAndDropHooks}
      onAction={(key) => {
        const item = find(key)
        if (item) onOpen(item)
      }}
      dependencies={[menuOf]}
    >
      {(item) => (
        <GridListItem id={item.id} textValue={nameOf(item)} className={css.item}>
          <span className={css.picture}>
            {item.kind === 'image' ? (
              <img src={imageSource(item.image.url)} alt="" loading="lazy" draggable={false} />
            ) : (
              <Icon name={item.kind === 'up' ? 'up' : 'folder'} size={32} />
            )}
          </span>
          <span className={css.caption}>
            <span className={css.called}>
              <Long>{nameOf(item)}</Long>
            </span>
            {menuOf && item.kind !== 'up' && (
              <RowMenu label={say('actionsOn', { name: nameOf(item) })} entries={menuOf(item)} />
            )}
          </span>
        </GridListItem>
      )}
    </GridList>
  )
}
