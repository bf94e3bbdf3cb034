import {
  type AudienceQuery,
  type AudienceReader,
  type Contact,
  matchesSegment,
  type Subscriber,
  type Suppression,
  subscriberStatusAt,
} from '@posthorn/core/ports/storage'
import type { InMemoryTable } from './table.js'

type Tables = {
  readonly contacts: Pick<InMemoryTable<Contact>, 'fits'>
  readonly subscribers: Pick<InMemoryTable<Subscriber>, 'fits'>
  readonly suppressions: Pick<InMemoryTable<Suppression>, 'fits'>
}

/** Reads the whole list. Stores' queries are compared with it. */
export const inMemoryAudience = ({ contacts, subscribers, suppressions }: Tables): AudienceReader => {
  const audience = function* (question: AudienceQuery, after?: string): Iterable<Contact> {
    const { projectId, subscriberListId, segment, now } = question
    const active = [...subscribers.fits({ projectId, subscriberListId })].filter(
      (one) => subscriberStatusAt(one, now) === 'active',
    )
    for (const contact of contacts.fits({ projectId, _id: active.map((one) => one.contactId) }, after))
      if (!segment || matchesSegment(segment, contact, new Date(now))) yield contact
  }

  const isReachable = ({ projectId, unengaged, now }: AudienceQuery) => {
    const suppressed = new Set([...suppressions.fits({ projectId })].map((one) => one.emailKey))
    return (contact: Contact) =>
      !suppressed.has(contact.emailKey) && !(unengaged && matchesSegment(unengaged, contact, new Date(now)))
  }

  return {
    pageSize: 250,

    count: async (question) => {
      const all = [...audience(question)]
      return { total: all.length, reachable: all.filter(isReachable(question)).length }
    },
    page: async (question, after, limit) => {
      const page: Contact[] = []
      for (const contact of audience(question, after)) if (page.push(contact) >= limit) break
      return structuredClone(page)
    },
  }
}
