import { apiUrl } from '../api/client.js'
import { ReferenceLink } from '../developers/shared.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { CodeCard } from '../ui/code-card.js'
import css from './automatic.module.css'
import { codeSamples, type SampleLanguage } from './code-samples.js'
import type { Kind } from './emails.js'

const languages = Object.fromEntries(Object.entries(codeSamples).map(([name, { label }]) => [name, label])) as Readonly<
  Record<SampleLanguage, string>
>

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
  const called = { kind, baseUrl: apiUrl(), projectId, id, address, data }
  return (
    <CodeCard title={say('autoCode')} languages={languages} codeIn={(language) => codeSamples[language].of(called)}>
      <p className={css.quiet}>
        {say('autoCodeText', { variable: 'POSTHORN_KEY' })} <ReferenceLink />
      </p>
    </CodeCard>
  )
}
