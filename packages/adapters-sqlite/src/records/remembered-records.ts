import { byteBoundedCache } from '@posthorn/core/ports'
import type { SqliteDatabase } from '../database/sqlite-database.js'

/** What nearly every request asks for, of kinds that seldom change and whose records are few for a project. */
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

/** What a record takes in memory for each character of its JSON. */
const bytesPerCharacter = 4

type State = { readonly file: number; readonly kind: number }
type Answer = State & { readonly value: unknown; readonly bytes: number }

/** Nothing of it can be changed: who gets it shares it with others. */
const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

const isText = (value: unknown) => typeof value === 'string'

/** Answers about one kind. */
export type Remembered = {
  /** What was answered, while it still holds; undefined where it has to be asked. The same object each time. */
  readonly known: (question: string, where: object) => unknown
  /** Before something is asked: what keeps its answer, of so many characters of JSON. Nothing is kept that was changed since. */
  readonly keeper: (question: string, where: object) => <T>(value: T, characters: number) => T
  /** Something of the kind is being written here. */
  readonly forget: () => void
}

/**
 * Answers to what is asked again and again, of one store: forgotten when this connection writes to their kind, and when anybody else
 * has committed anything to the file, which SQLite tells before each answer (https://sqlite.org/pragma.html#pragma_data_version).
 */
export const rememberedRecords = ({ statement }: Pick<SqliteDatabase, 'statement'>) => {
  const answers = byteBoundedCache<string, Answer>({ maxBytes, sizeOf: (key, { bytes }) => key.length * 2 + bytes })
  const look = statement('PRAGMA data_version')
  const fileNow = () => Number(look.get()?.data_version)

  /** Undefined for a kind of which nothing is remembered. */
  return (collection: string): Remembered | undefined => {
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
