import { useUnsavedGuard } from '../shell/unsaved-guard.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { type Fields, useFormProblems } from '../ui/form-problems.js'
import css from './settings.module.css'

/** A form of a page of settings. Who may not change them sees them. */
export const SettingsForm = ({
  title,
  text,
  isAllowed,
  isDisabled = false,
  isChanged = false,
  isBusy,
  error,
  elsewhere,
  onSubmit,
  children,
}: {
  readonly title: string
  readonly text?: string
  readonly isAllowed: boolean
  readonly isDisabled?: boolean
  /** Something is not saved: a question comes before the page is left. */
  readonly isChanged?: boolean
  readonly isBusy: boolean
  readonly error: unknown
  /** Refusal of another part of the page, which may concern this form. */
  readonly elsewhere?: unknown
  readonly onSubmit: () => void
  readonly children: Fields
}) => {
  const { say } = useText()
  useUnsavedGuard(isAllowed && isChanged)
  const { form, fields } = useFormProblems(children, error, elsewhere)
  return (
    <section className={css.section}>
      <h2>{title}</h2>
      {text && <p>{text}</p>}
      <form
        ref={form}
        className={css.form}
        noValidate
        aria-label={title}
        onSubmit={(event) => {
          event.preventDefault()
          if (isAllowed && !isDisabled && !isBusy) onSubmit()
        }}
      >
        <fieldset className={css.fields} disabled={!isAllowed}>
          {fields}
        </fieldset>
        {isAllowed && (
          <Button type="submit" kind="primary" isDisabled={isDisabled || isBusy}>
            {isBusy ? say('working') : say('save')}
          </Button>
        )}
      </form>
    </section>
  )
}
