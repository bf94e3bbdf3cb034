import { addressKey, isNormalisedAddress } from '../../kernel/email-address.js'
import { isStorableText } from '../../kernel/storable.js'
import { ContactFields, type FieldValue, longestContactName, longestTag, mostTags } from '../contact.js'
import { type ContactInput, parseContact } from '../contact-input.js'
import { type CustomField, type FieldType, fieldApiName, fieldKey, parseFieldValue } from '../custom-field.js'

const truth: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false }

/** Unchanged if it does not fit: validation rejects it. */
const cellValue = (type: FieldType | undefined, text: string): unknown => {
  if (type === 'number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
  if (type === 'boolean') return truth[text.trim().toLowerCase()] ?? text
  return type === 'date' ? text.trim() : text
}

type Row = Readonly<Record<string, unknown>>

type ParsedImportRow = { readonly email: string; readonly emailKey: string; readonly given: ContactInput }

/** In fields; the schema checks the total size of larger rows. */
const mostPlain = 1_000

/** As the schema; undefined if that rejects them. */
export const parseTags = (given: readonly unknown[]): readonly string[] | undefined => {
  if (given.length > mostTags) return undefined
  const tags = new Set<string>()
  for (const one of given) {
    const tag = typeof one === 'string' ? one.trim().toLowerCase() : ''
    if (tag === '' || tag.length > longestTag || !isStorableText(tag)) return undefined
    tags.add(tag)
  }
  return [...tags]
}

const tagsIn = (text: string): readonly string[] => text.split(/[,;]/).filter((tag) => tag.trim() !== '')

/**
 * Headings become API names, empty cells are ignored. Plain rows skip the schema, with the same result.
 * @throws Refusal `invalid` with all violations
 */
export const importRowReader = (fields: readonly CustomField[]) => {
  const types = new Map(fields.map(({ name, type }) => [name, type]))
  const names = new Map(fields.map(({ name }) => [fieldKey(name), name]))
  const keys = new Map<string, string>()

  const keyOf = (heading: string): string => {
    const known = keys.get(heading)
    if (known !== undefined) return known
    const key =
      names.get(fieldKey(heading)) ?? names.get(fieldKey(fieldApiName(heading))) ?? (fieldApiName(heading) || heading)
    keys.set(heading, key)
    return key
  }

  const read = (key: string, text: string): unknown => {
    if (key === 'email') return text.trim()
    if (key === 'tags') return tagsIn(text)
    return cellValue(types.get(key), text)
  }

  const cells = (values: Row): Record<string, unknown> => {
    const given: [string, unknown][] = []
    for (const heading of Object.keys(values)) {
      const value = values[heading]
      if (value === '' || value === null || value === undefined) continue
      const key = keyOf(heading)
      given.push([key, typeof value === 'string' ? read(key, value) : value])
    }
    return Object.fromEntries(given)
  }

  const plain = (values: Row): ParsedImportRow | undefined => {
    let email: string | undefined
    let name: string | undefined
    let tags: readonly string[] | undefined
    const customFields: Record<string, FieldValue> = {}
    for (const heading of Object.keys(values)) {
      const value = values[heading]
      if (value === '' || value === null || value === undefined) continue
      const text = typeof value === 'string' ? value : undefined
      if (text !== undefined && !isStorableText(text)) return undefined
      const key = keyOf(heading)
      if (key === 'email') {
        const address = text?.trim() ?? ''
        if (email !== undefined || !isNormalisedAddress(address)) return undefined
        email = address
      } else if (key === 'name') {
        if (name !== undefined || text === undefined || text.length > longestContactName) return undefined
        name = text
      } else if (key === 'tags') {
        if (tags !== undefined || !(text !== undefined || Array.isArray(value))) return undefined
        tags = parseTags(text === undefined ? (value as readonly unknown[]) : tagsIn(text))
        if (!tags) return undefined
      } else {
        const type = types.get(key)
        const kept = type && parseFieldValue(type, text === undefined ? value : cellValue(type, text))
        if (kept === undefined || Object.hasOwn(customFields, key)) return undefined
        customFields[key] = kept
      }
    }
    if (email === undefined) return undefined
    return { email, emailKey: email.toLowerCase(), given: { email, name, tags, customFields } }
  }

  return (values: Row): ParsedImportRow => {
    const read = fields.length < mostPlain ? plain(values) : undefined
    if (read) return read
    const { contact, beside } = parseContact(ContactFields, cells(values), fields)
    return { email: beside.email, emailKey: addressKey(beside.email), given: contact }
  }
}
