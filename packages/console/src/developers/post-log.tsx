import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { WebhookEndpoint, WebhookLogEntry } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { type Pages, pagesByOffset } from '../ui/csv.js'
import { FormDialog } from '../ui/dialog.js'
import { Select } from '../ui/field.js'
import type { IconName } from '../ui/icons.js'
import { Badge, Empty, ErrorNote, Note, Skeleton, type Tone, useToast } from '../ui/states.js'
import { Pager, Second, Table } from '../ui/table.js'
import css from './developers.module.css'
import { useInvalidateWebhooks } from './endpoint-dialogs.js'
import {
  eventTypes,
  eventWords,
  isEventType,
  isPostState,
  type PostState,
  postStates,
  stateWords,
} from './endpoints.js'
import { Posted } from './posted.js'

const pageSize = 15

/** In ms. */
const refreshTime = 10_000

const looks: Readonly<Record<PostState, readonly [tone: Tone, icon: IconName]>> = {
  pending: ['warning', 'clock'],
  delivered: ['good', 'check'],
  'given-up': ['badly', 'close'],
}

const StateBadge = ({ state }: { readonly state: PostState }) => {
  const { say } = useText()
  const [tone, icon] = looks[state]
  return (
    <Badge tone={tone} icon={icon}>
      {say(stateWords[state])}
    </Badge>
  )
}

const Answer = ({ entry: { attempts, reason } }: { readonly entry: WebhookLogEntry }) => {
  const { say } = useText()
  const last = attempts.at(-1)
  if (last?.status !== undefined) return last.status
  if (last) return say('hookNoAnswer')
  return reason ?? '–'
}

type Chosen = { readonly state?: PostState; readonly type?: WebhookLogEntry['type'] }

