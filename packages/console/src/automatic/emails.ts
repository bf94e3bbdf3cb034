import { call } from '../api/client.js'
import type { BodyOf, ResponseOf, Scalar } from '../api/types.js'
import { withoutIsolates } from '../text/filled.js'

export type Kind = 'transactional' | 'triggered'
export const kinds: readonly Kind[] = ['transactional', 'triggered']

const lists = { transactional: '/transactional-emails', triggered: '/triggered-emails' } as const
const records = { transactional: '/transactional-emails/{id}', triggered: '/triggered-emails/{id}' } as const
const figures = {
  transactional: '/transactional-emails/{id}/stats',
  triggered: '/triggered-emails/{id}/stats',
} as const

type Triggered = ResponseOf<'get', '/triggered-emails/{id}'>
/** A list only if it is a triggered one. */
export type AutomaticEmail = ResponseOf<'get', '/transactional-emails/{id}'> &
  Partial<Pick<Triggered, 'subscriberListId' | 'excludeUnengaged'>>
export type AutomaticChanges = BodyOf<'patch', '/triggered-emails/{id}'>
export type AutomaticEmailTotals = Exclude<
  ResponseOf<'get', '/triggered-emails/{id}/stats'>,
  { readonly buckets: unknown }
>
type Page = { readonly items: readonly AutomaticEmail[]; readonly count: number }
type Query = Readonly<Record<string, Scalar>>

export const listEmails = (projectId: string, kind: Kind, query: Query, signal: AbortSignal): Promise<Page> =>
  call(projectId, 'get', lists[kind], { query, signal })

export const readEmail = (projectId: string, kind: Kind, id: string): Promise<AutomaticEmail> =>
  call(projectId, 'get', records[kind], { params: { id } })

export const changeEmail = (
  projectId: string,
  kind: Kind,
  id: string,
  body: AutomaticChanges,
): Promise<AutomaticEmail> => call(projectId, 'patch', records[kind], { params: { id }, body })

export const createEmail = (
  projectId: string,
  kind: Kind,
  body: BodyOf<'post', '/transactional-emails'> | BodyOf<'post', '/triggered-emails'>,
): Promise<AutomaticEmail> => call(projectId, 'post', lists[kind], { body })

/** With the same content, settings and list. */
export const copyOfEmail = (projectId: string, kind: Kind, email: AutomaticEmail, name: string) => {
  const { subject, previewText, senderIdentity, replyTo, type, document, feeds, tracking } = email
  const { subscriberListId, excludeUnengaged } = email
  return createEmail(projectId, kind, {
    name: withoutIsolates(name).slice(0, 200),
    subject,
    feeds,
    ...(type !== 'visual' && { type }),
    ...(document !== undefined && { document }),
    ...(previewText !== undefined && { previewText }),
    ...(senderIdentity !== undefined && { senderIdentity }),
    ...(replyTo !== undefined && { replyTo }),
    ...(tracking !== undefined && { tracking }),
    ...(subscriberListId !== undefined && { subscriberListId, excludeUnengaged }),
  })
}

export const removeEmail = (projectId: string, kind: Kind, id: string): Promise<unknown> =>
  call(projectId, 'delete', records[kind], { params: { id } })

export const statsOf = (projectId: string, kind: Kind, id: string, query: Query, signal: AbortSignal) =>
  call(projectId, 'get', figures[kind], { params: { id }, query, signal })

export const kindLabels = { transactional: 'transactionalEmail', triggered: 'triggeredEmail' } as const
export const kindsLabels = { transactional: 'autoTransactional', triggered: 'autoTriggered' } as const
