import type { ReactNode } from 'react'
import {
  Checkbox as AriaCheckbox,
  SearchField as AriaSearchField,
  Select as AriaSelect,
  TextField as AriaTextField,
  Button,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
  TextArea,
} from 'react-aria-components'
import css from './field.module.css'
import { Icon } from './icons.js'
import { Long } from './long.js'

type Common = {
  readonly label: string
  /** Hides the label from view where the place says what is meant. */
  readonly labelHidden?: boolean
  readonly note?: ReactNode
  readonly error?: string | undefined
}

type TextFieldProps = Common & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onBlur?: () => void
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'date' | 'datetime-local'
  readonly autoComplete?: string
  readonly autoFocus?: boolean
  readonly isRequired?: boolean
  readonly isDisabled?: boolean
  readonly maxLength?: number
  readonly placeholder?: string
  readonly rows?: number
  readonly name?: string
  /** No line for a note or an error; for fields in rows. */
  readonly dense?: boolean
}

/** Reserves a line for the error, so that nothing moves. */
export const TextField = ({
  label,
  labelHidden,
  note,
  error,
  rows,
  placeholder,
  dense = false,
  ...props
}: TextFieldProps) => (
  <AriaTextField
    {...props}
    isInvalid={error !== undefined}
    className={css.field}
    {...(labelHidden && { 'aria-label': label })}
  >
    {!labelHidden && (
      <Label className={css.label}>
        <Long>{label}</Long>
      </Label>
    )}
    {rows === undefined ? (
      <Input className={css.input} placeholder={placeholder} />
    ) : (
      <TextArea className={css.input} rows={rows} placeholder={placeholder} />
    )}
    {error !== undefined ? (
      <FieldError className={css.error}>
        <Icon name="warning" size={13} />
        <span>{error}</span>
      </FieldError>
    ) : (
      !dense && (
        <Text slot="description" className={css.note}>
          {note}
        </Text>
      )
    )}
  </AriaTextField>
)

export type Option<T extends string> = { readonly value: T; readonly label: string; readonly isDisabled?: boolean }

export const Select = <T extends string>({
  label,
  labelHidden = false,
  options,
  value,
  onChange,
  placeholder,
  isDisabled,
  error,
  dense = false,
  note,
}: Common & {
  readonly options: readonly Option<T>[]
  readonly value: T | undefined
  readonly onChange: (value: T) => void
  readonly placeholder?: string
  readonly isDisabled?: boolean
  readonly dense?: boolean
}) => (
  <AriaSelect
    className={css.field}
    aria-label={labelHidden ? label : undefined}
    selectedKey={value ?? null}
    onSelectionChange={(key) => {
      const chosen = options.find((option) => option.value === key)
      if (chosen) onChange(chosen.value)
    }}
    placeholder={placeholder ?? '–'}
    isDisabled={isDisabled}
    isInvalid={error !== undefined}
  >
    {!labelHidden && (
      <Label className={css.label}>
        <Long>{label}</Long>
      </Label>
    )}
    <Button className={css.select}>
      <SelectValue />
      <Icon name="down" />
    </Button>
    {error !== undefined ? (
      <FieldError className={css.error}>
        <Icon name="warning" size={13} />
        <span>{error}</span>
      </FieldError>
    ) : (
      !dense && (
        <Text slot="description" className={css.note}>
          {note}
        </Text>
      )
    )}
    <Popover className={css.popover}>
      <ListBox className={css.options} items={options}>
        {(option) => (
          <ListBoxItem id={option.value} className={css.option} textValue={option.label} isDisabled={option.isDisabled}>
            {option.label}
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  </AriaSelect>
)

export const Checkbox = ({
  children,
  label,
  isSelected,
  isIndeterminate,
  isDisabled,
  onChange,
}: {
  readonly children?: ReactNode
  /** If there is no text beside it. */
  readonly label?: string
  readonly isSelected: boolean
  readonly isIndeterminate?: boolean
  readonly isDisabled?: boolean
  readonly onChange: (isSelected: boolean) => void
}) => (
  <AriaCheckbox
    className={css.checkbox}
    aria-label={label}
    isSelected={isSelected}
    isIndeterminate={isIndeterminate}
    isDisabled={isDisabled}
    onChange={onChange}
  >
    <span className={css.box}>
      <Icon name={isIndeterminate === true ? 'minus' : 'check'} size={13} />
    </span>
    {children}
  </AriaCheckbox>
)

export const SearchField = ({
  label,
  value,
  onChange,
  onSubmit,
  clearLabel,
  autoFocus,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onSubmit?: (value: string) => void
  readonly clearLabel: string
  readonly autoFocus?: boolean
}) => (
  <AriaSearchField
    aria-label={label}
    className={css.search}
    value={value}
    onChange={onChange}
    onSubmit={onSubmit}
    autoFocus={autoFocus}
  >
    <Icon name="search" />
    <Input placeholder={label} />
    <Button className={css.clear} aria-label={clearLabel}>
      <Icon name="close" size={13} />
    </Button>
  </AriaSearchField>
)
