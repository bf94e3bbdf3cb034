import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../api/client.js'
import type { WebhookEndpoint } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { CopyDialog } from '../ui/copy-dialog.js'
import { pagesByOffset } from '../ui/csv.js'
import { Empty, ErrorNote, Note, Skeleton } from '../ui/states.js'
import { Pager, Second, Table } from '../ui/table.js'
import { DeleteEndpoint, EndpointDialog, SwitchEndpoint } from './endpoint-dialogs.js'
import { EndpointState } from './endpoint-state.js'
import { eventTypes, useLag } from './endpoints.js'
import { ReferenceLink } from './shared.js'

const pageSize = 20

const Lag = ({ id }: { readonly id: string }) => {
  const { say, dateTime } = useText()
  const { data, error } = useLag(id)
  if (!data) return error ? '–' : '…'
  if (data.count === 0) return say('hookNothingWaits')
  return (
    <>
      {say('hookWaitCount', { count: data.count })}
      {data.oldest !== undefined && <Second>{say('hookOldest', { time: dateTime(data.oldest) })}</Second>}
    </>
  )
}

const Types = ({ types }: Pick<WebhookEndpoint, 'types'>) => {
  const { say } = useText()
  if (types.length === eventTypes.length) return say('hookAllTypes')
  return types.join(', ')
}

type Act = { readonly kind: 'edit' | 'switch' | 'delete'; readonly endpoint: WebhookEndpoint }

export const WebhooksPage = () => {
  const { say, number } = useText()
  const { projectId, may, href } = useProject()
  const { get, set } = useUrlState()
  const [, navigate] = useLocation()
  const [act, setAct] = useState<Act>()
  const [created, setCreated] = useState<WebhookEndpoint>()
  const isAllowed = may('settings.edit')
  const skip = skipOf(get('skip'))
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [projectId, 'webhooks', 'page', skip],
    queryFn: ({ signal }) => call(projectId, 'get', '/webhooks', { query: { limit: pageSize, skip }, signal }),
    enabled: isAllowed,
    placeholderData: keepPreviousData,
  })
  if (!isAllowed)
    return (
      <PageFrame title={say('webhooks')}>
        <Note>{say('errorForbidden')}</Note>
      </PageFrame>
    )
  const add = (
    <Button kind="primary" icon="plus" onPress={() => set({ new: '1' })}>
      {say('newHook')}
    </Button>
  )
  const done = () => setAct(undefined)
  return (
    <PageFrame
      title={say('webhooks')}
      under={data && number(data.count)}
      actions={
        <>
          <ReferenceLink />
          {data && data.count > 0 && add}
        </>
      }
    >
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : data.count === 0 ? (
        <Empty icon="link" title={say('noHooks')} action={add}>
          {say('noHooksText')}
        </Empty>
      ) : (
        <div>
          <Table<WebhookEndpoint>
            label={say('webhooks')}
            rows={data.items}
            keyOf={({ _id }) => _id}
            nameOf={({ url }) => url}
            hrefOf={({ _id }) => href(`/developers/webhooks/${_id}`)}
            isWaiting={isPlaceholderData}
            pages={pagesByOffset(({ skip: from, limit, signal }) =>
              call(projectId, 'get', '/webhooks', { query: { limit, skip: from }, signal }),
            )}
            columns={[
              {
                id: 'url',
                label: say('hookUrl'),
                cell: ({ description }) => (description === '' ? null : <Second>{description}</Second>),
              },
              {
                id: 'types',
                label: say('hookTypes'),
                cell: ({ types }) => <Types types={types} />,
                text: ({ types }) => types.join(' '),
              },
              {
                id: 'state',
                label: say('status'),
                cell: (endpoint) => <EndpointState endpoint={endpoint} />,
                text: ({ disabled, failing }) => say(disabled ? 'csvOff' : failing ? 'csvFailing' : 'hookWorks'),
              },
              { id: 'lag', label: say('hookLag'), cell: ({ _id }) => <Lag id={_id} /> },
            ]}
            menuOf={(endpoint) => [
              { id: 'edit', label: say('edit'), icon: 'pencil', onAction: () => setAct({ kind: 'edit', endpoint }) },
              {
                id: 'switch',
                label: say(endpoint.enabled ? 'hookOffMore' : 'hookOnMore'),
                icon: endpoint.enabled ? 'pause' : 'check',
                onAction: () => setAct({ kind: 'switch', endpoint }),
              },
              {
                id: 'delete',
                label: say('deleteMore'),
                icon: 'trash',
                danger: true,
                onAction: () => setAct({ kind: 'delete', endpoint }),
              },
            ]}
          />
          <Pager
            label={say('webhooks')}
            skip={skip}
            limit={pageSize}
            count={data.count}
            onSkip={(to) => set({ skip: to === 0 ? undefined : String(to) })}
          />
        </div>
      )}
      {get('new') === '1' && <EndpointDialog onClose={() => set({ new: undefined })} onCreated={setCreated} />}
      {created && (
        <CopyDialog
          isStaying
          title={say('hookSecretTitle')}
          text={say('hookSecretText')}
          value={created.secretKey ?? ''}
          onClose={() => {
            setCreated(undefined)
            navigate(href(`/developers/webhooks/${created._id}`))
          }}
        />
      )}
      {act?.kind === 'edit' && <EndpointDialog endpoint={act.endpoint} onClose={done} />}
      {act?.kind === 'switch' && <SwitchEndpoint endpoint={act.endpoint} onClose={done} />}
      {act?.kind === 'delete' && <DeleteEndpoint endpoint={act.endpoint} onClose={done} />}
    </PageFrame>
  )
}
