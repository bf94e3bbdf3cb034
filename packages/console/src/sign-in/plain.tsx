import { type ReactNode, useEffect } from 'react'
import { Logo } from '../ui/icons.js'
import css from './plain.module.css'

/** A page without the column: sign in, set up, follow a link. */
export const Page = ({
  title,
  children,
  foot,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly foot?: string
}) => {
  useEffect(() => {
    document.title = `${title} · Posthorn`
  }, [title])
  return (
    <main className={css.page}>
      <div className={css.brand}>
        <Logo size={28} />
        Posthorn
      </div>
      {children}
      {foot && <p className={css.foot}>{foot}</p>}
    </main>
  )
}

/** While the console starts; shown only if that takes longer than usual. */
export const Waiting = ({ label }: { readonly label: string }) => (
  <main className={`${css.page} ${css.late}`}>
    <div className={css.brand}>
      <Logo size={28} />
      Posthorn
    </div>
    <output>{label}…</output>
  </main>
)

export const Card = ({
  title,
  under,
  children,
}: {
  readonly title: string
  readonly under?: string
  readonly children: ReactNode
}) => (
  <div className={css.card}>
    <h1>{title}</h1>
    {under && <p className={css.under}>{under}</p>}
    {children}
  </div>
)

export const formClass = css.form
export const linkClass = css.link
export const bodyClass = css.body
