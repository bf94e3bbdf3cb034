import { z } from 'zod'
import { newestRecords } from '../kernel/listing.js'
import type { Counters, Runtime, Secrets } from '../kernel/ports.js'
import { busy, duplicate, invalid, Refusal } from '../kernel/refusal.js'
import { ifKeyTaken, type RepositoriesFor, type Repository } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Id, type InProject, Instant, type Stamped, stamps } from '../kernel/shapes.js'

/** `_id` is also that of the created record: a repetition after a crash creates the same. */
export type IdempotentRequest = InProject & {
  /** Digest of the key and the kind of caller: pages of an Origin never match requests of an API key. */
  readonly key: string
  /** Digest of the content; another fingerprint is another request. */
  readonly fingerprint: string
  /** Executes the request; another may take over after `leaseUntil`. */
  readonly worker: string
  readonly leaseUntil: string
  readonly tries: number
  readonly isDone: boolean
  /** Sealed JSON: it may contain a secret. Absent if too large. */
  readonly answer?: string
  /** JSON: another attempt continues from it, with the same answer. */
  readonly progress?: string
}

/** In ms (gaps.md, "Sends"). */
export const idempotencyKeyAge = 24 * 60 * 60_000

/** In ms. Then another worker executes the request again; no live process takes that long. */
export const idempotentRequestLeaseTime = 60_000

/** In characters. For a larger one, a repetition reads the created record. */
export const largestStoredAnswer = 128 * 1024

/** In kB per project and UTC day, at least one per key. */
const dailyAnswerKilobytes = { full: 1_000_000, origin: 10_000 } as const

/** Counts of at most two days exist. */
const idempotencyAnswersCounterKey = (projectId: string, way: keyof typeof dailyAnswerKilobytes, now: string) =>
  `idempotency:${way}:${projectId}:${now.slice(0, 10)}`

const printable = /^[\x20-\x7e]{1,255}$/

/** @throws Refusal `invalid` unless 1 to 255 printable ASCII characters */
const assertIdempotencyKey = (key: string): void => {
  if (!printable.test(key)) throw invalid('Idempotency-Key: expected 1 to 255 printable ASCII characters')
}

/** Answered again without being executed again. `_id`: that of the idempotent request. */
export type RepeatedRequest = InProject & {
  readonly operation: string
  readonly key: string
  readonly repeats: number
  readonly repeatedAt: string
}

/** In ms, after the first request. */
const repeatedRequestAge = 7 * 24 * 60 * 60_000
const mostShown = 200

export const RepeatedRequestView = z.object({
  _id: Id,
  operation: z.string().describe('The operation’s id in the OpenAPI document'),
  key: z.string().describe('The `Idempotency-Key`'),
  repeats: z.int(),
  createdAt: Instant.describe('Of the first request'),
  repeatedAt: Instant.describe('Of the last repetition'),
})
export type RepeatedRequestView = z.output<typeof RepeatedRequestView>

type RequestRepetition = Pick<RepeatedRequest, 'operation' | 'key'>

const repeatedRequestUseCases = ({
  repositories: { repeatedRequests },
  clock,
}: Pick<Deps, 'repositories' | 'clock'>) => {
  const note = async (request: IdempotentRequest, { operation, key }: RequestRepetition): Promise<void> => {
    const { _id, projectId, createdAt } = request
    const now = clock().toISOString()
    const counted = await repeatedRequests.change({ _id }, (one) => ({
      ...one,
      repeats: one.repeats + 1,
      repeatedAt: now,
      updatedAt: now,
    }))
    if (counted) return
    const first = { _id, projectId, operation, key, repeats: 1, repeatedAt: now, createdAt, updatedAt: now }
    // A concurrent repetition stored it first.
    await repeatedRequests.add(first).catch(ifKeyTaken(() => note(request, { operation, key })))
  }
  return {
    note,

    /** The 200 most recently repeated, of the last seven days. */
    list: async ({ projectId }: Scope): Promise<readonly RepeatedRequestView[]> => {
      const items = await newestRecords(repeatedRequests, { projectId }, 'repeatedAt', mostShown)
      return items.map((one) => RepeatedRequestView.parse(one))
    },
  }
}

