import { z } from 'zod'

const number = z.int().min(0)

export const RowCounts = z
  .object({
    created: number.describe('Rows that created a contact'),
    updated: number.describe('Rows that changed a contact, or added it to the list'),
    unchanged: number.describe('Rows that were stored already'),
    failed: number.describe('Rows that were refused'),
  })
  .meta({ id: 'RowCounts', description: 'Rows by what became of them' })
export type RowCounts = z.output<typeof RowCounts>

export const zeroRowCounts: RowCounts = { created: 0, updated: 0, unchanged: 0, failed: 0 }
