import type { ReactNode } from 'react'
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  ToggleButton,
  ToggleButtonGroup,
} from 'react-aria-components'
import { Link } from 'wouter'
import css from './button.module.css'
import { Icon, type IconName } from './icons.js'

type Look = {
  readonly kind?: 'primary' | 'quiet' | 'linklike'
  readonly danger?: boolean
  readonly small?: boolean
  readonly icon?: IconName
}

const classOf = ({ kind, danger, small }: Look, isIconOnly: boolean) =>
  [css.button, kind && css[kind], danger === true && css.danger, small === true && css.small, isIconOnly && css.icon]
    .filter(Boolean)
    .join(' ')

/** A verb, with the number where there is one. */
export const Button = ({
  kind,
  danger,
  small,
  icon,
  children,
  ...props
}: Omit<AriaButtonProps, 'children' | 'className' | 'style'> & Look & { readonly children?: ReactNode }) => (
  <AriaButton {...props} className={classOf({ kind, danger, small }, children === undefined)}>
    {icon && <Icon name={icon} size={kind === 'linklike' ? 14 : 16} />}
    {children}
  </AriaButton>
)

/** Looks like a button and has an address. */
export const ButtonLink = ({
  href,
  icon,
  children,
  ...look
}: Look & { readonly href: string; readonly children: ReactNode }) => (
  <Link href={href} className={classOf(look, false)}>
    {icon && <Icon name={icon} />}
    {children}
  </Link>
)

export const DownloadLink = ({ href, children }: { readonly href: string; readonly children: ReactNode }) => (
  <a href={href} download className={classOf({}, false)}>
    <Icon name="download" />
    {children}
  </a>
)

export type Choice<T extends string> = {
  readonly value: T
  readonly label: string
  readonly icon?: IconName
}

export const Segmented = <T extends string>({
  label,
  choices,
  value,
  onChange,
  iconsOnly = false,
}: {
  readonly label: string
  readonly choices: readonly Choice<T>[]
  readonly value: T
  readonly onChange: (value: T) => void
  readonly iconsOnly?: boolean
}) => (
  <ToggleButtonGroup
    aria-label={label}
    className={css.group}
    selectionMode="single"
    disallowEmptySelection
    selectedKeys={[value]}
    onSelectionChange={(keys) => {
      const chosen = choices.find((choice) => keys.has(choice.value))
      if (chosen) onChange(chosen.value)
    }}
  >
    {choices.map((choice) => (
      <ToggleButton key={choice.value} id={choice.value} className={css.choice} aria-label={choice.label}>
        {choice.icon && <Icon name={choice.icon} />}
        {!iconsOnly && choice.label}
      </ToggleButton>
    ))}
  </ToggleButtonGroup>
)
