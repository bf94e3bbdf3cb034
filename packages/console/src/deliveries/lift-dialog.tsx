import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { FormDialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { useToast } from '../ui/states.js'

/** Lifts a suppression for a reason, which the audit log keeps. */
export const LiftDialog = ({
  suppression: { _id, email, reason: before },
  onClose,
}: {
  readonly suppression: { readonly _id: string; readonly email: string; readonly reason: string }
  readonly onClose: () => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const { projectId } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [reason, setReason] = useState('')
  return (
    <FormDialog
      title={say('liftTitle', { email })}
      isOpen
      onClose={onClose}
      submit={say('liftDo')}
      why={lacks({ [say('liftReason')]: reason.trim() === '' })}
      onSubmit={async () => {
        await call(projectId, 'post', '/suppression-list/{id}/lift', { params: { id: _id }, body: { reason } })
        toast(say('lifted', { email }))
        await client.invalidateQueries({ queryKey: [projectId] })
      }}
    >
      <p>{say('liftEffect', { reason: before === '' ? '–' : before })}</p>
      <TextField
        label={say('liftReason')}
        value={reason}
        onChange={setReason}
        maxLength={300}
        note={say('liftReasonNote')}
        autoFocus
      />
    </FormDialog>
  )
}
