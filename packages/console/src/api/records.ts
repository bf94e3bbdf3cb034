import { useQuery } from '@tanstack/react-query'
import { call } from './client.js'

/** The API's largest page. */
export const maxPageSize = 30
/** More are not offered for choosing; the pages of their own list all of them. */
const mostChoices = 300

type PageOf<T> = { readonly items: readonly T[]; readonly count: number }

export const collectItems = async <T>(page: (skip: number) => Promise<PageOf<T>>): Promise<readonly T[]> => {
  const all: T[] = []
  for (;;) {
    const { items, count } = await page(all.length)
    all.push(...items)
    if (items.length === 0 || all.length >= Math.min(count, mostChoices)) return all
  }
}

/** In ms; names change rarely. */
const nameTime = 60_000

export const useLists = (projectId: string) =>
  useQuery({
    queryKey: [projectId, 'lists', 'all'],
    queryFn: ({ signal }) =>
      collectItems((skip) =>
        call(projectId, 'get', '/subscriber-lists', { query: { limit: maxPageSize, skip }, signal }),
      ),
    staleTime: nameTime,
  })

export const useSegments = (projectId: string) =>
  useQuery({
    queryKey: [projectId, 'segments', 'all'],
    queryFn: ({ signal }) =>
      collectItems((skip) => call(projectId, 'get', '/segments', { query: { limit: maxPageSize, skip }, signal })),
    staleTime: nameTime,
  })

export const useSenders = (projectId: string) =>
  useQuery({
    queryKey: [projectId, 'senders'],
    queryFn: ({ signal }) =>
      collectItems((skip) =>
        call(projectId, 'get', '/sender-identities', { query: { limit: maxPageSize, skip }, signal }),
      ),
    staleTime: nameTime,
  })

export const useFields = (projectId: string) =>
  useQuery({
    queryKey: [projectId, 'fields'],
    queryFn: async ({ signal }) => (await call(projectId, 'get', '/contacts/fields', { signal })).items,
    staleTime: nameTime,
  })

/** Counts active subscribers of the list without reading them. */
export const useAudienceCount = (
  projectId: string,
  listId: string,
  {
    segmentId,
    lacking,
    enabled = true,
  }: { readonly segmentId?: string | undefined; readonly lacking?: string; readonly enabled?: boolean },
) =>
  useQuery({
    queryKey: [projectId, 'audience-count', listId, segmentId ?? '', lacking ?? ''],
    queryFn: async ({ signal }) => {
      const { count } = await call(projectId, 'get', '/contacts', {
        query: { limit: 1 },
        filter: {
          subscriberListId: listId,
          subscriberStatus: 'active',
          ...(segmentId && { segmentId }),
          ...(lacking && {
            segment: JSON.stringify({ groups: [{ conditions: [{ property: lacking, operator: 'is-empty' }] }] }),
          }),
        },
        signal,
      })
      return count
    },
    enabled: enabled && listId !== '',
    staleTime: 30_000,
  })
