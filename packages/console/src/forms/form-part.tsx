import type { ReactNode } from 'react'
import type { Problem } from '../api/errors.js'
import type { SignupForm, SignupFormChanges } from '../api/types.js'
import css from './forms.module.css'

export type PartProps = {
  readonly form: SignupForm
  readonly problems: readonly Problem[]
  readonly isReadOnly: boolean
  readonly write: (changes: SignupFormChanges) => void
}

export const Part = ({
  title,
  note,
  children,
}: {
  readonly title: string
  readonly note?: ReactNode
  readonly children: ReactNode
}) => (
  <section className={css.card}>
    <h2>{title}</h2>
    {note !== undefined && <p className={css.quiet}>{note}</p>}
    {children}
  </section>
)
