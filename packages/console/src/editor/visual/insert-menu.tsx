import { Menu, MenuItem, MenuTrigger, Popover, Text } from 'react-aria-components'
import { useText } from '../../text/text.js'
import { Button } from '../../ui/button.js'
import fields from '../../ui/field.module.css'
import { type BlockKind, createBlock } from './blocks.js'
import { type Design, designBlocks } from './design.js'
import type { MjmlNode } from './document.js'
import { elementName } from './names.js'
import css from './visual.module.css'
import { useWords } from './words.js'

export const InsertMenu = ({
  design,
  onInsert,
}: {
  readonly design: Design | undefined
  readonly onInsert: (node: MjmlNode) => void
}) => {
  const { say, language } = useText()
  const words = useWords()
  const kinds: readonly (readonly [BlockKind, string])[] = [
    ['text', say('visualText')],
    ['image', say('visualImage')],
    ['button', say('visualButton')],
    ['divider', say('visualDivider')],
    ['spacer', say('visualSpacer')],
    ['social', say('visualSocial')],
    ['columns1', say('visualColumns1')],
    ['columns2', say('visualColumns', { count: 2 })],
    ['columns3', say('visualColumns', { count: 3 })],
    ['columns4', say('visualColumns', { count: 4 })],
    ['hero', say('visualHero')],
    ['raw', say('visualRaw')],
  ]
  const entries = [
    ...kinds.map(([kind, label]) => ({
      id: kind as string,
      label,
      description: undefined,
      node: () => createBlock(kind, words),
    })),
    ...designBlocks(design, words, language === 'en').map(({ id, name, description, node }) => ({
      id,
      label: `${elementName(say, node.tagName)}: ${name}`,
      description: description ?? say('visualOfDesign'),
      node: () => node,
    })),
  ]
  return (
    <MenuTrigger>
      <Button small icon="plus">
        {say('visualInsert')}
      </Button>
      <Popover className={fields.popover ?? ''} placement="bottom start">
        <Menu
          className={fields.options ?? ''}
          items={entries}
          onAction={(key) => {
            const entry = entries.find(({ id }) => id === key)
            if (entry) onInsert(entry.node())
          }}
        >
          {({ id, label, description }) => (
            <MenuItem id={id} textValue={label} className={fields.option ?? ''}>
              {description === undefined ? (
                label
              ) : (
                <span className={css.entry}>
                  <Text slot="label">{label}</Text>
                  <Text slot="description">{description}</Text>
                </span>
              )}
            </MenuItem>
          )}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
