import { type ReactNode, useEffect, useRef } from 'react'
import { problemOf, problemsIn } from '../api/errors.js'
import { useText } from '../text/text.js'
import { ErrorNote } from './states.js'

/** `problemAt`: the server's problem with a field of the request. */
export type Fields = ReactNode | ((problemAt: (field: string) => string | undefined) => ReactNode)

/**
 * With a note of problems that no field shows. Focuses the first field with a problem. `elsewhere`: the refusal of another form, whose note shows its
 * other problems.
 */
export const useFormProblems = (fields: Fields, error: unknown, elsewhere?: unknown) => {
  const { sayServer } = useText()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if ((error ?? elsewhere) === undefined) return
    form.current?.querySelector<HTMLElement>('[data-invalid] :is(input, textarea, button)')?.focus()
  }, [error, elsewhere])
  const problems = [...problemsIn(error, sayServer), ...problemsIn(elsewhere, sayServer)]
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
