import { z } from 'zod'
import type { StoredRecord } from '../kernel/repository.js'
import { Instant } from '../kernel/shapes.js'
import type { Delivery } from '../sending/ledger/delivery.js'
import type { Dispatch } from '../sending/ledger/dispatch.js'

type Page = { readonly skip: number; readonly limit: number }

export type ErrorLogReadMark = StoredRecord & { readonly projectId: string; readonly readAt: string }

/** Before a mail is transmitted; all others come from the provider. */
const ofProcessing: readonly string[] = ['RenderFailure', 'DispatchStopped', 'CampaignStopped', 'WorkerDied']

export const EmailErrorLog = z
  .object({
    createdAt: Instant,
    source: z
      .enum(['processing', 'delivery'])
      .describe('processing: the mail could not be built; delivery: the provider did not accept it'),
    recipient: z.string().describe('Recipient; empty if the whole dispatch failed'),
    errorName: z.string().describe('Kind of the error, or the code of the relay'),
    errorMessage: z.string().describe('Error message'),
  })
  .meta({ id: 'EmailErrorLog' })
export type EmailErrorLog = z.output<typeof EmailErrorLog>

/** A stopped dispatch has no recipient. */
export const errorLogOfStoppedDispatch = ({ finishedAt, updatedAt, errorMessage = '' }: Dispatch): EmailErrorLog =>
  EmailErrorLog.parse({
    createdAt: finishedAt ?? updatedAt,
    source: 'processing',
    recipient: '',
    errorName: 'DispatchStopped',
    errorMessage,
  })

export const mostLoggedDispatchStops = 100

const newestFirst = (a: EmailErrorLog, b: EmailErrorLog) =>
  a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0

/** Failed deliveries for a page of the merged log, wherever the stopped dispatches sort into it. */
export const failedDeliveriesPage = ({ skip, limit }: Page, stopped: number): Page => ({
  skip: Math.max(0, skip - stopped),
  limit: limit + stopped,
})

/** Newest first. */
export const errorLogPage = (
  { skip, limit }: Page,
  stopped: readonly EmailErrorLog[],
  failed: readonly EmailErrorLog[],
): readonly EmailErrorLog[] => {
  const from = skip - failedDeliveriesPage({ skip, limit }, stopped.length).skip
  return [...stopped, ...failed].sort(newestFirst).slice(from, from + limit)
}

export const errorLogView = ({ updatedAt, email, error, returned }: Delivery): EmailErrorLog => {
  const { name, message } = returned ?? error ?? { name: '', message: '' }
  return EmailErrorLog.parse({
    createdAt: updatedAt,
    source: ofProcessing.includes(name) ? 'processing' : 'delivery',
    recipient: email,
    errorName: name,
    errorMessage: message,
  })
}
