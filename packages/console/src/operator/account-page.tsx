import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callOperator } from '../api/client.js'
import sendingCss from '../sending/sending.module.css'
import { PageFrame } from '../shell/layout.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { FormDialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { ErrorNote, Skeleton, useToast } from '../ui/states.js'
import { parseWholeNumber } from './decision-dialog.js'
import { ProjectList } from './lists.js'

export const OperatorAccountPage = ({ id }: { readonly id: string }) => {
  const { say, number } = useText()
  const lacks = useLacks()
  const client = useQueryClient()
  const toast = useToast()
  const [isAdding, setAdding] = useState(false)
  const [typed, setTyped] = useState('')
  const credits = parseWholeNumber(typed)
  const { data, error, refetch } = useQuery({
    queryKey: ['operator', 'account', id],
    queryFn: ({ signal }) => callOperator('get', '/accounts/{id}', { params: { id }, signal }),
  })
  const add = async () => {
    const after = await callOperator('post', '/accounts/{id}/credit', {
      params: { id },
      body: { credits: credits ?? 0 },
    })
    setTyped('')
    toast(say('opCreditNow', { count: after.credits }))
    await client.invalidateQueries({ queryKey: ['operator'] })
  }
  return (
    <PageFrame
      title={data?.name ?? say('opAccount')}
      crumb={{ label: say('opAccounts'), href: '/operator/accounts' }}
      actions={
        data && (
          <Button kind="primary" icon="plus" onPress={() => setAdding(true)}>
            {say('opAddCredit')}
          </Button>
        )
      }
    >
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : (
        <>
          <dl className={sendingCss.figures}>
            <div>
              <dt>{say('creditLeft')}</dt>
              <dd>
                <b>{number(data.credits)}</b>
                <small>{say('opCreditText')}</small>
              </dd>
            </div>
          </dl>
          <ProjectList accountId={id} />
          <FormDialog
            title={`${say('opAddCredit')}: ${data.name}`}
            isOpen={isAdding}
            onClose={() => setAdding(false)}
            submit={say('opAddCredit')}
            why={
              lacks({ [say('opCredits')]: typed.trim() === '' || credits === 0 }) ??
              (credits === undefined ? say('fixMarked') : undefined)
            }
            onSubmit={add}
          >
            <p>{say('opCreditText')}</p>
            <TextField
              label={say('opCredits')}
              error={typed !== '' && credits === undefined ? say('opWhole') : undefined}
              value={typed}
              onChange={setTyped}
              autoFocus
            />
          </FormDialog>
        </>
      )}
    </PageFrame>
  )
}
