import { type Contact, records } from '@posthorn/core/ports/storage'
import { formOf, type RecordForm } from '../records/record-form.js'
import { instantOf, receivedOf } from './columns-schema.js'

const documents = formOf<Contact>(records.contacts)

/** Reads `lastReceiveDate` from the contact's short row, as only that is written for each mail. The document's date is out of date. */
export const contactForm: RecordForm<Contact> = {
  selected: `${documents.selected}, ${receivedOf} AS received`,
  recordOf: (row) => {
    const contact = documents.recordOf(row)
    return typeof row.received === 'number'
      ? { ...contact, lastReceiveDate: new Date(row.received).toISOString() }
      : contact
  },
  columns: new Map([...documents.columns, ['lastReceiveDate', instantOf(receivedOf)]]),
}
