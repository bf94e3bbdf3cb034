import { useState } from 'react'
import { useText } from '../../text/text.js'
import { Button } from '../../ui/button.js'
import { Select, TextField } from '../../ui/field.js'
import { RowMenu } from '../../ui/menu.js'
import { changeHelper, type HelperKind, type Item, keyOf, unwrapHelper, wrapInHelper } from './block-helpers.js'
import type { MjmlNode } from './document.js'
import { inserted, moved, nodesIn, removed } from './document.js'
import { mayContain } from './insertion.js'
import { itemName } from './names.js'
import { fits, placeAt } from './outline.js'
import css from './visual.module.css'

export type EditHandler = (root: MjmlNode, selected: string | undefined, key?: string) => void

/** What can be done with the selected item beside its properties. */
export const ItemActions = ({
  root,
  item,
  siblings,
  parent,
  onEdit,
}: {
  readonly root: MjmlNode
  readonly item: Item
  /** Items at its level, in order. */
  readonly siblings: readonly Item[]
  readonly parent: string
  readonly onEdit: EditHandler
}) => {
  const { say } = useText()
  const name = itemName(say, item)
  const { span, path } = item
  const at = siblings.indexOf(item)
  const isFixed = path.length < 2 && (item.node.tagName === 'mj-body' || item.node.tagName === 'mj-head')
  const shift = (target: Item | undefined, position: 'before' | 'after') => {
    const result = target && fits(root, item, placeAt(target, position)) && moved(root, span, placeAt(target, position))
    if (result) onEdit(result.root, keyOf(result.path))
  }
  const neighbour = siblings[at - 1]?.key ?? (siblings.length > 1 ? item.key : keyOf(span.parent))
  if (isFixed) return null
  return (
    <div className={css.tools} role="toolbar" aria-label={say('visualActions', { name })}>
      <Button
        small
        icon="up"
        aria-label={say('visualUp')}
        isDisabled={at <= 0}
        onPress={() => shift(siblings[at - 1], 'before')}
      />
      <Button
        small
        icon="lower"
        aria-label={say('visualDown')}
        isDisabled={at === siblings.length - 1}
        onPress={() => shift(siblings[at + 1], 'after')}
      />
      <Button
        small
        icon="copy"
        aria-label={say('visualDuplicate')}
        onPress={() => {
          const copy = inserted(root, { parent: span.parent, index: span.end }, nodesIn(root, span))
          onEdit(copy, keyOf([...span.parent, span.end]))
        }}
      />
      <Button
        small
        icon="trash"
        aria-label={say('visualRemove')}
        onPress={() => onEdit(removed(root, span), neighbour)}
      />
      <RowMenu
        label={say('visualMore', { name })}
        entries={[
          ...(mayContain(parent, 'mj-raw')
            ? (['if', 'unless', 'each'] as const).map((kind) => ({
                id: kind,
                label: say(kind === 'if' ? 'visualWrapIf' : kind === 'unless' ? 'visualWrapUnless' : 'visualWrapEach'),
                onAction: () => onEdit(wrapInHelper(root, span, kind, 'contact.name'), item.key),
              }))
            : []),
          ...(item.wrapper
            ? [{ id: 'unwrap', label: say('visualUnwrap'), onAction: () => onEdit(unwrapHelper(root, item), item.key) }]
            : []),
        ]}
      />
    </div>
  )
}

/** The condition or list of a wrapper. */
export const BlockHelperFields = ({
  root,
  item,
  wrapper,
  onEdit,
}: {
  readonly root: MjmlNode
  readonly item: Item
  readonly wrapper: NonNullable<Item['wrapper']>
  readonly onEdit: EditHandler
}) => {
  const { say } = useText()
  const [draft, setDraft] = useState<string>()
  const write = (kind: HelperKind, expression: string) => {
    const isValid = expression.trim() !== '' && !/[{}]/.test(expression)
    setDraft(isValid ? undefined : expression)
    if (isValid) onEdit(changeHelper(root, item, kind, expression), item.key, 'wrapper')
  }
  return (
    <div className={css.fields}>
      <Select
        dense
        label={say('visualKind')}
        value={wrapper.kind}
        onChange={(kind) => write(kind, wrapper.expression)}
        options={[
          { value: 'if', label: say('visualWrapIf') },
          { value: 'unless', label: say('visualWrapUnless') },
          { value: 'each', label: say('visualWrapEach') },
        ]}
      />
      <TextField
        label={say('visualExpression')}
        value={draft ?? wrapper.expression}
        error={draft === undefined ? undefined : say('visualExpressionWrong')}
        onChange={(expression) => write(wrapper.kind, expression)}
      />
    </div>
  )
}
