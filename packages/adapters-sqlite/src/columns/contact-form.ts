import { type Contact, records } from '@posthorn/core/ports'
import { formOf, type RecordForm } from '../records/record-form.js'
import { instantOf, receivedOf } from './columns-schema.js'

const documents = formOf<Contact>(records.contacts)

/**
 * When a contact received its last mail is told by its short row, which alone is written for each mail. Its document tells what held when
 * all of it was written, and for contacts of an older file that have no short row yet.
 */
export const contactForm: RecordForm<Contact> = {
  selected: `${documents.selected}, ${receivedOf} AS received`,
  recordOf: (row) => {
    const contact = documents.recordOf(row)
    return typeof row.received === 'number'
      ? { ...contact, lastReceiveDate: new Date(row.received).toISOString() }
      : contact
  },
  columns: new Map([
    ...documents.columns,
    ['lastReceiveDate', `coalesce(${instantOf(receivedOf)}, "lastReceiveDate")`],
  ]),
}
