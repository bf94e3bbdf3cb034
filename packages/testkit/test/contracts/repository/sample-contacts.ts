import { type Contact, collected, type Repository, type Where } from '@posthorn/core/ports/storage'
import { aContact, numberedId } from '@posthorn/testkit'

/** Records and queries of the repository's suites. */

export const projectId = numberedId(0xb)

/** The n-th contact; none of its unique values equals another contact's. */
export const contact = (n: number, given: Partial<Contact> = {}) =>
  aContact({ _id: numberedId(n), email: `contact${n}@example.com`, ...given })

export const idsOf = (records: readonly { readonly _id: string }[]) =>
  records.map(({ _id }) => Number.parseInt(_id, 16))

export const addAll = async <T extends { readonly _id: string }>(repository: Repository<T>, records: readonly T[]) => {
  await Promise.all(records.map((record) => repository.add(record)))
}

/** The numbers of the matching contacts, in the order of a walk. */
export const fittingIn = async (contacts: Repository<Contact>, where: Where<Contact>) =>
  idsOf(await collected(contacts.each(where)))

export const everything = { where: {}, skip: 0, limit: 1000 } as const
export const byId = { by: '_id', order: 'asc' } as const
