import { useState } from 'react'
import { call } from '../api/client.js'
import type { ResponseOf } from '../api/types.js'
import { useProject } from '../shell/session.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Badge, ErrorNote, Note } from '../ui/states.js'
import { checkedFields } from './cloud-credentials.js'
import css from './settings.module.css'

type Checked = ResponseOf<'post', '/cloud-check'>
type Warning = NonNullable<Checked['warningDetails']>[number]

/** What to do is in the same text, or in `setCloudSetUpEvents`. */
const reasons = {
  'no-public-url': ['setCloudNoPublicUrl'],
  'events-unknown': ['setCloudEventsUnknown'],
  'events-check-not-allowed': ['setCloudCheckNotAllowed', 'setCloudSetUpEvents'],
  'no-configuration-set': ['setCloudNoConfigurationSet', 'setCloudSetUpEvents'],
  'no-topic': ['setCloudNoTopic', 'setCloudSetUpEvents'],
  'events-not-published': ['setCloudNotPublished', 'setCloudSetUpEvents'],
  'topic-not-subscribed': ['setCloudNotSubscribed'],
} as const satisfies Readonly<Record<Warning['code'], readonly (keyof Messages)[]>>

const WarningNote = ({ warning: { code, message, values } }: { readonly warning: Warning }) => {
  const { say } = useText()
  // A server that is newer than this page has further codes.
  const texts = Object.hasOwn(reasons, code) ? reasons[code] : undefined
  return (
    <Note kind="warn">
      {texts ? (
        ['setCloudNoEvents' as const, ...texts].map((text) => <p key={text}>{say(text, values)}</p>)
      ) : (
        <p lang="en">{message}</p>
      )}
    </Note>
  )
}

export const useCloudCheck = () => {
  const { projectId } = useProject()
  const [isBusy, setBusy] = useState(false)
  const [checked, setChecked] = useState<Checked>()
  const [error, setError] = useState<unknown>()
  const check = async () => {
    setBusy(true)
    setChecked(undefined)
    setError(undefined)
    try {
      setChecked(await call(projectId, 'post', '/cloud-check', { body: {} }))
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, checked, error, check }
}

export const CheckStep = ({ isBusy, checked, error, check }: ReturnType<typeof useCloudCheck>) => {
  const { say } = useText()
  return (
    <section className={css.step} aria-labelledby="cloud-check">
      <h2 id="cloud-check">3. {say('setCloudCheck')}</h2>
      <p>{say('setCloudCheckText')}</p>
      <div>
        <Button isDisabled={isBusy} onPress={() => void check()}>
          {isBusy ? say('working') : say('setCloudCheckDo')}
        </Button>
      </div>
      {error !== undefined && <ErrorNote error={error} except={checkedFields} />}
      {checked && (
        <div role="status">
          <Badge tone="good" icon="check">
            {say('setCloudFine')}
          </Badge>
        </div>
      )}
      {checked?.warningDetails?.map((warning) => (
        <WarningNote key={warning.message} warning={warning} />
      ))}
    </section>
  )
}
