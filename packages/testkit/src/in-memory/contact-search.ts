import {
  type Contact,
  type ContactQuery,
  type ContactSearch,
  compareByCodePoint,
  compareValues,
  matchesSegment,
  type NextContactsQuery,
  type Subscriber,
  subscriberStatusAt,
} from '@posthorn/core/ports/storage'
import type { InMemoryTable } from './table.js'

type Tables = {
  readonly contacts: Pick<InMemoryTable<Contact>, 'fits'>
  readonly subscribers: Pick<InMemoryTable<Subscriber>, 'fits'>
}

type Members = Omit<NonNullable<ContactQuery['list']>, 'subscriberListId'> & {
  readonly subscriberListId: string | readonly string[]
}

const customFields = 'customFields.'

const keyOf = (contact: Contact, by: string): unknown =>
  by.startsWith(customFields) ? contact.customFields[by.slice(customFields.length)] : contact[by as keyof Contact]

/** Contact search in memory, by a walk over all contacts. Stores' queries are compared with it. */
export const inMemoryContactSearch = ({ contacts, subscribers }: Tables): ContactSearch => {
  const membersOf = ({ subscriberListId, status, where }: Members, now: string) =>
    new Set(
      [...subscribers.fits({ ...where, subscriberListId })]
        .filter((one) => status === undefined || subscriberStatusAt(one, now) === status)
        .map(({ contactId }) => contactId),
    )

  const matching = ({
    projectId,
    where,
    list,
    segments,
    emailPrefix = '',
    now,
  }: Omit<NextContactsQuery, 'limit' | 'after'>) => {
    const members = list && membersOf(list, now)
    return [...contacts.fits({ ...where, projectId })].filter(
      (contact) =>
        contact.emailKey.startsWith(emailPrefix) &&
        (members?.has(contact._id) ?? true) &&
        segments.every((groups) => matchesSegment(groups, contact, new Date(now))),
    )
  }

  return {
    next: async ({ after, limit, ...question }) => {
      const sorted =
        question.emailPrefix === undefined
          ? matching(question)
              .sort((a, b) => compareByCodePoint(b._id, a._id))
              .filter(({ _id }) => after === undefined || _id < after)
          : matching(question)
              .sort((a, b) => compareByCodePoint(a.emailKey, b.emailKey))
              .filter(({ emailKey }) => after === undefined || emailKey > after)
      return structuredClone(sorted.slice(0, limit))
    },

    page: async ({ list, onOneOf, sort: { by, order }, skip, limit, now, ...question }) => {
      const others = onOneOf && membersOf({ subscriberListId: onOneOf }, now)
      const sign = order === 'asc' ? 1 : -1
      const found = matching({ ...question, now, ...(list && { list }) })
        .filter(({ _id }) => others?.has(_id) ?? true)
        .sort((a, b) => sign * (compareValues(keyOf(a, by), keyOf(b, by)) || compareByCodePoint(a._id, b._id)))
      return { items: structuredClone(found.slice(skip, skip + limit)), count: found.length }
    },
  }
}
