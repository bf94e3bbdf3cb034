import { z } from 'zod'
import { Id, type InProject, Instant } from '../kernel/shapes.js'

/** In lower case, unique in its project. */
export type ContactTag = InProject & { readonly value: string }

export const ContactTagFields = z
  .strictObject({
    value: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .transform((text) => text.toLowerCase()),
  })
  .meta({ id: 'ContactTagFields' })
export const ContactTagView = z
  .object({ _id: Id, value: z.string(), createdAt: Instant, updatedAt: Instant })
  .meta({ id: 'ContactTag', description: 'A tag that contacts may carry, in lower case' })
export type ContactTagView = z.output<typeof ContactTagView>
