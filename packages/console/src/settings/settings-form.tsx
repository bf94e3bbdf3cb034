import { useId } from 'react'
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
  why,
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
  /** Why it cannot be saved now. */
  readonly why?: string | undefined
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
  const reasonId = useId()
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
          if (isAllowed && why === undefined && !isBusy) onSubmit()
        }}
      >
        <fieldset className={css.fields} disabled={!isAllowed}>
          {fields}
        </fieldset>
        {isAllowed && (
          <div className={css.submit}>
            <Button
              type="submit"
              kind="primary"
              isDisabled={isBusy}
              {...(why !== undefined && { isPending: true, 'aria-describedby': reasonId })}
            >
              {isBusy ? say('working') : say('save')}
            </Button>
            {why !== undefined && <small id={reasonId}>{why}</small>}
          </div>
        )}
      </form>
    </section>
  )
}
