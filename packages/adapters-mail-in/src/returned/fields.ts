/** By lower-case name; of several with one name the first. */
export type Fields = ReadonlyMap<string, string>

/** Genuine reports have fewer and shorter ones. */
const mostFields = 500
const longestField = 2_000

const fieldsOf = (lines: readonly string[]): Fields => {
  const fields = new Map<string, string>()
  let name = ''
  for (const line of lines) {
    if (line.startsWith(' ') || line.startsWith('\t')) {
      const value = fields.get(name)
      if (value !== undefined && value.length < longestField) fields.set(name, `${value} ${line.trim()}`)
      continue
    }
    const colon = line.indexOf(':')
    if (colon <= 0 || fields.size >= mostFields) continue
    const next = line.slice(0, colon).trim().toLowerCase()
    // Drops the continuation lines of a repeated field.
    name = fields.has(next) ? '' : next
    if (name !== '') fields.set(name, line.slice(colon + 1, colon + 1 + longestField).trim())
  }
  return fields
}

/** Blocks separated by empty lines (RFC 3464 section 2.1); at most a hundred. */
export const fieldBlocks = (text: string): readonly Fields[] => {
  const blocks: Fields[] = []
  let lines: string[] = []
  const end = () => {
    if (lines.length > 0) blocks.push(fieldsOf(lines))
    lines = []
  }
  for (const line of text.split('\n')) {
    const trimmed = line.endsWith('\r') ? line.slice(0, -1) : line
    if (blocks.length >= 100) break
    if (trimmed.trim() === '') end()
    else lines.push(trimmed)
  }
  end()
  return blocks
}
