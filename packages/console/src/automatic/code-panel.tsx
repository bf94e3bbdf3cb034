import { useState } from 'react'
import { consoleBase } from '../api/client.js'
import { ReferenceLink } from '../developers/shared.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button, Segmented } from '../ui/button.js'
import { useToast } from '../ui/states.js'
import css from './automatic.module.css'
import { codeSamples, type SampleLanguage } from './code-samples.js'
import type { Kind } from './emails.js'

const languages = Object.keys(codeSamples) as readonly SampleLanguage[]

/** How a program sends the email. */
export const CodePanel = ({
  kind,
  id,
  address,
  data,
}: {
  readonly kind: Kind
  readonly id: string
  readonly address: string
  readonly data: Readonly<Record<string, unknown>>
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const toast = useToast()
  const [language, setLanguage] = useState<SampleLanguage>('curl')
  const baseUrl = window.location.origin + consoleBase.replace(/\/console$/, '')
  const code = codeSamples[language].of({ kind, baseUrl, projectId, id, address, data })
  return (
    <section className={css.card}>
      <div className={css.head}>
        <h2>{say('autoCode')}</h2>
        <Segmented
          label={say('autoCode')}
          value={language}
          onChange={setLanguage}
          choices={languages.map((value) => ({ value, label: codeSamples[value].label }))}
        />
        <Button icon="copy" onPress={() => void navigator.clipboard?.writeText(code).then(() => toast(say('copied')))}>
          {say('copy')}
        </Button>
      </div>
      <p className={css.quiet}>
        {say('autoCodeText', { variable: 'POSTHORN_KEY' })} <ReferenceLink />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <pre className={css.code} tabIndex={0}>
        {code}
      </pre>
    </section>
  )
}
