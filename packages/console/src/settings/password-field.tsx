import { useState } from 'react'
import { useSession } from '../shell/session.js'
import { useText } from '../text/text.js'
import { TextField } from '../ui/field.js'

export const PasswordField = ({
  value,
  onChange,
  autoFocus = false,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly autoFocus?: boolean
}) => {
  const { say } = useText()
  return (
    <TextField
      label={say('currentPassword')}
      type="password"
      autoComplete="current-password"
      value={value}
      onChange={onChange}
      autoFocus={autoFocus}
      dense
    />
  )
}

/** For acts that a stolen session must not do. People without a password here are not asked. */
export const usePasswordAgain = () => {
  const { person, embedded = false } = useSession()
  const [password, setPassword] = useState('')
  const isAsked = !embedded && !person.external
  return {
    isMissing: isAsked && password === '',
    proof: isAsked ? { password } : {},
    field: isAsked && <PasswordField value={password} onChange={setPassword} />,
  }
}
