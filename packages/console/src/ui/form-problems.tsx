import { type ReactNode, useEffect, useRef } from 'react'
import { problemOf, problemsIn } from '../api/errors.js'
import { ErrorNote } from './states.js'

/** The function gets a look-up of the server's problems by field of the request. */
export type Fields = ReactNode | ((problemAt: (field: string) => string | undefined) => ReactNode)

/**
 * The fields of a form, and a note with the problems that no field shows. The first field with a problem gets the focus.
 * `elsewhere`: the refusal of another form, whose own note shows the others of its problems.
 */
export const useFormProblems = (fields: Fields, error: unknown, elsewhere?: unknown) => {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if ((error ?? elsewhere) === undefined) return
    form.current?.querySelector<HTMLElement>('[data-invalid] :is(input, textarea, button)')?.focus()
  }, [error, elsewhere])
  const problems = [...problemsIn(error), ...problemsIn(elsewhere)]
  const shown: string[] = []
  const content =
    typeof fields === 'function'
      ? fields((field) => {
          shown.push(field)
          return problemOf(problems, field)
        })
      : fields
  return {
    form,
    fields: (
      <>
        {content}
        {error !== undefined && <ErrorNote error={error} except={shown} />}
      </>
    ),
  }
}
