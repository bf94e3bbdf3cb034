import { z } from 'zod'
import { EmailAddress } from '../kernel/email-address.js'
import { Id, type InProject, Instant } from '../kernel/shapes.js'

export type FieldValue = string | number | boolean

const tag = z.string().trim().min(1).max(100)

/** What a client may write of a contact, apart from the project's custom fields, which stand beside these or inside `data`. */
export const ContactFields = z
  .looseObject({
    email: EmailAddress,
    name: z.string().max(300).default(''),
    tags: z
      .array(tag)
      .max(500)
      .default([])
      .meta({ description: 'Kept in lower case; unknown ones are created; replaces the set' }),
    data: z.record(z.string(), z.unknown()).optional().meta({ description: 'Legacy place for custom-field values' }),
  })
  .meta({ id: 'ContactFields', description: 'Custom-field values are flat top-level keys' })

/** What a client sees of a contact; custom fields are flat top-level keys. */
export const ContactView = z
  .object({
    _id: Id,
    email: z.string(),
    name: z.string(),
    tags: z.array(z.string()),
    _lists: z.array(z.string()).meta({ description: 'Names of the subscriber lists the contact belongs to' }),
    lastOpenDate: Instant.optional(),
    lastClickDate: Instant.optional(),
    lastReceiveDate: Instant.optional(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .catchall(z.union([z.string(), z.number(), z.boolean()]))
  .meta({ id: 'Contact', description: 'A person the project may write to' })
export type ContactView = z.output<typeof ContactView>

/** A person a project may write to. Unique in the project by address, in any spelling. */
export type Contact = InProject & {
  readonly email: string
  /** `addressKey(email)` */
  readonly emailKey: string
  readonly name: string
  /** In lower case. */
  readonly tags: readonly string[]
  /** By API name. Dates are ISO instants. */
  readonly customFields: Readonly<Record<string, FieldValue>>
  readonly lastOpenDate?: string
  readonly lastClickDate?: string
  readonly lastReceiveDate?: string
}
