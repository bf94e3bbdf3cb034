import { byteBoundedCache } from '@posthorn/core/ports/runtime'
import type { SqliteDatabase } from '../database/sqlite-database.js'

/** Read by nearly every request, and seldom changed. */
const kinds = new Set([
  'accounts',
  'apiKeys',
  'contactChanges',
  'customFields',
  'designSystems',
  'domains',
  'projects',
  'segments',
  'senderIdentities',
  'subscriberLists',
  'transactionalEmails',
  'triggeredEmails',
  'webhooks',
])

const maxBytes = 8 * 1024 * 1024

/** Estimated memory of a record per character of its JSON. */
const bytesPerCharacter = 4

type State = { readonly file: number; readonly kind: number }
type Answer = State & { readonly value: unknown; readonly bytes: number }

/** Freezes the value deeply, because several callers share it. */
const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

const isText = (value: unknown) => typeof value === 'string'

export type RecordQueryCache = {
  /** The cached result, the same object each time; undefined if there is none. */
  readonly known: (question: string, where: object) => unknown
  /** Call it before a query; the result caches unless a write has outdated it. */
  readonly keeper: (question: string, where: object) => <T>(value: T, characters: number) => T
  readonly forget: () => void
}

/**
 * A write to the kind, or another connection's commit, checked once per turn, invalidates results
 * (https://sqlite.org/pragma.html#pragma_data_version).
 */
export const recordQueryCache = ({ statement }: Pick<SqliteDatabase, 'statement'>) => {
  const answers = byteBoundedCache<string, Answer>({ maxBytes, sizeOf: (key, { bytes }) => key.length * 2 + bytes })
  const look = statement('PRAGMA data_version')
  let file: number | undefined
  const forgetFile = () => {
    file = undefined
  }
  const fileNow = (): number => {
    if (file !== undefined) return file
    setImmediate(forgetFile)
    file = Number(look.get()?.data_version)
    return file
  }

  return (collection: string): RecordQueryCache | undefined => {
    if (!kinds.has(collection)) return undefined
    let written = 0
    const keyOf = (question: string, where: object): string | undefined =>
      Object.values(where).every(isText) ? `${collection} ${question} ${JSON.stringify(where)}` : undefined

    return {
      known: (question, where) => {
        const key = keyOf(question, where)
        const answer = key === undefined ? undefined : answers.get(key)
        return answer && answer.kind === written && answer.file === fileNow() ? answer.value : undefined
      },
      keeper: (question, where) => {
        const key = keyOf(question, where)
        if (key === undefined) return (value) => value
        const state: State = { file: fileNow(), kind: written }
        return (value, characters) => {
          answers.set(key, { ...state, value: frozen(value), bytes: characters * bytesPerCharacter })
          return value
        }
      },
      forget: () => {
        written += 1
      },
    }
  }
}
