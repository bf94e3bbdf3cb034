import { useCallback, useEffect, useRef, useState } from 'react'
import { signedInAgain } from '../api/client.js'
import { type ApiError, asApiError, type ErrorKind, type Problem, problemsOf } from '../api/errors.js'

/** What is saved as it is typed. */
export type Drafted = {
  readonly _id: string
  readonly updatedAt: string
  readonly warnings?: readonly string[] | undefined
}
/** By the names of fields. */
type Changes = { readonly [name: string]: unknown }

export type DraftStore<R extends Drafted, C extends Changes> = {
  /** @throws PosthornError */
  readonly read: () => Promise<R>
  /** `basedOn`: when the version was stored that the changes are made to. @throws PosthornError */
  readonly write: (changes: C, basedOn: string) => Promise<R>
  /** Secrets among the changes, which this browser does not keep. */
  readonly unkept?: keyof C & string
}

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

/** Code of the refusal if somebody else has saved it. */
const changedSince = 'changed-since'

/** They may succeed later without another change. */
const isPassing = ({ kind }: ApiError): boolean => kind === 'offline' || kind === 'busy' || kind === 'server'

export type Unsaved<C extends Changes> = { readonly basedOn: string; readonly changes: C }

const unsavedAt = (id: string) => `posthorn-unsaved-${id}`

/** What an earlier visit of this browser could not save. */
export const unsavedOf = <C extends Changes>(id: string): Unsaved<C> | undefined => {
  try {
    const text = localStorage.getItem(unsavedAt(id))
    return text === null ? undefined : (JSON.parse(text) as Unsaved<C>)
  } catch {
    return undefined
  }
}

const keep = (id: string, unsaved: Unsaved<Changes> | undefined, unkept?: string): void => {
  try {
    if (unsaved)
      localStorage.setItem(
        unsavedAt(id),
        JSON.stringify(unsaved, (name, value: unknown) => (name === unkept ? undefined : value)),
      )
    else localStorage.removeItem(unsavedAt(id))
  } catch {
    // If the browser's storage is full, the page still warns before it is closed.
  }
}

/** A save whose response was lost because the page was closed looks like a save by another person. */
const holds = (stored: Drafted, changes: Changes): boolean => {
  const text = (value: unknown) => JSON.stringify(value ?? '')
  const values: Readonly<Record<string, unknown>> = { ...stored }
  return Object.entries(changes).every(([name, value]) => text(values[name]) === text(value))
}

const isEmpty = (changes: Changes): boolean => Object.keys(changes).length === 0

/**
 * Saves changes of a draft on the server as they are typed, and keeps them in this browser until the server has them. A refused change
 * stays on the page with its problems and is sent again with the next one. If somebody else has saved and the store refuses to write over
 * that, nothing is sent until a person decides.
 */
export const useDraft = <R extends Drafted, C extends Changes>(
  loaded: R,
  store: DraftStore<R, C>,
  /** `later`: changes since the request. */
  onSaved: (stored: R, later: C) => void,
  unsaved: Unsaved<C> | undefined,
) => {
  const { _id: id } = loaded
  const [save, setSave] = useState<SaveState>(unsaved ? { state: 'waiting' } : { state: 'saved', at: loaded.updatedAt })
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const [warnings, setWarnings] = useState<readonly string[]>(loaded.warnings ?? [])
  const [others, setOthers] = useState<R>()
  const pending = useRef<C>(unsaved?.changes ?? ({} as C))
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const running = useRef<Promise<boolean>>(undefined)
  const known = useRef(unsaved?.basedOn ?? loaded.updatedAt)
  const done = useRef(onSaved)
  done.current = onSaved
  const at = useRef(store)
  at.current = store

  /** Saves now, one after the other; false if the server refused. */
  const flush = useCallback((): Promise<boolean> => {
    clearTimeout(timer.current)
    const isNowStored = (stored: R): true => {
      known.current = stored.updatedAt
      const isDone = isEmpty(pending.current)
      keep(id, isDone ? undefined : { basedOn: known.current, changes: pending.current }, at.current.unkept)
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
        return isNowStored(await at.current.write(body, known.current))
      } catch (thrown) {
        const error = asApiError(thrown)
        const theirs = error.code === changedSince ? await at.current.read().catch(() => undefined) : undefined
        if (theirs && holds(theirs, body)) return isNowStored(theirs)
        pending.current = { ...body, ...pending.current }
        setProblems(error.kind === 'invalid' ? problemsOf(error.message) : [])
        setSave({ state: 'failed', kind: error.kind, error: thrown })
        if (theirs) setOthers(theirs)
        const delay = (error.retrySeconds ?? retryDelay / 1_000) * 1_000
        if (isPassing(error)) timer.current = setTimeout(() => void flush(), delay)
        return false
      }
    }
    running.current = running.current ? running.current.then(send) : send()
    return running.current
  }, [id])

  const change = useCallback(
    (changes: C) => {
      pending.current = { ...pending.current, ...changes }
      keep(id, { basedOn: known.current, changes: pending.current }, at.current.unkept)
      setSave({ state: 'waiting' })
      clearTimeout(timer.current)
      timer.current = setTimeout(() => void flush(), saveDelay)
    },
    [flush, id],
  )

  /** Saves over what somebody else stored. */
  const keepMine = useCallback(async (): Promise<boolean> => {
    known.current = others?.updatedAt ?? known.current
    setOthers(undefined)
    return flush()
  }, [flush, others])

  /** Forgets what is not saved. */
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
        const now = await at.current.read()
        setOthers(now.updatedAt > known.current ? now : undefined)
      } catch {
        // The next change reports what is wrong.
      }
    }
    const watch = setInterval(() => void look(), watchInterval)
    return () => clearInterval(watch)
  }, [])

  return { save, problems, warnings, others, change, flush, keepMine, discard, version: () => known.current }
}
