import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.js'
import type { WebhookEventType, WebhookLogEntry } from '../api/types.js'
import { useProject } from '../shell/session.js'
import type { Messages } from '../text/en.js'

export { hostOf } from './host.js'

export const eventWords = {
  sent: 'hookSent',
  failed: 'hookFailed',
  open: 'hookOpen',
  click: 'hookClick',
  bounce: 'hookBounce',
  complaint: 'hookComplaint',
  subscribe: 'hookSubscribe',
  unsubscribe: 'hookUnsubscribe',
  resubscribe: 'hookResubscribe',
  'pause-subscription': 'hookPauseSubscription',
} as const satisfies Readonly<Record<WebhookEventType, keyof Messages>>

export const eventTypes = Object.keys(eventWords) as readonly WebhookEventType[]

export const isEventType = (text: string): text is WebhookEventType => Object.hasOwn(eventWords, text)

export const stateWords = {
  pending: 'hookWaits',
  delivered: 'hookDelivered',
  'given-up': 'hookGivenUp',
} as const satisfies Readonly<Record<WebhookLogEntry['state'], keyof Messages>>

export type PostState = keyof typeof stateWords
export const postStates = Object.keys(stateWords) as readonly PostState[]
export const isPostState = (text: string): text is PostState => Object.hasOwn(stateWords, text)

/** In ms. */
const refreshTime = 10_000

export const useLag = (id: string) => {
  const { projectId, may } = useProject()
  return useQuery({
    queryKey: [projectId, 'webhooks', id, 'lag'],
    queryFn: async ({ signal }) => {
      const { items, count } = await call(projectId, 'get', '/webhooks/{id}/log', {
        params: { id },
        query: { limit: 1, sort: 'createdAt', order: 'asc' },
        filter: { state: 'pending' },
        signal,
      })
      return { count, oldest: items[0]?.createdAt }
    },
    enabled: may('addresses.read'),
    refetchInterval: refreshTime,
  })
}

export const useWebhookLogCount = (id: string, state: PostState) => {
  const { projectId, may } = useProject()
  return useQuery({
    queryKey: [projectId, 'webhooks', id, 'count', state],
    queryFn: async ({ signal }) =>
      (
        await call(projectId, 'get', '/webhooks/{id}/log', {
          params: { id },
          query: { limit: 1 },
          filter: { state },
          signal,
        })
      ).count,
    enabled: may('addresses.read'),
  })
}
