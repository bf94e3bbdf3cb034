import { type ReactNode, useState } from 'react'
import { useText } from '../text/text.js'
import { Button, Segmented } from './button.js'
import css from './code-card.module.css'
import { useToast } from './states.js'

export const CodeCard = <L extends string>({
  title,
  languages,
  codeIn,
  children,
}: {
  readonly title: string
  /** Names; the first is shown first. */
  readonly languages: Readonly<Record<L, string>>
  readonly codeIn: (language: L) => string
  readonly children?: ReactNode
}) => {
  const { say } = useText()
  const toast = useToast()
  const all = Object.keys(languages) as L[]
  const [chosen, choose] = useState<L>()
  const language = chosen ?? all[0]
  const code = language === undefined ? '' : codeIn(language)
  return (
    <section className={css.card}>
      <div className={css.head}>
        <h2>{title}</h2>
        {language !== undefined && (
          <Segmented
            label={title}
            value={language}
            onChange={choose}
            choices={all.map((value) => ({ value, label: languages[value] }))}
          />
        )}
        <Button icon="copy" onPress={() => void navigator.clipboard?.writeText(code).then(() => toast(say('copied')))}>
          {say('copy')}
        </Button>
      </div>
      {children}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <pre className={css.code} tabIndex={0}>
        {code}
      </pre>
    </section>
  )
}
