import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { WebhookEndpoint } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Icon } from '../ui/icons.js'
import { Long } from '../ui/long.js'
import { ErrorNote, Skeleton, useToast } from '../ui/states.js'
import css from './developers.module.css'
import { useInvalidateWebhooks } from './endpoint-dialogs.js'
import { eventWords, isEventType } from './endpoints.js'

/** In ms. */
const refreshTime = 5_000

const isTaken = (status: number | undefined) => status !== undefined && status >= 200 && status < 300

export const Posted = ({
  endpoint,
  event,
  onClose,
}: {
  readonly endpoint: WebhookEndpoint
  readonly event: string
  readonly onClose: () => void
}) => {
  const { say, dateTime } = useText()
  const { projectId } = useProject()
  const reload = useInvalidateWebhooks()
  const toast = useToast()
  const [failure, setFailure] = useState<unknown>()
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'webhooks', endpoint._id, 'event', event],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/webhooks/{id}/log/{entryId}', {
        params: { id: endpoint._id, entryId: event },
        signal,
      }),
    refetchInterval: refreshTime,
  })
  const replay = async () => {
    setFailure(undefined)
    try {
      const { replayed } = await call(projectId, 'post', '/webhooks/{id}/replay', {
        params: { id: endpoint._id },
        body: { ids: [event] },
      })
      toast(say(replayed > 0 ? 'hookReplayed' : 'hookBeingPosted', { count: replayed }))
      await reload()
    } catch (thrown) {
      setFailure(thrown)
    }
  }
  return (
    <section className={css.posted}>
      <div className={css.postedHead}>
        <h2>
          <Long>{data && isEventType(data.type) ? say(eventWords[data.type]) : say('hookEvent')}</Long>
        </h2>
        {data && endpoint.enabled && (
          <Button small icon="retry" onPress={() => void replay()}>
            {say('hookReplay')}
          </Button>
        )}
        <Button kind="quiet" small icon="close" aria-label={say('close')} onPress={onClose} />
      </div>
      {failure !== undefined && <ErrorNote error={failure} />}
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={4} />
      ) : (
        <>
          <p className={css.quiet}>
            <code className={css.id}>{data.type}</code> · <code className={css.id}>{data._id}</code>
          </p>
          <ol className={css.attempts} aria-label={say('hookAttempts')}>
            {data.attempts.map(({ at, status, reason }) => (
              <li key={at}>
                <span className={css.quiet}>{dateTime(at)}</span>
                <span className={isTaken(status) ? css.taken : css.refused}>
                  <Icon name={isTaken(status) ? 'check' : 'close'} size={14} />
                  {status ?? <Long>{reason ?? say('hookNoAnswer')}</Long>}
                </span>
              </li>
            ))}
            {data.nextAt !== undefined && (
              <li>
                <span className={css.quiet}>{dateTime(data.nextAt)}</span>
                <span>
                  <Icon name="clock" size={14} /> {say('hookNextTry')}
                </span>
              </li>
            )}
          </ol>
          {data.reason !== undefined && <Long>{data.reason}</Long>}
          <h3>{say('hookPosted')}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <pre className={css.json} tabIndex={0}>
            {JSON.stringify(data.event, undefined, 2)}
          </pre>
        </>
      )}
    </section>
  )
}
