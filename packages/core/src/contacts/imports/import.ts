import { z } from 'zod'
import { messageWithoutFieldName } from '../../kernel/parsed.js'
import { Count, Id, type InProject, Instant, stamps } from '../../kernel/shapes.js'
import { customFieldTypes } from '../custom-field.js'
import { RowCounts, zeroRowCounts } from '../directory/contact-upserts.js'

export const importStates = ['uploaded', 'running', 'done', 'cancelled', 'failed'] as const
type ImportState = (typeof importStates)[number]

/** `uploaded`: waits for the mapping of its columns. `fail`: the import itself, not a row. */
export const importStateMoves = {
  start: { from: ['uploaded'], to: 'running' },
  finish: { from: ['running'], to: 'done' },
  cancel: { from: ['uploaded', 'running'], to: 'cancelled' },
  fail: { from: ['running'], to: 'failed' },
} as const satisfies Record<string, { from: readonly ImportState[]; to: ImportState }>
export type ImportStateMove = keyof typeof importStateMoves

export type ImportPlan = {
  /** The field of each column; null ignores it. */
  readonly columns: readonly (string | null)[]
  /** Of an NDJSON file: the key of each column. */
  readonly keys?: readonly string[]
  /** Of the file, for its failed rows. Absent before they were kept. */
  readonly headings?: readonly string[]
  readonly encoding: string
  readonly subscriberListId?: string
  readonly status: 'active' | 'unverified'
  readonly consent: string
}

export type Import = InProject & {
  readonly fileName: string
  /** In bytes. */
  readonly size: number
  readonly state: ImportState
  readonly uploadedBy?: string
  /** Of an upload with an `Idempotency-Key`. */
  readonly requestId?: string
  readonly plan?: ImportPlan
  readonly counts: RowCounts
  /** Last line whose result is stored. */
  readonly line: number
  /** Up to that line. */
  readonly bytesRead: number
  /** Files with failed rows. */
  readonly errorPages: number
  readonly finishedAt?: string
  readonly errorMessage?: string
}

export const canMoveImport = ({ state }: Pick<Import, 'state'>, move: ImportStateMove): boolean =>
  (importStateMoves[move].from as readonly ImportState[]).includes(state)

const isEnd = (state: ImportState) => state !== 'uploaded' && state !== 'running'

/** The same object if the move is not allowed. */
export const moveImport = (one: Import, move: ImportStateMove, now: string): Import => {
  if (!canMoveImport(one, move)) return one
  const { to: state } = importStateMoves[move]
  return { ...one, state, updatedAt: now, ...(isEnd(state) && { finishedAt: now }) }
}

export const newImport = (
  one: Pick<Import, '_id' | 'projectId' | 'fileName' | 'size'> & {
    readonly uploadedBy?: string | undefined
    readonly requestId?: string | undefined
  },
  now: string,
): Import => {
  const { uploadedBy, requestId, ...given } = one
  return {
    ...given,
    ...(uploadedBy !== undefined && { uploadedBy }),
    ...(requestId !== undefined && { requestId }),
    state: 'uploaded',
    counts: zeroRowCounts,
    line: 0,
    bytesRead: 0,
    errorPages: 0,
    ...stamps(now),
  }
}

export type StoredImportFile = { readonly importId: string; readonly fileName: string; readonly size: number }

export const isStoredImportFile = (value: unknown): value is StoredImportFile =>
  typeof value === 'object' && value !== null && 'importId' in value

export const ImportFields = z
  .strictObject({
    file: z.custom<StoredImportFile>(isStoredImportFile, messageWithoutFieldName('Missing required field: file')).meta({
      override: { type: 'string', format: 'binary' },
      description: 'CSV with a header, or NDJSON, of at most 200 MB unless the server is set otherwise',
    }),
  })
  .meta({ id: 'ImportFields' })

const importEncodings = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const
const Encoding = z.enum(importEncodings).optional().describe('Absent: recognised from the file')

export const ImportPreviewQuery = z.strictObject({ encoding: Encoding })

export const ImportStart = z
  .strictObject({
    columns: z
      .array(
        z.strictObject({
          field: z.string().max(200).nullable().describe('API name of the field; null ignores the column'),
          type: z.enum(customFieldTypes).optional().describe('Creates the field, with this type'),
        }),
      )
      .max(1000)
      .describe('One for each column of the preview, in order'),
    encoding: Encoding,
    subscriberListId: z.string().optional().describe('List that the contacts are added to'),
    status: z
      .enum(['active', 'unverified'])
      .default('active')
      .describe('Status of a subscriber that new members of the list get'),
    consent: z.string().trim().min(1).max(1000).describe('How these people agreed to get mail'),
  })
  .meta({ id: 'ImportStart' })
export type ImportStart = z.input<typeof ImportStart>

export const ImportView = z
  .object({
    _id: Id,
    fileName: z.string().describe('Name of the uploaded file'),
    size: Count.describe('In bytes'),
    state: z
      .enum(importStates)
      .describe(
        'How far the import is (`status` is that of subscribers). `uploaded`: waits to be started; `failed`: the import itself, not a row',
      ),
    uploadedBy: z.string().optional().describe('Name of the person'),
    subscriberListId: z.string().optional().describe('List that the contacts are added to'),
    status: z
      .enum(['active', 'unverified'])
      .optional()
      .describe('Status of a subscriber that new members of the list get; how far the import is says `state`'),
    consent: z.string().optional().describe('How these people agreed to get mail'),
    counts: RowCounts,
    progress: z.number().min(0).max(1).describe('Part of the file that is imported'),
    errorMessage: z.string().optional().describe('Why the import failed'),
    createdAt: Instant,
    updatedAt: Instant,
    finishedAt: Instant.optional(),
  })
  .meta({ id: 'Import' })
export type ImportView = z.output<typeof ImportView>

export const importView = ({ plan, bytesRead, size, state, ...one }: Import): ImportView =>
  ImportView.parse({
    ...one,
    ...(plan && { subscriberListId: plan.subscriberListId, status: plan.status, consent: plan.consent }),
    size,
    state,
    progress: state === 'done' ? 1 : Math.min(1, bytesRead / size),
  })

export const ImportPreview = z
  .object({
    encoding: z.string().describe('Encoding that the file is read in'),
    damage: z
      .object({
        places: Count.describe('Number of places'),
        firstLine: Count.describe('Line of the first place'),
      })
      .optional()
      .describe('Places that are not valid UTF-8, although the rest is'),
    columns: z
      .array(
        z.object({
          heading: z.string().describe('Heading of a CSV file, key of an NDJSON file'),
          field: z.string().nullable().describe('API name of the field that the heading names'),
          newField: z.string().describe('API name that a new field would get; empty if it cannot have one'),
          type: z.enum(customFieldTypes).describe('Type of the values in the first rows'),
        }),
      )
      .describe('In the order of the file'),
    rows: z.array(z.array(z.string())).describe('Cells of the first rows, shortened'),
  })
  .meta({ id: 'ImportPreview' })
export type ImportPreview = z.output<typeof ImportPreview>
