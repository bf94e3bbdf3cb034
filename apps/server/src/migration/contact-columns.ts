import type { CsvRecord } from './export-files.js'

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

/** Ignores case, blanks and punctuation of headings. */
export const exportColumnReader = (table: ColumnMeanings) => {
  const meanings = new Map(Object.entries(table).map(([heading, meaning]) => [keyOf(heading), meaning]))
  const meaningOf = (heading: string) => meanings.get(keyOf(heading))
  return {
    has: (headings: readonly string[], meaning: ColumnMeaning): boolean =>
      headings.some((heading) => meaningOf(heading) === meaning),
    /** Other columns are fields. First and last names are fields, too, because templates use them. */
    read: ({ cells }: CsvRecord) => {
      const known: Partial<Record<ColumnMeaning, string>> = {}
      const fields: Record<string, string> = {}
      for (const heading of Object.keys(cells)) {
        const meaning = meaningOf(heading)
        const value = cells[heading] ?? ''
        if (meaning === undefined) fields[heading] = value
        else known[meaning] ??= value
      }
      return {
        known,
        fields: {
          ...(known.firstName && { 'First name': known.firstName }),
          ...(known.lastName && { 'Last name': known.lastName }),
          ...fields,
        },
      }
    },
  }
}
