import { invalid } from '@posthorn/core/ports/runtime'
import { fieldApiName, fieldKey, fieldNameProblem } from '@posthorn/core/ports/storage'
import { columnTypeGuesser } from '@posthorn/core/ports/transport'
import type { KnownField } from './templates/translation.js'

export type PlannedField = KnownField & {
  /** Its name in the export. */
  readonly source: string
  readonly isNew: boolean
}

/** More than a project may have. */
const mostFields = 1_000

const plain = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()

/** A name that a field may have: reserved ones get the system's name in front. */
const allowedName = (source: string, system: string): string => {
  const name = fieldApiName(source)
  const isFree = name !== '' && !['email', 'name', 'tags'].includes(fieldKey(name)) && !fieldNameProblem(source, name)
  if (isFree) return name
  const [first = '', ...others] = system
  return fieldApiName(`${first.toLowerCase()}${others.join('')} ${name || 'field'}`)
}

export const fieldPlan = (system: string, existing: readonly KnownField[]) => {
  const guesses = new Map<string, ReturnType<typeof columnTypeGuesser>>()

  const planned = (): readonly PlannedField[] => {
    const known = new Map(existing.map((field) => [fieldKey(field.name), field]))
    const taken = new Set<string>()
    return [...guesses].map(([source, guess]) => {
      const wanted = allowedName(source, system)
      let name = wanted
      for (let next = 2; taken.has(fieldKey(name)); next += 1) name = `${wanted}${next}`
      taken.add(fieldKey(name))
      const field = known.get(fieldKey(name))
      return field ? { ...field, source, isNew: false } : { name, type: guess.type(), source, isNew: true }
    })
  }

  return {
    /** @throws Refusal `invalid` for more fields than a project may have */
    see: (fields: Readonly<Record<string, string>>): void => {
      for (const source of Object.keys(fields)) {
        let guess = guesses.get(source)
        if (!guess) {
          if (guesses.size >= mostFields)
            throw invalid(
              `The contacts have more than ${mostFields} different fields, for example ${source.slice(0, 100)}.`,
            )
          guess = columnTypeGuesser()
          guesses.set(source, guess)
        }
        guess.see(fields[source] ?? '')
      }
    },
    /** In the order in which they were seen first. */
    planned,
  }
}

/** By the name in the export, in any spelling. */
export const plannedFieldLookup = (fields: readonly PlannedField[]) => {
  const exact = new Map(fields.map((field) => [field.source, field]))
  const similar = new Map([...fields].reverse().map((field) => [plain(field.source), field]))
  return (source: string): KnownField | undefined => exact.get(source) ?? similar.get(plain(source))
}

/** A contact's values by the name of the project's field. */
export const fieldRenamer = (fields: readonly PlannedField[]) => {
  const names = new Map(fields.map(({ source, name }) => [source, name]))
  return (values: Readonly<Record<string, string>>): Record<string, string> => {
    const renamed: Record<string, string> = {}
    for (const source of Object.keys(values)) {
      const name = names.get(source)
      const value = values[source]
      if (name !== undefined && value !== undefined) renamed[name] = value
    }
    return renamed
  }
}