/** Queues all events of the log that the filter shows. */
const ReplayDialog = ({
  endpoint,
  chosen,
  count,
  onClose,
}: {
  readonly endpoint: WebhookEndpoint
  readonly chosen: Chosen
  readonly count: number
  readonly onClose: () => void
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const reload = useInvalidateWebhooks()
  const toast = useToast()
  return (
    <FormDialog
      title={say('hookReplayTitle', { count })}
      isOpen
      onClose={onClose}
      submit={say('hookReplayDo', { count })}
      onSubmit={async () => {
        let replayed = 0
        let after: string | null | undefined
        while (after !== null) {
          const body = { ...chosen, ...(after !== undefined && { after }) }
          const part = await call(projectId, 'post', '/webhooks/{id}/replay', { params: { id: endpoint._id }, body })
          replayed += part.replayed
          after = part.next
        }
        toast(say('hookReplayed', { count: replayed }))
        await reload()
      }}
    >
      <p>{say('hookReplayEffect')}</p>
    </FormDialog>
  )
}

const Filters = ({ state, type }: { readonly state: string; readonly type: string }) => {
  const { say } = useText()
  const { set } = useUrlState()
  return (
    <>
      <Select
        label={say('status')}
        labelHidden
        options={[
          { value: 'any', label: say('anyStatus') },
          ...postStates.map((value) => ({ value, label: say(stateWords[value]) })),
        ]}
        value={isPostState(state) ? state : 'any'}
        onChange={(value) => set({ state: value === 'any' ? undefined : value, skip: undefined })}
        dense
      />
      <Select
        label={say('hookEvent')}
        labelHidden
        options={[
          { value: 'any', label: say('hookAnyType') },
          ...eventTypes.map((value) => ({ value, label: say(eventWords[value]) })),
        ]}
        value={isEventType(type) ? type : 'any'}
        onChange={(value) => set({ type: value === 'any' ? undefined : value, skip: undefined })}
        dense
      />
    </>
  )
}

const Entries = ({
  entries,
  isWaiting,
  hrefOf,
  pages,
}: {
  readonly entries: readonly WebhookLogEntry[]
  readonly pages: Pages<WebhookLogEntry>
  readonly isWaiting: boolean
  readonly hrefOf: (entry: WebhookLogEntry) => string
}) => {
  const { say, number, dateTime } = useText()
  return (
    <Table<WebhookLogEntry>
      label={say('hookLog')}
      rows={entries}
      keyOf={({ _id }) => _id}
      nameOf={({ type }) => (isEventType(type) ? say(eventWords[type]) : type)}
      hrefOf={hrefOf}
      isWaiting={isWaiting}
      pages={pages}
      columns={[
        {
          id: 'type',
          label: say('hookEvent'),
          cell: ({ type }) => (
            <Second>
              <code>{type}</code>
            </Second>
          ),
        },
        {
          id: 'state',
          label: say('status'),
          text: ({ state }) => (isPostState(state) ? say(stateWords[state]) : state),
          cell: ({ state, nextAt }) => (
            <>
              {isPostState(state) ? <StateBadge state={state} /> : state}
              {nextAt !== undefined && <Second>{say('hookNext', { time: dateTime(nextAt) })}</Second>}
            </>
          ),
        },
        { id: 'attempts', label: say('hookAttempts'), numeric: true, cell: ({ attempts }) => number(attempts.length) },
        {
          id: 'answer',
          label: say('hookAnswer'),
          cell: (entry) => <Answer entry={entry} />,
          text: ({ attempts, reason }) => String(attempts.at(-1)?.status ?? reason ?? ''),
        },
        { id: 'time', label: say('time'), isShort: true, cell: ({ createdAt }) => dateTime(createdAt) },
      ]}
    />
  )
}

export const PostLog = ({ endpoint }: { readonly endpoint: WebhookEndpoint }) => {
  const { say } = useText()
  const { projectId, href, may } = useProject()
  const { get, set, parameters } = useUrlState()
  const [isReplaying, setReplaying] = useState(false)
  const [state, type, event] = [get('state'), get('type'), get('event')]
  const skip = skipOf(get('skip'))
  const chosen: Chosen = { ...(isPostState(state) && { state }), ...(isEventType(type) && { type }) }
  const isFiltered = Object.keys(chosen).length > 0
  const isAllowed = may('addresses.read')
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [projectId, 'webhooks', endpoint._id, 'log', chosen, skip],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/webhooks/{id}/log', {
        params: { id: endpoint._id },
        query: { limit: pageSize, skip },
        filter: chosen,
        signal,
      }),
    enabled: isAllowed,
    placeholderData: keepPreviousData,
    refetchInterval: refreshTime,
  })
  const hrefOf = ({ _id }: WebhookLogEntry) => {
    const next = new URLSearchParams(parameters)
    next.set('event', _id)
    return `${href(`/developers/webhooks/${endpoint._id}`)}?${next}`
  }
  if (!isAllowed) return <Note>{say('errorForbidden')}</Note>
  return (
    <div className={event === '' ? undefined : css.split}>
      <section className={css.stack}>
        <div className={css.tools}>
          <h2>{say('hookLog')}</h2>
          <Filters state={state} type={type} />
          {isFiltered && data && data.count > 0 && endpoint.enabled && (
            <Button icon="retry" onPress={() => setReplaying(true)}>
              {say('hookReplayMore', { count: data.count })}
            </Button>
          )}
        </div>
        {error ? (
          <ErrorNote error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Skeleton />
        ) : data.count === 0 ? (
          isFiltered ? (
            <Empty icon="search" title={say('nothingMatches')}>
              {say('nothingMatchesText')}
            </Empty>
          ) : (
            <Empty icon="link" title={say('hookNoEvents')}>
              {say('hookNoEventsText')}
            </Empty>
          )
        ) : (
          <div>
            <Entries
              pages={pagesByOffset(({ skip: from, limit, signal }) =>
                call(projectId, 'get', '/webhooks/{id}/log', {
                  params: { id: endpoint._id },
                  query: { limit, skip: from },
                  filter: chosen,
                  signal,
                }),
              )}
              entries={data.items}
              isWaiting={isPlaceholderData}
              hrefOf={hrefOf}
            />
            <Pager
              label={say('hookLog')}
              skip={skip}
              limit={pageSize}
              count={data.count}
              onSkip={(to) => set({ skip: to === 0 ? undefined : String(to) })}
            />
          </div>
        )}
      </section>
      {event !== '' && (
        <Posted key={event} endpoint={endpoint} event={event} onClose={() => set({ event: undefined })} />
      )}
      {isReplaying && data && (
        <ReplayDialog endpoint={endpoint} chosen={chosen} count={data.count} onClose={() => setReplaying(false)} />
      )}
    </div>
  )
}