type Deps = Pick<Runtime, 'clock' | 'newId' | 'log'> & {
  readonly repositories: RepositoriesFor<{
    idempotentRequests: IdempotentRequest
    repeatedRequests: RepeatedRequest
  }>
  readonly counters: Counters
  readonly secrets: Pick<Secrets, 'digest' | 'open' | 'seal'>
}

export type KeyedRequest = {
  readonly key: string
  /** The operation's id in the OpenAPI document. */
  readonly operation: string
  readonly fingerprint: string
  /** The scope contains the id for the record. */
  readonly run: (scope: Scope) => Promise<unknown>
  /** Reads what an earlier attempt created: after a crash, or if the response was not kept. */
  readonly made?: ((scope: Scope) => Promise<unknown>) | undefined
}

export type KeyedAnswer = { readonly result: unknown; readonly isReplayed: boolean }

const pruneSize = 500

/** Ids increase with time, so the oldest come first. */
const removeOlder = async (records: Repository<Stamped>, before: string): Promise<void> => {
  for (;;) {
    const old: string[] = []
    for await (const { _id, createdAt } of records.each({})) {
      if (createdAt > before || old.length === pruneSize) break
      old.push(_id)
    }
    if (old.length === 0) return
    await records.removeAll({ _id: old })
  }
}

const tooManyKeys = () => busy('Too many Idempotency-Keys were used today. Send without one, or tomorrow.')

