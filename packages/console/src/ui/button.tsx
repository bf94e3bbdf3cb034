import { type ReactNode, useId, useState } from 'react'
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  ToggleButton,
  ToggleButtonGroup,
  Tooltip,
  TooltipTrigger,
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

type ButtonProps = Omit<AriaButtonProps, 'children' | 'className' | 'style'> & Look & { readonly children?: ReactNode }

const PlainButton = ({ kind, danger, small, icon, children, ...props }: ButtonProps) => (
  <AriaButton {...props} className={classOf({ kind, danger, small }, children === undefined)}>
    {icon && <Icon name={icon} size={kind === 'linklike' ? 14 : 16} />}
    {children}
  </AriaButton>
)

/** With a reason, the button does nothing, but the focus reaches it: `isPending` is what React Aria calls that. */
const ReasonedButton = ({ why, ...props }: ButtonProps & { readonly why: string | undefined }) => {
  const id = useId()
  const [isHovered, setHovered] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const isShut = why !== undefined && props.isDisabled !== true
  return (
    <span className={css.reasoned} onPointerEnter={() => setHovered(true)} onPointerLeave={() => setHovered(false)}>
      <TooltipTrigger isOpen={isShut && (isHovered || isFocused)}>
        <PlainButton
          {...props}
          onFocusChange={setFocused}
          {...(isShut && { isPending: true, 'aria-describedby': id })}
        />
        <Tooltip offset={6} className={css.reason ?? ''}>
          {why}
        </Tooltip>
      </TooltipTrigger>
      {isShut && (
        <span id={id} hidden>
          {why}
        </span>
      )}
    </span>
  )
}

/** A verb, with the number where there is one. `why`: the reason why it cannot be pressed now, shown at the pointer's or the keyboard's approach. */
export const Button = (props: ButtonProps & { readonly why?: string | undefined }) =>
  'why' in props ? <ReasonedButton {...props} why={props.why} /> : <PlainButton {...props} />

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
