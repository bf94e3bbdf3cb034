import { z } from 'zod'
import { changesOf } from '../kernel/merged.js'
import { Id, type InProject, Instant } from '../kernel/shapes.js'
import { TagValue } from './contact.js'

/** In lower case, unique in its project. */
export type ContactTag = InProject & { readonly value: string }

/** What a client writes of a tag (spec, "Contact tag"). */
export const ContactTagFields = z
  .strictObject({ value: TagValue.meta({ description: 'The tag; kept in lower case' }) })
  .meta({ id: 'ContactTagFields' })
export type ContactTagFields = z.input<typeof ContactTagFields>

export const ContactTagChanges = changesOf(ContactTagFields).meta({ id: 'ContactTagChanges' })
export type ContactTagChanges = z.input<typeof ContactTagChanges>

/** A tag in responses. Names are unique per project, in lower case. */
export const ContactTagView = z
  .object({
    _id: Id,
    value: z.string().meta({ description: 'The tag, in lower case' }),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'ContactTag', description: 'A tag that contacts may carry, in lower case' })
export type ContactTagView = z.output<typeof ContactTagView>
