import { z } from 'zod'
import { EmailAddress } from '../kernel/email-address.js'
import { changesSchemaOf } from '../kernel/merged.js'
import { type InProject, Instant, recordView } from '../kernel/shapes.js'

export type FieldValue = string | number | boolean

/** A membership that a bounce or complaint ended: how they had joined, and the end. */
export type EndedMembership = {
  readonly subscriberListId: string
  readonly joinedAt: string
  readonly signupFormId?: string
  readonly importId?: string
  readonly consent?: string
  readonly endedAt: string
  readonly endedBy: 'bounce' | 'complaint'
}

/** The latest are kept. */
export const mostEndedMemberships = 50

/** Addresses are unique per project, in any case. */
export type Contact = InProject & {
  readonly email: string
  readonly emailKey: string
  readonly name: string
  /** In lower case, without duplicates. */
  readonly tags: readonly string[]
  /** By API name. Dates are ISO instants. */
  readonly customFields: Readonly<Record<string, FieldValue>>
  readonly lastOpenDate?: string
  readonly lastClickDate?: string
  readonly lastReceiveDate?: string
  /** The newest last. */
  readonly endedMemberships?: readonly EndedMembership[]
}

export const longestTag = 100
export const ContactTagValue = z.string().trim().toLowerCase().min(1).max(longestTag)

export const longestContactName = 300
export const mostTags = 500

const Name = z.string().max(longestContactName)
const Tags = z.array(ContactTagValue).max(mostTags)

/** Custom fields stand beside these or inside `data`. */
export const ContactFields = z
  .looseObject({
    email: EmailAddress.describe('Address, as it was spelled'),
    name: Name.optional().describe('Name of the person'),
    tags: Tags.optional().describe('Kept in lower case; unknown ones are created; replaces the set'),
    data: z.record(z.string(), z.unknown()).optional().describe('Legacy place for custom-field values, by API name'),
  })
  .meta({ id: 'ContactFields', description: 'Custom-field values are flat top-level keys; null clears one' })
export type ContactFields = z.input<typeof ContactFields>

export const ContactChanges = ContactFields.extend({
  email: EmailAddress.optional(),
  name: Name.nullable()
    .transform((name) => name ?? '')
    .optional()
    .describe('Name of the person; null clears it'),
  tags: Tags.nullable()
    .transform((tags) => tags ?? [])
    .optional()
    .describe('Kept in lower case; unknown ones are created; replaces the set; null empties it'),
}).meta({
  id: 'ContactChanges',
  description: 'Fields to change; custom-field values are flat top-level keys; null clears one',
})
export type ContactChanges = z.input<typeof ContactChanges>

/** Without custom fields. */
export const ContactShape = recordView({
  email: z.string().describe('Address, as it was spelled'),
  name: z.string().describe('Name of the person'),
  tags: z.array(z.string()).describe('Tags, in lower case'),
  _lists: z.array(z.string()).describe('Names of the subscriber lists the contact belongs to'),
  lastOpenDate: Instant.optional(),
  lastClickDate: Instant.optional(),
  lastReceiveDate: Instant.optional(),
})

/** Custom fields are flat top-level keys. */
export const ContactView = ContactShape.catchall(z.union([z.string(), z.number(), z.boolean()])).meta({
  id: 'Contact',
  description: 'A person the project may write to; custom-field values are flat top-level keys',
})
export type ContactView = z.output<typeof ContactView>

export type ContactTag = InProject & { readonly value: string }

/** What a client writes of a tag (spec, "Contact tag"). */
export const ContactTagFields = z
  .strictObject({ value: ContactTagValue.describe('The tag; kept in lower case') })
  .meta({ id: 'ContactTagFields' })
export type ContactTagFields = z.input<typeof ContactTagFields>

export const ContactTagChanges = changesSchemaOf(ContactTagFields).meta({ id: 'ContactTagChanges' })
export type ContactTagChanges = z.input<typeof ContactTagChanges>

/** A tag in responses. Names are unique per project, in lower case. */
export const ContactTagView = recordView({
  value: z.string().describe('The tag, in lower case'),
}).meta({ id: 'ContactTag', description: 'A tag that contacts may carry, in lower case' })
export type ContactTagView = z.output<typeof ContactTagView>
