import { useRef, useState } from 'react'
import { Button, Tree, TreeItem, TreeItemContent, useDragAndDrop } from 'react-aria-components'
import { useText } from '../../text/text.js'
import { Icon } from '../../ui/icons.js'
import { findItem, type Item, placeInside } from './block-helpers.js'
import { isNode, type MjmlNode, nodeAt, nodesIn, type Place } from './document.js'
import { mayContain } from './insertion.js'
import { itemName } from './names.js'
import css from './visual.module.css'

type Position = 'before' | 'on' | 'after'

export const placeAt = (item: Item, position: Position): Place => {
  const { parent, start, end } = item.span
  return position === 'on' ? placeInside(item) : { parent, index: position === 'before' ? start : end }
}

/** Unknown elements stay below their parent, branches in their wrapper. */
export const fits = (root: MjmlNode, { span, branch }: Item, { parent }: Place): boolean => {
  const into = nodeAt(root, parent)
  if (branch || !isNode(into)) return false
  const isSameParent =
    parent.length === span.parent.length && parent.every((step, depth) => span.parent[depth] === step)
  return isSameParent || nodesIn(root, span).every(({ tagName }) => mayContain(into.tagName, tagName))
}

const keysIn = (items: readonly Item[]): readonly string[] =>
  items.flatMap(({ key, children }) => [key, ...keysIn(children)])

/** Moves elements by dragging, or by keyboard: Enter on the handle, arrows, Enter. */
export const Outline = ({
  root,
  items,
  selected,
  onSelect,
  onMove,
  isReadOnly,
}: {
  readonly root: MjmlNode
  readonly items: readonly Item[]
  readonly selected: string | undefined
  readonly onSelect: (key: string) => void
  readonly onMove: (item: Item, place: Place) => void
  readonly isReadOnly: boolean
}) => {
  const { say } = useText()
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set())
  const dragged = useRef<Item>(undefined)
  const { dragAndDropHooks } = useDragAndDrop<Item>({
    isDisabled: isReadOnly,
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onDragStart: ({ keys }) => {
      dragged.current = findItem(items, String([...keys][0]))
    },
    onDragEnd: () => {
      dragged.current = undefined
    },
    getDropOperation: (target) => {
      const item = target.type === 'item' ? findItem(items, String(target.key)) : undefined
      const moving = dragged.current
      if (target.type !== 'item' || !item || !moving) return 'cancel'
      return fits(root, moving, placeAt(item, target.dropPosition)) ? 'move' : 'cancel'
    },
    onMove: ({ keys, target }) => {
      const moving = findItem(items, String([...keys][0]))
      const item = findItem(items, String(target.key))
      if (moving && item) onMove(moving, placeAt(item, target.dropPosition))
    },
  })
  const row = (item: Item) => {
    const name = itemName(say, item)
    return (
      <TreeItem key={item.key} id={item.key} textValue={name} className={css.item ?? ''}>
        <TreeItemContent>
          {({ level, hasChildItems, isExpanded }) => (
            <span className={css.itemRow} data-level={Math.min(level, 8)}>
              {!isReadOnly && !item.branch && (
                <Button slot="drag" className={css.handle ?? ''} aria-label={say('visualMove', { name })}>
                  <Icon name="handle" size={14} />
                </Button>
              )}
              {hasChildItems ? (
                <Button slot="chevron" className={css.chevron ?? ''}>
                  <Icon name={isExpanded ? 'down' : 'right'} size={14} />
                </Button>
              ) : (
                <span className={css.chevron} />
              )}
              <span className={item.wrapper || item.branch ? css.wrapper : css.itemName}>{name}</span>
            </span>
          )}
        </TreeItemContent>
        {item.children.map(row)}
      </TreeItem>
    )
  }
  return (
    <Tree
      aria-label={say('visualOutline')}
      className={css.tree ?? ''}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={selected === undefined ? [] : [selected]}
      onSelectionChange={(keys) => {
        const [key] = keys === 'all' ? [] : [...keys]
        if (key !== undefined) onSelect(String(key))
      }}
      expandedKeys={keysIn(items).filter((key) => !collapsed.has(key))}
      onExpandedChange={(keys) => setCollapsed(new Set(keysIn(items).filter((key) => !keys.has(key))))}
      dragAndDropHooks={dragAndDropHooks}
    >
      {items.map(row)}
    </Tree>
  )
}
