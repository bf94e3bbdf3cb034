import { z } from 'zod'
import { EmailAddress } from '../kernel/email-address.js'
import type { RecordReferenceMarks } from '../kernel/references.js'
import { headerTextSchema, Id, type InProject, Instant } from '../kernel/shapes.js'

/** The smallest `position` is the default. */
export type SenderIdentity = InProject &
  RecordReferenceMarks & {
    readonly email: string
    readonly emailKey: string
    readonly name: string
    readonly region: string
    readonly position: number
  }

/** Spec, "Sender identity". */
export const SenderIdentityFields = z
  .strictObject({
    email: EmailAddress.meta({ description: 'Its domain must be verified in the region' }),
    name: headerTextSchema(200).default('').meta({ description: 'Shown beside the address' }),
    region: z.string().min(1).meta({ description: 'One of the regions of this server' }),
  })
  .meta({ id: 'SenderIdentityFields' })
export type SenderIdentityFields = z.input<typeof SenderIdentityFields>

/** A From address in responses. The first of a project is its default. */
export const SenderIdentityView = z
  .object({
    _id: Id,
    email: z.string().meta({ description: 'Address that recipients see' }),
    name: z.string().meta({ description: 'Display name for recipients' }),
    region: z.string().meta({ description: 'Region in which its domain is verified' }),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'SenderIdentity', description: 'A From address; the first of the list is the default' })
export type SenderIdentityView = z.output<typeof SenderIdentityView>
