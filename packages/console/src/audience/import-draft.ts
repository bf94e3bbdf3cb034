import { useEffect, useState } from 'react'
import type { BodyOf, ResponseOf } from '../api/types.js'

export type ImportPreview = ResponseOf<'get', '/imports/{id}/preview'>
export type ImportEncoding = NonNullable<BodyOf<'post', '/imports/{id}/start'>['encoding']>
type Column = ImportPreview['columns'][number]

/** What a person chose for an import that is not started. */
type ImportDraft = {
  readonly list: string
  readonly status: 'active' | 'unverified'
  readonly consent: string
  readonly encoding?: ImportEncoding | undefined
}
const noDraft: ImportDraft = { list: '', status: 'active', consent: '' }

/** Choices by column, as `choiceOf` spells them. */
type KeptColumns = { readonly headings: readonly string[]; readonly choices: readonly string[] }

const draftAt = (importId: string) => `posthorn-import-${importId}`
const columnsAt = (projectId: string) => `posthorn-columns-${projectId}`

const kept = <T>(at: string): T | undefined => {
  try {
    const text = localStorage.getItem(at)
    return text === null ? undefined : (JSON.parse(text) as T)
  } catch {
    return undefined
  }
}

/** Undefined: no longer. */
const keep = (at: string, value: unknown): void => {
  try {
    if (value === undefined) localStorage.removeItem(at)
    else localStorage.setItem(at, JSON.stringify(value))
  } catch {
    // A full storage of the browser loses the choices with the page only.
  }
}

/** When it was started or cancelled. */
export const dropImportDraft = (importId: string): void => keep(draftAt(importId), undefined)

/** Kept in this browser until the import is started or cancelled. */
export const useImportDraft = (importId: string) => {
  const [draft, setDraft] = useState<ImportDraft>(() => ({
    ...noDraft,
    ...kept<Partial<ImportDraft>>(draftAt(importId)),
  }))
  const change = (changes: Partial<ImportDraft>) =>
    setDraft((before) => {
      const next = { ...before, ...changes }
      keep(draftAt(importId), next)
      return next
    })
  return [draft, change] as const
}

/** `-`: ignored; `=city`: the field; `+number`: a new field of that type. */
const choiceOf = ({ field, newField, type }: Column, taken: readonly string[]): string => {
  if (field !== null) return taken.includes(`=${field}`) ? '-' : `=${field}`
  return newField === '' ? '-' : `+${type}`
}

const proposedChoices = (columns: readonly Column[]): readonly string[] => {
  const chosen: string[] = []
  for (const column of columns) chosen.push(choiceOf(column, chosen))
  return chosen
}

/** Whether the column can still go there: fields come and go. */
const isPossible = (choice: string, { field, newField }: Column, fields: readonly string[]): boolean =>
  choice === '-' || (choice.startsWith('=') ? fields.includes(choice.slice(1)) : field === null && newField !== '')

/**
 * Where each column goes; kept in this browser for the next file with the same columns.
 * @param fields API names; undefined until they are loaded
 */
export const useImportColumns = (
  projectId: string,
  columns: readonly Column[],
  fields: readonly string[] | undefined,
) => {
  const headings = columns.map(({ heading }) => heading)
  const [choices, setChoices] = useState<readonly string[]>(() => {
    const before = kept<KeptColumns>(columnsAt(projectId))
    const isSame = before && JSON.stringify(before.headings) === JSON.stringify(headings)
    return isSame && before.choices.length === headings.length ? before.choices : proposedChoices(columns)
  })
  useEffect(() => {
    if (!fields) return
    const proposed = proposedChoices(columns)
    setChoices((all) =>
      columns.every((column, index) => isPossible(all[index] ?? '', column, fields))
        ? all
        : columns.map((column, index) => {
            const choice = all[index] ?? ''
            return isPossible(choice, column, fields) ? choice : (proposed[index] ?? '-')
          }),
    )
  }, [columns, fields])
  const choose = (index: number, choice: string) =>
    setChoices((all) => {
      const next = all.with(index, choice)
      keep(columnsAt(projectId), { headings, choices: next } satisfies KeptColumns)
      return next
    })
  return [choices, choose] as const
}
