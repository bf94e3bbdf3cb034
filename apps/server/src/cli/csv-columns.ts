import { CommandFailure } from './output.js'

/** A heading without case, accents, spaces and signs: `Shoe size` is `shoeSize`, and `E-Mail` is `email`. */
const plain = (heading: string) =>
  heading
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase()

/**
 * The contact's field that each column holds; undefined for a column without a heading, which is passed over.
 * @throws CommandFailure naming every column that is no field, or a field's second, and the missing address
 */
export const columnsOf = (
  headings: readonly string[],
  customFields: readonly string[],
): readonly (string | undefined)[] => {
  const fields = ['email', 'name', 'tags', ...customFields]
  const fieldOf = (heading: string) =>
    fields.find((field) => field === heading) ?? fields.find((field) => plain(field) === plain(heading))
  const columns = headings.map(fieldOf)
  const wrong = headings.flatMap((heading, index) => {
    const field = columns[index]
    if (heading === '') return []
    if (field === undefined)
      return [`the column ${JSON.stringify(heading.slice(0, 50))} is none of ${fields.join(', ')}`]
    return columns.indexOf(field) < index ? [`a second column for ${field}`] : []
  })
  if (!columns.includes('email')) throw new CommandFailure('The first line names no column email.')
  if (wrong.length > 0) throw new CommandFailure(`The first line cannot be understood: ${wrong.join('; ')}.`)
  return columns
}
