import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { callOperator } from '../api/client.js'
import { usePasswordAgain } from '../settings/password-field.js'
import { sessionQueryKey } from '../shell/session.js'
import { useText } from '../text/text.js'
import { FormDialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'

/** Begins to read a project of others, and goes there. */
export const ViewDialog = ({
  id,
  name,
  onClose,
}: {
  readonly id: string
  readonly name: string
  readonly onClose: () => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const [reason, setReason] = useState('')
  const { isMissing, proof, field } = usePasswordAgain()
  const begin = async () => {
    await callOperator('post', '/projects/{id}/view', { params: { id }, body: { reason: reason.trim(), ...proof } })
    await client.invalidateQueries({ queryKey: sessionQueryKey })
    navigate(`/${id}/home`)
  }
  return (
    <FormDialog
      title={`${say('viewBegin')}: ${name}`}
      isOpen
      onClose={onClose}
      submit={say('viewBegin')}
      why={lacks({ [say('reason')]: reason.trim() === '', [say('currentPassword')]: isMissing })}
      onSubmit={begin}
    >
      <p>{say('viewText')}</p>
      <TextField
        label={say('reason')}
        note={say('viewReasonNote')}
        value={reason}
        onChange={setReason}
        rows={2}
        maxLength={500}
        autoFocus
      />
      {field}
    </FormDialog>
  )
}
