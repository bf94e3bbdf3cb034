import type { Counters, Runtime, Secrets } from '../kernel/ports.js'
import { busy, duplicate, Refusal } from '../kernel/refusal.js'
import { ifKeyTaken, type RepositoriesFor, type Repository } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { type Stamped, stamps } from '../kernel/shapes.js'
import {
  assertIdempotencyKey,
  dailyAnswerKilobytes,
  type IdempotentRequest,
  idempotencyAnswersCounterKey,
  idempotencyKeyAge,
  idempotentRequestLeaseTime,
  largestStoredAnswer,
} from './idempotent-request.js'
import { type RepeatedRequest, repeatedRequestAge, repeatedRequestUseCases } from './repeated-requests.js'

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
