import { z } from 'zod'
import { EmailAddress } from '../kernel/email-address.js'
import type { RecordReferenceMarks } from '../kernel/references.js'
import { headerTextSchema, type InProject, recordView } from '../kernel/shapes.js'

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
    email: EmailAddress.describe('Its domain must be verified in the region'),
    name: headerTextSchema(200).default('').describe('Shown beside the address'),
    region: z.string().min(1).describe('One of the regions of this server'),
  })
  .meta({ id: 'SenderIdentityFields' })
export type SenderIdentityFields = z.input<typeof SenderIdentityFields>

/** A From address in responses. The first of a project is its default. */
export const SenderIdentityView = recordView({
  email: z.string().describe('Address that recipients see'),
  name: z.string().describe('Display name for recipients'),
  region: z.string().describe('Region in which its domain is verified'),
}).meta({ id: 'SenderIdentity', description: 'A From address; the first of the list is the default' })
export type SenderIdentityView = z.output<typeof SenderIdentityView>
