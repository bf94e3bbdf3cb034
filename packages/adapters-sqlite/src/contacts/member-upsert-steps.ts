import { type Contact, type MemberUpsert, records, type Subscriber } from '@posthorn/core/ports/storage'
import type { ContactColumns } from '../columns/contact-columns.js'
import type { Step } from '../database/writing-thread.js'
import { columnsOf, type Keys } from '../records/record-keys.js'

const insertSql = (collection: string, keys: Keys) => {
  const fields = ['_id', ...columnsOf(keys)]
  return `INSERT INTO "${collection}" (${[...fields.map((field) => `"${field}"`), 'doc'].join(', ')})
    SELECT ${[...fields.map((field) => `e.value ->> '${field}'`), 'e.value'].join(', ')} FROM jsonb_each(?) e`
}

const insertContacts = insertSql('contacts', records.contacts)
const insertSubscribers = insertSql('subscribers', records.subscribers)
const countLists = 'SELECT count(*) AS n FROM "subscriberLists" WHERE _id = ? AND "projectId" = ?'
const countContacts = `SELECT count(*) AS n FROM json_each(?) e CROSS JOIN contacts c
  ON c._id = e.value ->> 0 AND c."projectId" = e.value ->> 1`

export const isAbout = ({ contactId, projectId }: Subscriber, contact: Contact | undefined): boolean =>
  contact?._id === contactId && contact.projectId === projectId

const inserting = (sql: string, added: readonly unknown[]): readonly Step[] =>
  added.length > 0 ? [{ sql, parameters: [JSON.stringify(added)], changes: added.length }] : []

/**
 * Statements that add all upserts. They fail as a whole if a key is taken, or a list or contact is missing. Undefined if an id has no
 * short key, or a custom field no column yet.
 */
export const memberUpsertSteps = (
  { stepsOf }: Pick<ContactColumns, 'stepsOf'>,
  upserts: readonly MemberUpsert[],
): readonly Step[] | undefined => {
  const [contacts, memberships, ofOthers]: [Contact[], Subscriber[], string[][]] = [[], [], []]
  const lists: (readonly [string, string])[] = []
  for (const { contact, membership } of upserts) {
    if (contact) contacts.push(contact)
    if (!membership) continue
    const { contactId, projectId, subscriberListId } = membership
    memberships.push(membership)
    if (!isAbout(membership, contact)) ofOthers.push([contactId, projectId])
    if (!lists.some(([list, project]) => list === subscriberListId && project === projectId))
      lists.push([subscriberListId, projectId])
  }
  const columns = stepsOf({ contacts, memberships })
  return (
    columns && [
      ...lists.map((parameters) => ({ sql: countLists, parameters, counts: 1 })),
      ...(ofOthers.length > 0
        ? [{ sql: countContacts, parameters: [JSON.stringify(ofOthers)], counts: ofOthers.length }]
        : []),
      ...inserting(insertContacts, contacts),
      ...inserting(insertSubscribers, memberships),
      ...columns,
    ]
  )
}
