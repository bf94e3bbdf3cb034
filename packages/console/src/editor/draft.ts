import { useCallback, useEffect, useRef, useState } from 'react'
import { signedInAgain } from '../api/client.js'
import { type ApiError, asApiError, type ErrorKind, type Problem, problemsIn } from '../api/errors.js'
import { useText } from '../text/text.js'

/** In ms after the last key. */
const saveDelay = 700
/** In ms; how soon one editor learns of another. */
const watchInterval = 10_000
/** In ms, if the server does not say when. */
const retryDelay = 10_000

export type SaveState =
  | { readonly state: 'saved'; readonly at: string }
  | { readonly state: 'waiting' }
  | { readonly state: 'saving' }
  | { readonly state: 'failed'; readonly kind: ErrorKind; readonly error: unknown }

type Stored = {
  readonly _id: string
  readonly updatedAt: string
  readonly updatedBy?: string | undefined
  readonly warnings?: readonly string[] | undefined
}

/** Where a draft is stored. It stays the same object between renders. */
export type DraftStore<T extends Stored, C extends object> = {
  readonly read: () => Promise<T>
  /** Refused with the code `changed-since` if somebody else has saved it after `basedOn`. */
  readonly write: (changes: C, basedOn: string) => Promise<T>
  /** A secret among the changes, which this browser does not keep. */
  readonly unkept?: keyof C & string
}

/** Code of the refusal if somebody else has saved the draft. */
const changedSince = 'changed-since'

/** They may succeed later without another change. */
const isPassing = ({ kind }: ApiError): boolean => kind === 'offline' || kind === 'busy' || kind === 'server'

export type UnsavedChanges<C> = { readonly basedOn: string; readonly changes: C }

const unsavedAt = (id: string) => `posthorn-unsaved-${id}`

/** What an earlier visit of this browser could not save. */
export const unsavedOf = <C extends object>(id: string): UnsavedChanges<C> | undefined => {
  try {
    const text = localStorage.getItem(unsavedAt(id))
    return text === null ? undefined : (JSON.parse(text) as UnsavedChanges<C>)
  } catch {
    return undefined
  }
}

const keep = (id: string, unsaved: UnsavedChanges<object> | undefined, unkept?: string): void => {
  try {
    const withoutSecret = (name: string, value: unknown) => (name === unkept ? undefined : value)
    if (unsaved) localStorage.setItem(unsavedAt(id), JSON.stringify(unsaved, withoutSecret))
    else localStorage.removeItem(unsavedAt(id))
  } catch {
    // If the browser's storage is full, the page still warns before it is closed.
  }
}

/** If the response to a save was lost, the save looks like another person's. */
const holds = (stored: Stored, changes: object): boolean => {
  const text = (value: unknown) => JSON.stringify(value ?? '')
  const values: Readonly<Record<string, unknown>> = { ...stored }
  return Object.entries(changes).every(([name, value]) => text(values[name]) === text(value))
}

const isEmpty = (changes: object): boolean => Object.keys(changes).length === 0

/**
 * Saves changes as they are typed, and keeps them in this browser until the server has them. A refused change is sent again with the next one. If
 * somebody else saved the draft, a person must decide first.
 */
export const useDraft = <T extends Stored, C extends object>(
  { read, write, unkept }: DraftStore<T, C>,
  loaded: T,
  /** `later`: changes since the request. */
  onSaved: (stored: T, later: C) => void,
  unsaved: UnsavedChanges<C> | undefined,
) => {
  const { _id: id } = loaded
  const [save, setSave] = useState<SaveState>(unsaved ? { state: 'waiting' } : { state: 'saved', at: loaded.updatedAt })
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const [warnings, setWarnings] = useState<readonly string[]>(loaded.warnings ?? [])
  const [others, setOthers] = useState<T>()
  const pending = useRef<C>(unsaved?.changes ?? ({} as C))
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const running = useRef<Promise<boolean>>(undefined)
  const { sayServer } = useText()
  const known = useRef(unsaved?.basedOn ?? loaded.updatedAt)
  const done = useRef(onSaved)
  done.current = onSaved

  /** One save after the other; false if the server refused. */
  const flush = useCallback((): Promise<boolean> => {
    clearTimeout(timer.current)
    const isNowStored = (stored: T): true => {
      known.current = stored.updatedAt
      const isDone = isEmpty(pending.current)
      keep(id, isDone ? undefined : { basedOn: known.current, changes: pending.current }, unkept)
      setProblems([])
      setOthers(undefined)
      setWarnings(stored.warnings ?? [])
      setSave(isDone ? { state: 'saved', at: stored.updatedAt } : { state: 'waiting' })
      done.current(stored, pending.current)
      return true
    }
    const send = async (): Promise<boolean> => {
      const body = pending.current
      if (isEmpty(body)) return true
      pending.current = {} as C
      setSave({ state: 'saving' })
      try {
        return isNowStored(await write(body, known.current))
      } catch (thrown) {
        const error = asApiError(thrown)
        const theirs = error.code === changedSince ? await read().catch(() => undefined) : undefined
        if (theirs && holds(theirs, body)) return isNowStored(theirs)
        pending.current = { ...body, ...pending.current }
        setProblems(problemsIn(thrown, sayServer))
        setSave({ state: 'failed', kind: error.kind, error: thrown })
        if (theirs) setOthers(theirs)
        const delay = (error.retrySeconds ?? retryDelay / 1_000) * 1_000
        if (isPassing(error)) timer.current = setTimeout(() => void flush(), delay)
        return false
      }
    }
    running.current = running.current ? running.current.then(send) : send()
    return running.current
  }, [id, read, write, unkept, sayServer])

  const change = useCallback(
    (changes: C) => {
      pending.current = { ...pending.current, ...changes }
      keep(id, { basedOn: known.current, changes: pending.current }, unkept)
      setSave({ state: 'waiting' })
      clearTimeout(timer.current)
      timer.current = setTimeout(() => void flush(), saveDelay)
    },
    [flush, id, unkept],
  )

  /** Overwrites the other person's save. */
  const keepMine = useCallback(async (): Promise<boolean> => {
    known.current = others?.updatedAt ?? known.current
    setOthers(undefined)
    return flush()
  }, [flush, others])

  const discard = useCallback(() => {
    clearTimeout(timer.current)
    pending.current = {} as C
    keep(id, undefined)
  }, [id])

  useEffect(() => {
    const again = () => void flush()
    const warn = (event: BeforeUnloadEvent) => {
      if (!isEmpty(pending.current)) event.preventDefault()
    }
    if (!isEmpty(pending.current)) again()
    window.addEventListener(signedInAgain, again)
    window.addEventListener('online', again)
    window.addEventListener('beforeunload', warn)
    return () => {
      window.removeEventListener(signedInAgain, again)
      window.removeEventListener('online', again)
      window.removeEventListener('beforeunload', warn)
      // Leaving the page inside the console loses nothing.
      void flush().finally(() => clearTimeout(timer.current))
    }
  }, [flush])

  useEffect(() => {
    const look = async () => {
      await running.current
      try {
        const now = await read()
        setOthers(now.updatedAt > known.current ? now : undefined)
      } catch {
        // The next change reports what is wrong.
      }
    }
    const watch = setInterval(() => void look(), watchInterval)
    return () => clearInterval(watch)
  }, [read])

  return { save, problems, warnings, others, change, flush, keepMine, discard, version: () => known.current }
}

export type DraftState<T extends Stored> = Pick<
  ReturnType<typeof useDraft<T, object>>,
  'save' | 'others' | 'flush' | 'keepMine' | 'discard'
>
