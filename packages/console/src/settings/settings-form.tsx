import type { ReactNode } from 'react'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { ErrorNote } from '../ui/states.js'
import css from './settings.module.css'

/** A form of a page of settings. Who may not change them sees them. */
export const SettingsForm = ({
  title,
  text,
  isAllowed,
  isDisabled = false,
  isBusy,
  error,
  onSubmit,
  children,
}: {
  readonly title: string
  readonly text?: string
  readonly isAllowed: boolean
  readonly isDisabled?: boolean
  readonly isBusy: boolean
  readonly error: unknown
  readonly onSubmit: () => void
  readonly children: ReactNode
}) => {
  const { say } = useText()
  return (
    <section className={css.section}>
      <h2>{title}</h2>
      {text && <p>{text}</p>}
      <form
        className={css.form}
        noValidate
        aria-label={title}
        onSubmit={(event) => {
          event.preventDefault()
          if (isAllowed && !isDisabled && !isBusy) onSubmit()
        }}
      >
        <fieldset className={css.fields} disabled={!isAllowed}>
          {children}
        </fieldset>
        {error !== undefined && <ErrorNote error={error} />}
        {isAllowed && (
          <Button type="submit" kind="primary" isDisabled={isDisabled || isBusy}>
            {isBusy ? say('working') : say('save')}
          </Button>
        )}
      </form>
    </section>
  )
}
