import { z } from 'zod'
import { chunked } from '../../kernel/listing.js'
import { parsed } from '../../kernel/parsed.js'
import type { Clock } from '../../kernel/ports.js'
import { invalid } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { foundIn } from '../../kernel/repository.js'
import type { Scope } from '../../kernel/scope.js'
import type { Subscriber } from '../../lists/subscriber.js'
import { type SubscriberStatus, statusAt, subscriberStatuses } from '../../lists/subscriber.js'
import type { SubscriberList } from '../../lists/subscriber-list.js'
import { matches } from '../../segments/matches.js'
import type { Segment } from '../../segments/segment.js'
import type { Contact, ContactView } from '../contact.js'

export const ExportOptions = z.strictObject({
  subscriberListId: z.string().optional(),
  subscriberStatus: z.enum(subscriberStatuses).optional(),
  segmentId: z.string().optional(),
})
export type ExportOptions = z.input<typeof ExportOptions>

/** The status is present if a list was given. */
export type ExportedContact = { readonly contact: ContactView; readonly subscriberStatus?: SubscriberStatus }

type Deps = {
  readonly repositories: RepositoriesFor<{
    contacts: Contact
    subscribers: Subscriber
    subscriberLists: SubscriberList
    segments: Segment
  }>
  readonly clock: Clock
}

type Found = { readonly contact: Contact; readonly subscriberStatus?: SubscriberStatus }

const batchSize = 500

export const contactExport = (
  { repositories: { contacts, subscribers, subscriberLists, segments }, clock }: Deps,
  views: (projectId: string, found: readonly Contact[]) => Promise<readonly ContactView[]>,
) => {
  const onList = async function* (projectId: string, subscriberListId: string): AsyncGenerator<Found> {
    for await (const memberships of chunked(subscribers.each({ subscriberListId }), batchSize)) {
      const now = clock().toISOString()
      const statuses = new Map(memberships.map((one) => [one.contactId, statusAt(one, now)]))
      for await (const contact of contacts.each({ _id: [...statuses.keys()], projectId })) {
        const subscriberStatus = statuses.get(contact._id)
        yield { contact, ...(subscriberStatus && { subscriberStatus }) }
      }
    }
  }

  const ofProject = async function* (projectId: string): AsyncGenerator<Found> {
    for await (const contact of contacts.each({ projectId })) yield { contact }
  }

  const asked = async function* (
    projectId: string,
    { subscriberListId, subscriberStatus, segmentId }: z.output<typeof ExportOptions>,
  ): AsyncGenerator<Found> {
    const segment = segmentId === undefined ? undefined : await segments.get({ _id: segmentId, projectId })
    const found = subscriberListId === undefined ? ofProject(projectId) : onList(projectId, subscriberListId)
    for await (const one of found) {
      const fits = subscriberStatus === undefined || one.subscriberStatus === subscriberStatus
      if (fits && (!segment || matches(segment.groups, one.contact, clock()))) yield one
    }
  }

  const assertThere = async (
    projectId: string,
    { subscriberListId, subscriberStatus, segmentId }: z.output<typeof ExportOptions>,
  ) => {
    if (subscriberStatus !== undefined && subscriberListId === undefined)
      throw invalid('subscriberStatus: needs subscriberListId, too')
    if (subscriberListId !== undefined) await foundIn(subscriberLists, { _id: subscriberListId, projectId })
    if (segmentId !== undefined) await foundIn(segments, { _id: segmentId, projectId })
  }

  /** @throws Refusal `invalid` for the options, `not-found` for a list or segment of another project */
  return async function* exportContacts(
    { projectId }: Scope,
    options: ExportOptions = {},
  ): AsyncGenerator<ExportedContact> {
    const given = parsed(ExportOptions, options)
    await assertThere(projectId, given)
    for await (const batch of chunked(asked(projectId, given), batchSize)) {
      const shown = await views(
        projectId,
        batch.map(({ contact }) => contact),
      )
      for (const [index, contact] of shown.entries()) {
        const { subscriberStatus } = batch[index] ?? {}
        yield { contact, ...(subscriberStatus && { subscriberStatus }) }
      }
    }
  }
}
