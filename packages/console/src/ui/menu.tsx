import { Menu as AriaMenu, Button, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import buttons from './button.module.css'
import css from './field.module.css'
import { Icon, type IconName } from './icons.js'

export type MenuEntry = {
  readonly id: string
  readonly label: string
  readonly icon?: IconName
  readonly danger?: boolean
  readonly isDisabled?: boolean
  readonly onAction: () => void
}

export const RowMenu = ({ label, entries }: { readonly label: string; readonly entries: readonly MenuEntry[] }) => (
  <MenuTrigger>
    <Button aria-label={label} className={`${buttons.button} ${buttons.quiet} ${buttons.small} ${buttons.icon}`}>
      <Icon name="more" />
    </Button>
    <Popover className={css.popover} placement="bottom end">
      <AriaMenu
        className={css.options}
        items={entries}
        onAction={(key) => entries.find(({ id }) => id === key)?.onAction()}
      >
        {(entry) => (
          <MenuItem
            id={entry.id}
            textValue={entry.label}
            isDisabled={entry.isDisabled}
            className={`${css.option} ${entry.danger === true ? css.danger : ''}`}
          >
            {entry.icon && <Icon name={entry.icon} />}
            {entry.label}
          </MenuItem>
        )}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
)
