import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/client.js'
import { reasonLabels } from '../campaigns/reasons.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { FormDialog } from '../ui/dialog.js'
import { ErrorNote, Note, Skeleton, useToast } from '../ui/states.js'

/** First checks whether the recipient would get the mail now. */
export const SendAgainDialog = ({
  campaign: { id, name },
  deliveryId,
  email,
  onClose,
}: {
  readonly campaign: { readonly id: string; readonly name: string }
  readonly deliveryId: string
  readonly email: string
  readonly onClose: () => void
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const retry = { params: { id }, body: { deliveryId } }
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'retry-preview', id, deliveryId],
    queryFn: ({ signal }) => call(projectId, 'post', '/campaigns/{id}/retry-failed/preview', { ...retry, signal }),
    staleTime: 0,
  })
  const reason = Object.keys(reasonLabels).find((one) => data?.excluded[one as keyof typeof reasonLabels])
  return (
    <FormDialog
      title={say('sendAgainTitle', { name, email })}
      isOpen
      onClose={onClose}
      submit={say('sendAgain')}
      isDisabled={data?.recipients !== 1}
      onSubmit={async () => {
        const { again } = await call(projectId, 'post', '/campaigns/{id}/retry-failed', retry)
        toast(say('retried', { count: again }))
        await client.invalidateQueries({ queryKey: [projectId] })
      }}
    >
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={1} />
      ) : data.recipients === 1 ? (
        <p>{say('sendAgainReaches', { email })}</p>
      ) : (
        <Note kind="warn">
          {say('sendAgainReachesNot', {
            email,
            reason: reason ? say(reasonLabels[reason as keyof typeof reasonLabels]) : '–',
          })}
        </Note>
      )}
      <p>{say('retryText')}</p>
    </FormDialog>
  )
}
