import { useState } from 'react'
import { useText } from '../../text/text.js'
import { Button } from '../../ui/button.js'
import { Select, TextField } from '../../ui/field.js'
import { RowMenu } from '../../ui/menu.js'
import {
  addBranch,
  changeBranch,
  changeHelper,
  hasElse,
  type Item,
  keyOf,
  unwrapHelper,
  wrapInHelper,
} from './block-helpers.js'
import { ConditionFields } from './condition-fields.js'
import type { MjmlNode } from './document.js'
import { inserted, moved, nodesIn, removed } from './document.js'
import { mayContain } from './insertion.js'
import { itemName } from './names.js'
import { fits, placeAt } from './outline.js'
import css from './visual.module.css'

export type EditHandler = (root: MjmlNode, selected: string | undefined, key?: string) => void

export const ItemActions = ({
  root,
  item,
  siblings,
  parent,
  onEdit,
}: {
  readonly root: MjmlNode
  readonly item: Item
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
  const add = (expression?: string) => {
    const { root: next, key } = addBranch(root, item, expression)
    onEdit(next, key)
  }
  if (isFixed) return null
  const remove = (
    <Button
      small
      icon="trash"
      aria-label={say('visualRemove')}
      onPress={() => onEdit(removed(root, span), neighbour)}
    />
  )
  if (item.branch)
    return (
      <div className={css.tools} role="toolbar" aria-label={say('visualActions', { name })}>
        {remove}
      </div>
    )
  return (
    <div className={css.tools} role="toolbar" aria-label={say('visualActions', { name })}>
      <Button
        small
        icon="up"
        aria-label={say('visualUp')}
        why={at <= 0 ? say('isFirst') : undefined}
        onPress={() => shift(siblings[at - 1], 'before')}
      />
      <Button
        small
        icon="lower"
        aria-label={say('visualDown')}
        why={at === siblings.length - 1 ? say('isLast') : undefined}
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
      {remove}
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
            ? [
                { id: 'else-if', label: say('visualAddElseIf'), onAction: () => add('contact.name') },
                ...(hasElse(item) ? [] : [{ id: 'else', label: say('visualAddElse'), onAction: () => add() }]),
                {
                  id: 'unwrap',
                  label: say('visualUnwrap'),
                  onAction: () => onEdit(unwrapHelper(root, item), item.key),
                },
              ]
            : []),
        ]}
      />
    </div>
  )
}

/** The condition or list of a wrapper or branch; nothing for an `{{else}}`. */
export const BlockHelperFields = ({
  root,
  item,
  names,
  onEdit,
}: {
  readonly root: MjmlNode
  readonly item: Item
  readonly names: readonly string[]
  readonly onEdit: EditHandler
}) => {
  const { say } = useText()
  const [draft, setDraft] = useState<string>()
  const { wrapper } = item
  const expression = (wrapper ?? item.branch)?.expression
  const edit = (next: MjmlNode) => onEdit(next, item.key, 'wrapper')
  const change = (text: string) =>
    edit(wrapper ? changeHelper(root, item, wrapper.kind, text) : changeBranch(root, item, text))
  const write = (text: string) => {
    const isValid = text.trim() !== '' && !/[{}]/.test(text)
    setDraft(isValid ? undefined : text)
    if (isValid) change(text)
  }
  if (expression === undefined) return null
  return (
    <div className={css.fields}>
      {wrapper && (
        <Select
          dense
          label={say('visualKind')}
          value={wrapper.kind}
          onChange={(kind) => edit(changeHelper(root, item, kind, expression))}
          options={[
            { value: 'if', label: say('visualWrapIf') },
            { value: 'unless', label: say('visualWrapUnless') },
            { value: 'each', label: say('visualWrapEach') },
          ]}
        />
      )}
      {wrapper?.kind === 'each' ? (
        <TextField
          label={say('visualList')}
          value={draft ?? expression}
          error={draft === undefined ? undefined : say('visualExpressionWrong')}
          onChange={write}
        />
      ) : (
        <ConditionFields expression={expression} names={names} onChange={change} />
      )}
    </div>
  )
}
