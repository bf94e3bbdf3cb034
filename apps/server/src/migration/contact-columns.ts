import { invalid } from '@posthorn/core/ports/runtime'
import { type CsvRecord, csvRecords, type ExportFile, inspectExportCsv } from './export-files.js'
import type { MigrationContactItem, UnreadableRowItem } from './items.js'
import { fullName } from './values.js'

/** `ignored` columns say nothing about the person, or are read elsewhere. */
export type ColumnMeaning =
  | 'email'
  | 'firstName'
  | 'lastName'
  | 'tags'
  | 'status'
  | 'joinedAt'
  | 'changedAt'
  | 'leftAt'
  | 'ignored'

export type ColumnMeanings = Readonly<Record<string, ColumnMeaning>>

const keyOf = (heading: string) => heading.toLowerCase().replace(/[^a-z0-9]/g, '')

export type ExportedContactRow = {
  /** Columns without a meaning are fields. First and last names are fields, too, because templates use them. */
  readonly contact: Pick<MigrationContactItem, 'kind' | 'place' | 'email' | 'name' | 'fields'>
  readonly known: Readonly<Partial<Record<ColumnMeaning, string>>>
  readonly cells: CsvRecord['cells']
}

/** Reads CSV files of contacts; ignores case, blanks and punctuation of headings. `expected`: what an export consists of. */
export const contactFileReader = (table: ColumnMeanings, expected: string) => {
  const meanings = new Map(Object.entries(table).map(([heading, meaning]) => [keyOf(heading), meaning]))
  const meaningOf = (heading: string) => meanings.get(keyOf(heading))
  const [addressColumn] = Object.keys(table).filter((heading) => table[heading] === 'email')

  const rowOf = ({ place, cells }: CsvRecord): ExportedContactRow => {
    const known: Partial<Record<ColumnMeaning, string>> = {}
    const fields: Record<string, string> = {}
    for (const heading of Object.keys(cells)) {
      const meaning = meaningOf(heading)
      const value = cells[heading] ?? ''
      if (meaning === undefined) fields[heading] = value
      else known[meaning] ??= value
    }
    const { email = '', firstName, lastName } = known
    const named = { ...namesAsFields(firstName, lastName), ...fields }
    return {
      contact: { kind: 'contact', place, email, name: fullName(firstName, lastName), fields: named },
      known,
      cells,
    }
  }

  /** @throws Refusal `invalid` for a file without addresses */
  return async function* <T>(
    file: ExportFile,
    itemOf: (row: ExportedContactRow) => T,
  ): AsyncGenerator<readonly (T | UnreadableRowItem)[]> {
    const csv = await inspectExportCsv(file)
    if (!csv.headings.some((heading) => meaningOf(heading) === 'email'))
      throw invalid(`${file.name} has no column ${JSON.stringify(addressColumn)}. ${expected}`)
    yield* csvRecords(csv, (record) => itemOf(rowOf(record)))
  }
}

export const namesAsFields = (firstName = '', lastName = ''): Readonly<Record<string, string>> => ({
  ...(firstName && { 'First name': firstName }),
  ...(lastName && { 'Last name': lastName }),
})
