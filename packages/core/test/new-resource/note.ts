import { z } from 'zod'
import { changesSchemaOf } from '../../src/kernel/merged.js'
import { Id, type InProject, Instant, Name } from '../../src/kernel/shapes.js'

export const NoteFields = z
  .strictObject({
    name: Name.meta({ description: 'Title' }),
    text: z.string().max(10_000).default('').meta({ description: 'What to remember' }),
  })
  .meta({ id: 'NoteFields' })
export type NoteFields = z.input<typeof NoteFields>

export const NoteChanges = changesSchemaOf(NoteFields)
export type NoteChanges = z.input<typeof NoteChanges>

export const NoteView = z
  .object({
    _id: Id,
    name: z.string().meta({ description: 'Title' }),
    text: z.string().meta({ description: 'What to remember' }),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'Note', description: 'A text for people of the project' })
export type NoteView = z.output<typeof NoteView>

export type Note = InProject & { readonly name: string; readonly text: string }
