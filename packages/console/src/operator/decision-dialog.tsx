import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callOperator } from '../api/client.js'
import type { OperatorProject } from '../api/types.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { FormDialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { useToast } from '../ui/states.js'

type Decision = {
  readonly title: keyof Messages
  readonly effect: keyof Messages
  readonly text?: 'answer' | 'reason'
  readonly hasLimit?: true
  readonly danger?: true
}

const decisions = {
  'access/approve': { title: 'opApprove', effect: 'opApproveEffect', text: 'answer', hasLimit: true },
  'access/decline': { title: 'opDecline', effect: 'opDeclineEffect', text: 'answer' },
  'access/revoke': { title: 'opRevoke', effect: 'opRevokeEffect', text: 'answer', danger: true },
  'limit/approve': { title: 'opApproveLimit', effect: 'opApproveLimitEffect', text: 'answer', hasLimit: true },
  'limit/decline': { title: 'opDeclineLimit', effect: 'opDeclineLimitEffect', text: 'answer' },
  limit: { title: 'opSetLimit', effect: 'opSetLimitEffect', hasLimit: true },
  restrict: { title: 'opRestrict', effect: 'opRestrictEffect', text: 'reason', danger: true },
  unrestrict: { title: 'opUnrestrict', effect: 'opUnrestrictEffect' },
} as const satisfies Readonly<Record<string, Decision>>
export type DecisionKind = keyof typeof decisions

export const decisionTitle = (kind: DecisionKind): keyof Messages => decisions[kind].title

export const parseWholeNumber = (text: string): number | undefined =>
  /^\d{1,13}$/.test(text.trim()) ? Number(text.trim()) : undefined

export const DecisionDialog = ({
  kind,
  project: { _id, name, monthlyLimit, request },
  onClose,
}: {
  readonly kind: DecisionKind
  readonly project: OperatorProject
  readonly onClose: () => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const client = useQueryClient()
  const toast = useToast()
  const { title, effect, text, hasLimit, danger }: Decision = decisions[kind]
  const asked =
    kind === 'access/approve' ? request?.application?.volume : request?.limitIncreases.at(-1)?.requestedLimit
  const [limit, setLimit] = useState(String((kind === 'limit' ? monthlyLimit : asked) ?? monthlyLimit))
  const [words, setWords] = useState('')
  const mails = parseWholeNumber(limit)
  const decide = async () => {
    const given = { params: { id: _id } }
    const answer = { answer: words.trim() }
    const limited = { monthlyLimit: mails ?? 0 }
    if (kind === 'limit') await callOperator('post', '/projects/{id}/limit', { ...given, body: limited })
    else if (kind === 'restrict')
      await callOperator('post', '/projects/{id}/restrict', { ...given, body: { reason: words.trim() } })
    else if (kind === 'unrestrict') await callOperator('post', '/projects/{id}/unrestrict', { ...given, body: {} })
    else
      await callOperator('post', `/projects/{id}/${kind}`, {
        ...given,
        body: hasLimit ? { ...answer, ...limited } : answer,
      })
    toast(say('saved'))
    await client.invalidateQueries({ queryKey: ['operator'] })
  }
  return (
    <FormDialog
      title={`${say(title)}: ${name}`}
      isOpen
      onClose={onClose}
      submit={say(title)}
      danger={danger === true}
      why={
        hasLimit && mails === undefined
          ? say('fixMarked')
          : lacks({ [say('reason')]: text === 'reason' && words.trim() === '' })
      }
      onSubmit={decide}
    >
      <p>{say(effect)}</p>
      {hasLimit && (
        <TextField
          label={say('opLimit')}
          note={say('opLimitNote')}
          error={mails === undefined ? say('opWhole') : undefined}
          value={limit}
          onChange={setLimit}
        />
      )}
      {text && (
        <TextField
          label={say(text === 'reason' ? 'reason' : 'opAnswer')}
          note={say('opAnswerNote')}
          value={words}
          onChange={setWords}
          rows={4}
          maxLength={text === 'reason' ? 1000 : 5000}
        />
      )}
    </FormDialog>
  )
}
