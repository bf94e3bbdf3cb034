import { useState } from 'react'
import { PageFrame } from '../shell/layout.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { Note } from '../ui/states.js'
import css from './developers.module.css'
import { ReferenceLink } from './shared.js'
import { checkSignature, signedHeaders, type Verdict } from './signature.js'

/** In seconds; what receivers accept by default. */
const tolerance = 300

const wrongWords = {
  'body-changed': 'signBodyChanged',
  'other-secret': 'signOtherSecret',
  'no-time': 'signNoTime',
  'no-json': 'signNoJson',
  'no-secret': 'signNoSecret',
  'no-crypto': 'signNoCrypto',
} as const

const VerdictNote = ({ verdict }: { readonly verdict: Verdict }) => {
  const { say } = useText()
  if (verdict.kind === 'no-header')
    return <Note kind="warn">{say('signNoHeader', { names: verdict.missing.join(', ') })}</Note>
  if (verdict.kind !== 'signed') return <Note kind="bad">{say(wrongWords[verdict.kind])}</Note>
  return (
    <>
      <div className={css.signed} role="status">
        <Note>
          <b>{say('signFits')}</b>
        </Note>
      </div>
      {Math.abs(verdict.age) > tolerance && <Note kind="warn">{say('signOld', { count: tolerance / 60 })}</Note>}
    </>
  )
}

/** Whether a post came from this server. Nothing leaves the browser. */
export const SignaturePage = () => {
  const { say } = useText()
  const lacks = useLacks()
  const [body, setBody] = useState('')
  const [headers, setHeaders] = useState('')
  const [secret, setSecret] = useState('')
  const [verdict, setVerdict] = useState<Verdict>()
  const change = (set: (text: string) => void) => (text: string) => {
    set(text)
    setVerdict(undefined)
  }
  const isComplete = body !== '' && headers !== '' && secret !== ''
  return (
    <PageFrame title={say('signatureCheck')} actions={<ReferenceLink />}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (isComplete) void checkSignature({ body, headers, secret }, new Date()).then(setVerdict)
        }}
      >
        <h2>{say('signTitle')}</h2>
        <p className={css.quiet}>{say('signText')}</p>
        <TextField
          label={say('signHeaders')}
          value={headers}
          onChange={change(setHeaders)}
          placeholder={signedHeaders.map((name) => `${name}: …`).join('\n')}
          rows={4}
          dense
        />
        <TextField label={say('signBody')} value={body} onChange={change(setBody)} rows={8} dense />
        <TextField
          label={say('signSecret')}
          value={secret}
          onChange={change(setSecret)}
          autoComplete="off"
          placeholder="whsec_…"
          dense
        />
        <div>
          <Button
            type="submit"
            kind="primary"
            why={lacks({
              [say('signHeaders')]: headers === '',
              [say('signBody')]: body === '',
              [say('signSecret')]: secret === '',
            })}
          >
            {say('signCheck')}
          </Button>
        </div>
        {verdict && <VerdictNote verdict={verdict} />}
      </form>
    </PageFrame>
  )
}
