import { z } from 'zod'
import { byteBoundedCache } from '../kernel/byte-bounded-cache.js'
import { collected } from '../kernel/listing.js'
import type { Clock } from '../kernel/ports.js'
import type { RecordLookup, RepositoriesFor } from '../kernel/repository.js'
import type { InProject } from '../kernel/shapes.js'
import { wrongKindMessage } from '../kernel/zod-messages.js'
import { zonedInstantOf } from '../kernel/zoned-time.js'
import type { FieldValue } from './contact.js'

export const customFieldTypes = ['string', 'number', 'boolean', 'date'] as const
export type FieldType = (typeof customFieldTypes)[number]

/** `name` is its API name (gaps.md, "Custom fields"). */
export type CustomField = InProject & {
  readonly name: string
  readonly key: string
  readonly type: FieldType
}

/** Spec, "Custom field". */
export const CustomFieldFields = z
  .strictObject({
    name: z.string().min(1).max(100).describe('Becomes its API name: Favorite Color is favoriteColor'),
    type: z.enum(customFieldTypes).describe('Type of the values'),
  })
  .meta({ id: 'CustomFieldFields' })
export type CustomFieldFields = z.input<typeof CustomFieldFields>

/** `name` is the key in requests and merge tags. */
export const CustomFieldView = z
  .object({
    name: z.string().describe('Its API name'),
    type: z.enum(customFieldTypes).describe('Type of the values'),
  })
  .meta({ id: 'CustomField', description: 'A contact field of the project’s own; name is its API name' })
export type CustomFieldView = z.output<typeof CustomFieldView>

/** gaps.md, "Custom fields". */
const reserved = [
  'status',
  'pausedUntil',
  'email',
  'tags',
  'accountId',
  'projectId',
  'customFields',
  'contactId',
  'subscriberListId',
  'unsubscribeLink',
  'pauseSubscriptionLink',
  'createdAt',
  'updatedAt',
  '_id',
  '_lists',
  'data',
  'segment',
  'segmentId',
  'subscriberStatus',
  'captchaText',
  'captchaProbe',
  'termsAccepted',
  'challengeToken',
  'lastOpenDate',
  'lastClickDate',
  'lastReceiveDate',
  '__proto__',
  'constructor',
  'prototype',
]

export const fieldKey = (name: string): string => name.toLowerCase()

const reservedKeys = new Set(reserved.map(fieldKey))

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

const joinedWords = (name: string): string =>
  (name.match(/[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+|[0-9]+/g) ?? [])
    .map((word) => word.toLowerCase())
    .map((word, index) => (index === 0 ? word : capitalized(word)))
    .join('')

/** Not decomposed by NFKD, and umlauts. */
const latin: Readonly<Record<string, string>> = {
  ...{ ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', þ: 'th' },
  ...{ ð: 'd', đ: 'd', ħ: 'h', ı: 'i', ł: 'l', ŋ: 'n', ŧ: 't' },
}

/** `Größe` → `Groesse`, `GRÖSSE` → `GROESSE`. */
const transliterated = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/[^\p{ASCII}]/gu, (letter, at: number, whole: string) => {
      const written = latin[letter.toLowerCase()]
      if (written === undefined) return letter
      const isUpper = letter !== letter.toLowerCase() || /\p{Lu}/u.test(whole[at - 1] ?? '')
      if (!isUpper) return written
      return /\p{Ll}/u.test(whole[at + 1] ?? '')
        ? written.charAt(0).toUpperCase() + written.slice(1)
        : written.toUpperCase()
    })
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')

/** `Favorite Color` → `favoriteColor`, `PAUSED UNTIL` → `pausedUntil`. API names stay unchanged. '' without letters and digits. */
export const fieldApiName = (name: string): string => {
  const joined = joinedWords(transliterated(name))
  const again = joinedWords(joined)
  return again === joined ? joined : fieldApiName(again)
}

export const fieldNameProblem = (given: string, name: string): string | undefined => {
  if (name === '' || /^\d/.test(name)) return 'expected a name of Latin letters and digits that begins with a letter'
  return reservedKeys.has(fieldKey(given)) || reservedKeys.has(fieldKey(name)) ? `${given} is reserved` : undefined
}

/** In UTC without an offset. */
export const customFieldDateText = (text: string): string | undefined => zonedInstantOf(text, 'UTC')

const longestText = 5000

export const wrongFieldValueMessage = (type: FieldType, value: unknown): string => {
  if (type === 'date') return 'expected an ISO date or date-time'
  if (type === 'string' && typeof value === 'string')
    return `expected at most ${longestText} characters, got ${value.length}`
  return wrongKindMessage(type, value)
}

/** Undefined if the value does not fit. −0 becomes 0, as in JSON. */
export const parseFieldValue = (type: FieldType, value: unknown): FieldValue | undefined => {
  if (type === 'date') return typeof value === 'string' ? customFieldDateText(value) : undefined
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  return typeof value === 'string' && value.length <= longestText ? value : undefined
}

type Deps = {
  readonly repositories: RepositoriesFor<{ customFields: CustomField }> & {
    readonly projects: RecordLookup<{ readonly _id: string; readonly customFieldsVersion?: string }>
  }
  readonly clock: Clock
}

export type CustomFieldsOfProject = (projectId: string) => Promise<readonly CustomField[]>

type Cached = { readonly version: string; readonly readAt: number; readonly fields: readonly CustomField[] }

const maxBytes = 16 * 1024 * 1024
/** Bytes per field, beside its names. */
const fieldOverhead = 400
/** In ms, in case a process dies before changing the version. */
const cacheTtl = 60_000

/** Cached until the project’s `customFieldsVersion` changes. */
export const cachedFieldDefinitions = ({
  repositories: { customFields, projects },
  clock,
}: Deps): CustomFieldsOfProject => {
  const cache = byteBoundedCache<string, Cached>({
    maxBytes,
    sizeOf: (projectId, { fields }) =>
      fields.reduce((sum, { name }) => sum + fieldOverhead + 4 * name.length, 2 * projectId.length),
  })

  return async (projectId) => {
    const version = (await projects.get({ _id: projectId }))?.customFieldsVersion
    const now = clock().getTime()
    const cached = cache.get(projectId)
    if (cached && cached.version === version && now - cached.readAt < cacheTtl) return cached.fields
    const fields = await collected(customFields.each({ projectId }))
    if (version !== undefined) cache.set(projectId, { version, readAt: now, fields })
    return fields
  }
}
