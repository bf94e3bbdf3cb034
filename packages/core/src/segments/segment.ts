import { z } from 'zod'
import { changesSchemaOf } from '../kernel/merged.js'
import type { RecordReferenceMarks } from '../kernel/references.js'
import { type InProject, Name, recordView } from '../kernel/shapes.js'

export const engagementOperators = [
  'opened',
  'not-opened',
  'clicked',
  'not-clicked',
  'received',
  'not-received',
] as const

export const conditionOperators = [
  'any',
  'equals',
  'does-not-equal',
  'contains',
  'does-not-contain',
  'is-empty',
  'is-not-empty',
  'is-true',
  'is-false',
  'greater-than',
  'greater-than-or-equal',
  'less-than',
  'less-than-or-equal',
  'has-tag',
  'does-not-have-tag',
  ...engagementOperators,
  'date-equals',
  'date-before',
  'date-after',
  'date-in-last',
  'date-more-than',
] as const
export type ConditionOperator = (typeof conditionOperators)[number]

export const valuelessOperators = ['any', 'is-empty', 'is-not-empty', 'is-true', 'is-false'] as const

export const SegmentCondition = z
  .strictObject({
    category: z
      .enum(['contact-property', 'engagement'])
      .default('contact-property')
      .describe('What is looked at: a property of the contact, or what the contact did with mails'),
    property: z
      .string()
      .optional()
      .describe(
        'A custom field, or createdAt, email, name; needed unless the operator is any or about tags or engagement',
      ),
    operator: z.enum(conditionOperators).default('any').describe('How property and value are compared'),
    value: z
      .union([z.string(), z.number(), z.boolean()])
      .optional()
      .describe('A text, number, boolean, ISO date or number of days, as operator and property ask'),
  })
  .meta({ id: 'SegmentCondition', description: 'One condition; the conditions of a group are AND-ed' })
export type SegmentCondition = z.output<typeof SegmentCondition>

export const SegmentGroups = z
  .array(
    z
      .strictObject({
        conditions: z
          .array(SegmentCondition)
          .max(50)
          .default([])
          .describe('AND-ed; without conditions all contacts match'),
      })
      .meta({ id: 'SegmentGroup' }),
  )
  .max(50)
  .describe(
    'OR-ed groups of AND-ed conditions; without groups no contact matches; a group without conditions matches all',
  )
export type SegmentGroups = z.output<typeof SegmentGroups>

/** To query stores with. `tags` replaces the value of a condition on a tag. */
export type ResolvedCondition = SegmentCondition & { readonly tags?: readonly string[] }
export type ResolvedGroups = readonly { readonly conditions: readonly ResolvedCondition[] }[]

/** A segment, as created: OR of ANDs of conditions. */
export const SegmentFields = z
  .strictObject({ name: Name.describe('What the segment is called'), groups: SegmentGroups.default([]) })
  .meta({ id: 'SegmentFields' })
export type SegmentFields = z.input<typeof SegmentFields>

export const SegmentChanges = changesSchemaOf(SegmentFields).meta({ id: 'SegmentChanges' })
export type SegmentChanges = z.input<typeof SegmentChanges>

export const SegmentShape = recordView({
  name: z.string().describe('What the segment is called'),
  groups: SegmentGroups,
})

/** A segment, as clients see it. */
export const SegmentView = SegmentShape.extend({
  warnings: z
    .array(z.string())
    .optional()
    .describe(
      'Conditions that match no contact because their custom field was deleted or has another type now; absent if there are none',
    ),
}).meta({ id: 'Segment', description: 'A part of the contacts, described by conditions' })
export type SegmentView = z.output<typeof SegmentView>

export type Segment = InProject & RecordReferenceMarks & { readonly name: string; readonly groups: SegmentGroups }
