import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { call } from '../api/client.js'
import type { WebhookEndpoint } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { CopyDialog } from '../ui/copy-dialog.js'
import { Long } from '../ui/long.js'
import { RowMenu } from '../ui/menu.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import css from './developers.module.css'
import { DeleteEndpoint, EndpointDialog, RotateSecret, SwitchEndpoint, TestEndpoint } from './endpoint-dialogs.js'
import { EndpointState } from './endpoint-state.js'
import { eventTypes, hostOf, useLag, useWebhookLogCount } from './endpoints.js'
import { PostLog } from './post-log.js'

type Act = 'edit' | 'switch' | 'delete' | 'rotate' | 'test'

const Facts = ({ endpoint }: { readonly endpoint: WebhookEndpoint }) => {
  const { say, number, date, dateTime } = useText()
  const { _id, url, description, types, batches, createdAt } = endpoint
  const lag = useLag(_id).data
  const givenUp = useWebhookLogCount(_id, 'given-up').data
  const waiting = lag === undefined ? '…' : number(lag.count)
  return (
    <div className={css.facts}>
      <div className={css.card}>
        <p>
          <code className={css.url}>
            <Long>{url}</Long>
          </code>
        </p>
        {description !== '' && <Long>{description}</Long>}
        <p className={css.quiet}>
          {types.length === eventTypes.length ? say('hookAllTypes') : types.join(', ')} ·{' '}
          {say(batches ? 'hookTogether' : 'hookOneByOne')}
        </p>
      </div>
      <dl className={`${css.card} ${css.pairs}`}>
        <dt>{say('hookLag')}</dt>
        <dd>
          {lag?.oldest === undefined ? waiting : `${waiting}, ${say('hookOldest', { time: dateTime(lag.oldest) })}`}
        </dd>
        <dt>{say('hookGivenUp')}</dt>
        <dd>{givenUp === undefined ? '…' : number(givenUp)}</dd>
        <dt>{say('added')}</dt>
        <dd>{date(createdAt)}</dd>
      </dl>
    </div>
  )
}

const Health = ({
  endpoint: { disabled, failing },
  onSwitch,
}: {
  readonly endpoint: WebhookEndpoint
  readonly onSwitch: () => void
}) => {
  const { say, dateTime } = useText()
  if (disabled)
    return (
      <Note
        kind="warn"
        action={
          <Button small onPress={onSwitch}>
            {say('hookOnMore')}
          </Button>
        }
      >
        <p>{say('hookOffSince', { time: dateTime(disabled.since) })}</p>
        <Long>{disabled.reason}</Long>
      </Note>
    )
  if (failing)
    return (
      <Note kind="warn">
        <p>{say('hookFailingText', { time: dateTime(failing.since) })}</p>
        <Long>{failing.reason}</Long>
      </Note>
    )
  return null
}

const Endpoint = ({ endpoint }: { readonly endpoint: WebhookEndpoint }) => {
  const { say } = useText()
  const { href } = useProject()
  const [, navigate] = useLocation()
  const [act, setAct] = useState<Act>()
  const [rotated, setRotated] = useState<WebhookEndpoint>()
  const shown = { endpoint, onClose: () => setAct(undefined) }
  const name = hostOf(endpoint.url)
  return (
    <PageFrame
      title={name}
      crumb={{ label: say('webhooks'), href: href('/developers/webhooks') }}
      under={<EndpointState endpoint={endpoint} filled />}
      actions={
        <>
          <Button icon="send" onPress={() => setAct('test')}>
            {say('hookTest')}
          </Button>
          <Button icon="settings" onPress={() => setAct('edit')}>
            {say('edit')}
          </Button>
          <RowMenu
            label={say('actionsOn', { name })}
            entries={[
              {
                id: 'switch',
                label: say(endpoint.enabled ? 'hookOffMore' : 'hookOnMore'),
                icon: endpoint.enabled ? 'pause' : 'check',
                onAction: () => setAct('switch'),
              },
              { id: 'rotate', label: say('hookRotate'), icon: 'key', onAction: () => setAct('rotate') },
              {
                id: 'delete',
                label: say('deleteMore'),
                icon: 'trash',
                danger: true,
                onAction: () => setAct('delete'),
              },
            ]}
          />
        </>
      }
    >
      <Health endpoint={endpoint} onSwitch={() => setAct('switch')} />
      <Facts endpoint={endpoint} />
      <PostLog endpoint={endpoint} />
      {act === 'edit' && <EndpointDialog {...shown} />}
      {act === 'switch' && <SwitchEndpoint {...shown} />}
      {act === 'test' && <TestEndpoint {...shown} />}
      {act === 'rotate' && <RotateSecret {...shown} onRotated={setRotated} />}
      {act === 'delete' && <DeleteEndpoint {...shown} onDeleted={() => navigate(href('/developers/webhooks'))} />}
      {rotated && (
        <CopyDialog
          isStaying
          title={say('hookSecretTitle')}
          text={say('hookSecretText')}
          value={rotated.secretKey ?? ''}
          onClose={() => setRotated(undefined)}
        />
      )}
    </PageFrame>
  )
}

/** In ms. */
const refreshTime = 10_000

export const EndpointPage = () => {
  const { say } = useText()
  const { projectId, may, href } = useProject()
  const { id } = useParams<{ id: string }>()
  const isAllowed = may('settings.edit')
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'webhooks', id],
    queryFn: ({ signal }) => call(projectId, 'get', '/webhooks/{id}', { params: { id }, signal }),
    enabled: isAllowed,
    refetchInterval: refreshTime,
  })
  if (data && !error) return <Endpoint endpoint={data} />
  return (
    <PageFrame title={say('webhook')} crumb={{ label: say('webhooks'), href: href('/developers/webhooks') }}>
      {!isAllowed ? (
        <Note>{say('errorForbidden')}</Note>
      ) : error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton />
      )}
    </PageFrame>
  )
}
