import { addressKey, isNormalisedAddress } from '../../kernel/email-address.js'
import { firstViolationSentences, shortened } from '../../kernel/refusal.js'
import { isStorableText } from '../../kernel/storable.js'
import { type FieldValue, longestContactName } from '../contact.js'
import {
  asRecord,
  type ContactSchema,
  contactViolations,
  type ParsedContactInput,
  parseContact,
} from '../contact-input.js'
import { type CustomField, parseFieldValue } from '../custom-field.js'
import type { UpsertRow } from './contact-upserts.js'
import { parseTags } from './import-rows.js'

export class UnreadableRow {
  constructor(readonly problem: string) {}
}

export type BulkContactRow<S extends ContactSchema> = UpsertRow & {
  readonly beside: Partial<ParsedContactInput<S>['beside']>
}
export type InvalidBulkContactRow = { readonly line: number; readonly violations: readonly string[] }

type Row = Readonly<Record<string, unknown>>

/** In keys; the schema checks the total size of larger rows. */
const mostPlain = 1_000

/** What a row shows of its address, valid or not. */
export const shownEmailOfRow = (value: unknown): string => {
  const { email } = asRecord(value)
  return typeof email === 'string' && isStorableText(email) ? shortened(email.trim()) : ''
}

/** Plain rows skip the schema, with the same result. */
export const bulkRowReader = <S extends ContactSchema>(schema: S, fields: readonly CustomField[]) => {
  const types = new Map(fields.map(({ name, type }) => [name, type]))
  const statuses: readonly unknown[] = Object.hasOwn(schema.shape, 'status') ? ['active', 'unverified'] : []

  const plain = (row: Row, line: number): BulkContactRow<S> | undefined => {
    let [email, name]: [string | undefined, string | undefined] = [undefined, undefined]
    let tags: readonly string[] | undefined
    let beside: { readonly status?: unknown } = {}
    const customFields: Record<string, FieldValue | null> = {}
    const keys = Object.keys(row)
    if (keys.length > mostPlain) return undefined
    for (const key of keys) {
      const value = row[key]
      if (typeof value === 'string' && !isStorableText(value)) return undefined
      if (key === 'email') {
        if (typeof value !== 'string' || !isNormalisedAddress(value)) return undefined
        email = value
      } else if (key === 'name') {
        if (typeof value !== 'string' || value.length > longestContactName) return undefined
        name = value
      } else if (key === 'tags') {
        tags = Array.isArray(value) ? parseTags(value) : undefined
        if (!tags) return undefined
      } else if (key === 'status' && statuses.includes(value)) beside = { status: value }
      else {
        const type = types.get(key)
        const kept = type && (value === null ? null : parseFieldValue(type, value))
        if (kept === undefined) return undefined
        customFields[key] = kept
      }
    }
    if (email === undefined) return undefined
    const given = { email, name, tags, customFields }
    return { line, email, emailKey: email.toLowerCase(), given, beside: beside as BulkContactRow<S>['beside'] }
  }

  return {
    plain: (value: unknown, line: number): BulkContactRow<S> | undefined => {
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
      return isObject && !(value instanceof UnreadableRow) ? plain(value as Row, line) : undefined
    },
    checked: (value: unknown, line: number): BulkContactRow<S> | InvalidBulkContactRow => {
      if (value instanceof UnreadableRow) return { line, violations: [value.problem] }
      const wrong = contactViolations(schema, value, fields)
      if (wrong.length > 0) return { line, violations: firstViolationSentences(wrong.map(({ sentence }) => sentence)) }
      const { contact, beside } = parseContact(schema, value, fields)
      const { email = '' } = beside
      return { line, email, emailKey: addressKey(email), given: contact, beside }
    },
  }
}
