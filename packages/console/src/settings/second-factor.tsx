import { useQueryClient } from '@tanstack/react-query'
import qrcode from 'qrcode-generator'
import { useState } from 'react'
import { removeTotp, setUpTotp, type TotpAnswer } from '../api/session.js'
import { sessionQueryKey, useSession } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Dialog, FormDialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { useToast } from '../ui/states.js'
import { PasswordField } from './password-field.js'
import css from './settings.module.css'

/** Black on white in both themes, for cameras. The frame adds the quiet zone. */
const QrCode = ({
  text,
  title,
  className,
}: {
  readonly text: string
  readonly title: string
  readonly className: string | undefined
}) => {
  const code = qrcode(0, 'M')
  code.addData(text)
  code.make()
  const size = code.getModuleCount()
  const places = Array.from({ length: size }, (_, n) => n)
  const path = places.flatMap((y) => places.filter((x) => code.isDark(y, x)).map((x) => `M${x} ${y}h1v1h-1z`)).join('')
  return (
    <svg
      className={className}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={title}
      shapeRendering="crispEdges"
    >
      <title>{title}</title>
      <path d={path} fill="#000" />
    </svg>
  )
}

const RecoveryDialog = ({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }) => {
  const { say } = useText()
  const toast = useToast()
  const copy = () => void navigator.clipboard.writeText(codes.join('\n')).then(() => toast(say('copied')))
  return (
    <Dialog
      title={say('recoveryTitle')}
      isOpen
      isStaying
      onClose={onClose}
      foot={
        <>
          <Button icon="copy" onPress={copy}>
            {say('copy')}
          </Button>
          <Button kind="primary" onPress={onClose}>
            {say('close')}
          </Button>
        </>
      }
    >
      <p>{say('recoveryText')}</p>
      <ul className={css.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </Dialog>
  )
}

const ConfirmDialog = ({
  started: { secret = '', uri = '' },
  password,
  onClose,
  onConfirmed,
}: {
  readonly started: TotpAnswer
  readonly password: string
  readonly onClose: () => void
  readonly onConfirmed: (codes: readonly string[]) => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const [code, setCode] = useState('')
  return (
    <FormDialog
      title={say('factor')}
      isOpen
      onClose={onClose}
      submit={say('factorConfirm')}
      why={lacks({ [say('secondFactor')]: code.trim() === '' })}
      onSubmit={async () => {
        const { recoveryCodes = [] } = await setUpTotp({ password, code: code.replaceAll(' ', '') })
        onConfirmed(recoveryCodes)
      }}
    >
      <p>{say('factorScan')}</p>
      <QrCode text={uri} title={say('qrTitle')} className={css.qr} />
      <p>
        {say('factorKey')}: <code>{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
      </p>
      <TextField
        label={say('secondFactor')}
        autoComplete="one-time-code"
        value={code}
        onChange={setCode}
        autoFocus
        dense
      />
    </FormDialog>
  )
}

/** Sets up and removes the second factor; both need the password again. */
export const SecondFactor = () => {
  const { say } = useText()
  const lacks = useLacks()
  const { person } = useSession()
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [password, setPassword] = useState('')
  const [started, setStarted] = useState<TotpAnswer>()
  const [codes, setCodes] = useState<readonly string[]>()
  const close = () => {
    setOpen(false)
    setStarted(undefined)
    setPassword('')
  }
  const reload = () => client.invalidateQueries({ queryKey: sessionQueryKey })
  return (
    <section className={css.section}>
      <h2>{say('factor')}</h2>
      <p>{say(person.totp ? 'factorOn' : 'factorOff')}</p>
      <div>
        <Button danger={person.totp} onPress={() => setOpen(true)}>
          {say(person.totp ? 'factorRemove' : 'setUpFactor')}
        </Button>
      </div>
      {isOpen && !started && (
        <FormDialog
          title={say(person.totp ? 'factorRemove' : 'factor')}
          isOpen
          onClose={() => setOpen(false)}
          submit={say(person.totp ? 'factorRemove' : 'goOn')}
          danger={person.totp}
          why={lacks({ [say('currentPassword')]: password === '' })}
          onSubmit={async () => {
            if (!person.totp) return setStarted(await setUpTotp({ password }))
            await removeTotp({ password })
            close()
            await reload()
          }}
        >
          {person.totp && <p>{say('factorRemoveText')}</p>}
          <PasswordField autoFocus value={password} onChange={setPassword} />
        </FormDialog>
      )}
      {started && (
        <ConfirmDialog
          started={started}
          password={password}
          onClose={close}
          onConfirmed={(made) => {
            setCodes(made)
            void reload()
          }}
        />
      )}
      {codes && <RecoveryDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </section>
  )
}
