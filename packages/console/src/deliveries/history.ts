import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.js'
import { asApiError } from '../api/errors.js'
import { collectItems, maxPageSize } from '../api/records.js'
import type { MailHistory } from '../api/types.js'

/** Mails that the page shows: a page of the API’s list. */
export const mostMails = maxPageSize

const orUndefined = async <T>(found: Promise<T>): Promise<T | undefined> => {
  try {
    return await found
  } catch (error) {
    if (asApiError(error).kind === 'gone') return undefined
    throw error
  }
}

/** Null if there is none. */
export const useContact = (projectId: string, email: string) =>
  useQuery({
    queryKey: [projectId, 'explain', 'contact', email],
    queryFn: async ({ signal }) =>
      (await orUndefined(call(projectId, 'get', '/contacts/{email}', { params: { email }, signal }))) ?? null,
    enabled: email !== '',
  })

/** Null if there is none. */
export const useSuppression = (projectId: string, email: string) =>
  useQuery({
    queryKey: [projectId, 'explain', 'suppression', email],
    queryFn: async ({ signal }) => {
      const { items } = await call(projectId, 'get', '/suppression-list', {
        query: { limit: 1 },
        filter: { email },
        signal,
      })
      return items[0] ?? null
    },
    enabled: email !== '',
  })

/** Lists that the contact is on or has left, newest first, at most 300; `count`: all. */
export const useSubscriptions = (projectId: string, email: string, isKnown: boolean) =>
  useQuery({
    queryKey: [projectId, 'explain', 'subscriptions', email],
    queryFn: async ({ signal }) => {
      let count = 0
      const read = collectItems(async (skip) => {
        const query = { limit: maxPageSize, skip }
        const page = await call(projectId, 'get', '/contacts/{email}/subscriptions', {
          params: { email },
          query,
          signal,
        })
        count = page.count
        return page
      })
      return { items: (await orUndefined(read)) ?? [], count }
    },
    enabled: email !== '' && isKnown,
  })

/** In ms, while a mail waits. */
const waitingInterval = 3_000

const isWaiting = ({ status }: MailHistory): boolean => status === 'scheduled' || status === 'being-sent'

/** Mails to the address, the newest first. */
export const useHistory = (projectId: string, email: string) =>
  useQuery({
    queryKey: [projectId, 'explain', 'history', email],
    queryFn: ({ signal }) => call(projectId, 'get', '/deliveries', { query: { email, limit: mostMails }, signal }),
    refetchInterval: ({ state }) => (state.data?.items.some(isWaiting) === true ? waitingInterval : false),
    enabled: email !== '',
  })
