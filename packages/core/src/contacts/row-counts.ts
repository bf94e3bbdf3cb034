import { z } from 'zod'
import { Count } from '../kernel/shapes.js'

export const RowCounts = z
  .object({
    created: Count.describe('Rows that created a contact'),
    updated: Count.describe('Rows that changed a contact, or added it to the list'),
    unchanged: Count.describe('Rows that were stored already'),
    failed: Count.describe('Rows that were refused'),
  })
  .meta({ id: 'RowCounts', description: 'Rows by what became of them' })
export type RowCounts = z.output<typeof RowCounts>

export const zeroRowCounts: RowCounts = { created: 0, updated: 0, unchanged: 0, failed: 0 }