/** Executes a request once, despite repetitions and crashes (gaps.md, "Sends"). */
export const idempotencyUseCases = ({ repositories, counters, secrets, clock, newId, log }: Deps) => {
  const { idempotentRequests, repeatedRequests } = repositories
  const repeated = repeatedRequestUseCases({ repositories, clock })
  const iso = (milliseconds = 0) => new Date(clock().getTime() + milliseconds).toISOString()

  const wayOf = ({ caller }: Scope) => (caller === 'origin' || caller === 'preferences' ? 'origin' : 'full')

  /** In kB; false if less was left today. */
  const takeRoom = async (scope: Scope, n: number): Promise<boolean> => {
    const way = wayOf(scope)
    const key = idempotencyAnswersCounterKey(scope.projectId, way, iso())
    const taken = await counters.takeUpTo(
      { key, n, limit: dailyAnswerKilobytes[way] },
      new Date(iso(2 * idempotencyKeyAge)),
    )
    return taken === n
  }

  const first = async (scope: Scope, key: string, fingerprint: string, worker: string) => {
    if (!(await takeRoom(scope, 1))) throw tooManyKeys()
    const request: IdempotentRequest = {
      _id: newId(),
      projectId: scope.projectId,
      key,
      fingerprint,
      worker,
      leaseUntil: iso(idempotentRequestLeaseTime),
      tries: 1,
      isDone: false,
      ...stamps(iso()),
    }
    return idempotentRequests.add(request).then(
      () => request,
      ifKeyTaken(() => undefined),
    )
  }

  /** If `worker` is this one, it holds the lease and executes the request. */
  const claimed = async (
    scope: Scope,
    key: string,
    fingerprint: string,
    worker: string,
  ): Promise<IdempotentRequest> => {
    const { projectId } = scope
    for (;;) {
      const known = await idempotentRequests.get({ projectId, key })
      if (!known) {
        const mine = await first(scope, key, fingerprint, worker)
        if (mine) return mine
      } else if (known.createdAt <= iso(-idempotencyKeyAge)) await idempotentRequests.remove({ _id: known._id })
      else {
        const now = iso()
        const current = await idempotentRequests.change({ _id: known._id }, (one) =>
          one.fingerprint === fingerprint && !one.isDone && one.leaseUntil <= now
            ? { ...one, worker, leaseUntil: iso(idempotentRequestLeaseTime), tries: one.tries + 1, updatedAt: now }
            : one,
        )
        if (current) return current
      }
    }
  }

  /** A refusal changed nothing and frees the key; after other errors, the next attempt checks what was created. */
  const letGo = async ({ _id }: IdempotentRequest, worker: string, error: unknown): Promise<void> => {
    if (error instanceof Refusal) await idempotentRequests.remove({ _id, worker, isDone: false })
    else await idempotentRequests.change({ _id, worker }, (one) => (one.isDone ? one : { ...one, leaseUntil: iso() }))
  }

  const keep = async (scope: Scope, { _id }: IdempotentRequest, result: unknown): Promise<void> => {
    const text = JSON.stringify(result ?? null)
    const more = Math.ceil(text.length / 1024) - 1
    const fits = text.length <= largestStoredAnswer && (more <= 0 || (await takeRoom(scope, more)))
    const kept = fits ? { answer: secrets.seal(text) } : {}
    await idempotentRequests.change({ _id }, (one) =>
      one.isDone ? one : { ...one, isDone: true, ...kept, updatedAt: iso() },
    )
  }

  const carriedOut = async (
    scope: Scope,
    request: IdempotentRequest,
    { run, made }: Pick<KeyedRequest, 'run' | 'made'>,
  ): Promise<KeyedAnswer> => {
    const { worker } = request
    try {
      const earlier = request.tries === 1 ? undefined : await made?.(scope)
      const result = earlier ?? (await run(scope))
      await keep(scope, request, result).catch((error: unknown) =>
        log('error', 'The answer of a request with an Idempotency-Key could not be kept', { error }),
      )
      return { result, isReplayed: earlier !== undefined }
    } catch (error) {
      await letGo(request, worker, error)
      throw error
    }
  }

  return {
    /** What an attempt of the request kept; undefined without an `Idempotency-Key`. */
    progressOf: async ({ projectId, requestId }: Scope): Promise<string | undefined> =>
      requestId === undefined ? undefined : (await idempotentRequests.get({ _id: requestId, projectId }))?.progress,

    /** Call before the request's first write. @throws Refusal `busy` above the daily storage */
    reserveProgress: async (scope: Scope, bytes: number): Promise<void> => {
      if (scope.requestId !== undefined && !(await takeRoom(scope, Math.ceil(bytes / 1024)))) throw tooManyKeys()
    },

    /** Keeps nothing without an `Idempotency-Key`. */
    keepProgress: async ({ projectId, requestId }: Scope, progress: string): Promise<void> => {
      if (requestId !== undefined)
        await idempotentRequests.change({ _id: requestId, projectId }, (one) => ({ ...one, progress }))
    },

    /**
     * Undefined while another caller executes the request. Refusals are not kept. After a crash, a repetition executes
     * it again once its lease has expired, with the same id.
     * @throws Refusal `invalid` for a malformed key, `duplicate` for a key of another request, `busy` above the daily
     * storage; and errors of the request
     */
    once: async (scope: Scope, keyed: KeyedRequest): Promise<KeyedAnswer | undefined> => {
      assertIdempotencyKey(keyed.key)
      const { run, made } = keyed
      const worker = newId()
      const key = secrets.digest(`${scope.person?._id ?? wayOf(scope)}\n${keyed.key}`)
      const request = await claimed(scope, key, keyed.fingerprint, worker)
      if (request.fingerprint !== keyed.fingerprint)
        throw duplicate('The Idempotency-Key was used for another request in the last 24 hours.')
      const inside = { ...scope, requestId: request._id }
      if (request.isDone) {
        await repeated
          .note(request, keyed)
          .catch((error: unknown) => log('error', 'A repeated request could not be noted', { error }))
        if (request.answer !== undefined) return { result: JSON.parse(secrets.open(request.answer)), isReplayed: true }
        return { result: (await made?.(inside)) ?? (await run(inside)), isReplayed: true }
      }
      return request.worker === worker ? carriedOut(inside, request, { run, made }) : undefined
    },

    repeated: repeated.list,

    prune: async (): Promise<void> => {
      await removeOlder(idempotentRequests, iso(-idempotencyKeyAge))
      await removeOlder(repeatedRequests, iso(-repeatedRequestAge))
    },
  }
}
export type Idempotency = ReturnType<typeof idempotencyUseCases>
