import { type ReactNode, useState } from 'react'
import css from './long.module.css'

/** For an element of limited height: if its text is taller, it scrolls, by keyboard, too. */
export const useKeyboardScrolling = () => {
  const [isTall, setTall] = useState(false)
  return {
    ref: (element: HTMLElement | null) => {
      if (element) setTall(element.scrollHeight > element.clientHeight)
    },
    tabIndex: isTall ? 0 : undefined,
  }
}

/** For a stranger's text of any length: more than a few lines scroll. */
export const Long = ({ lines = 4, children }: { readonly lines?: 4 | 8; readonly children: ReactNode }) => (
  <span className={`${css.long} ${lines === 8 ? css.tall : ''}`} {...useKeyboardScrolling()}>
    {children}
  </span>
)
