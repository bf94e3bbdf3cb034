import type { MailEvent, Publish } from '../../events/event.js'
import type { Sleep } from '../../kernel/ports.js'
import type { Deliveries, Settlement } from '../ledger/deliveries.js'

/** Half of what may be in doubt at once: the other half is on its way while these are written. */
const batchSize = 100

/** Where mails go ahead to be made and sent: hears how many of them, of what weight together, have become durable. */
export type Ahead = { readonly over: (weight: number, n: number) => void }

/**
 * An outcome, and the event that it is; none of a mail that is put off, or is nobody's business. `ahead`: by which it went, where it did,
 * and what it weighs there.
 */
export type Settled = {
  readonly settlement: Settlement
  readonly event?: MailEvent | undefined
  readonly ahead?: { readonly way: Ahead; readonly weight: number } | undefined
}

/** So long outcomes wait for others that nobody waits for either, in milliseconds. */
const soonTime = 25

type Deps = {
  readonly deliveries: Pick<Deliveries, 'settle'>
  readonly publish: Publish
  /** Hears what has become durable. */
  readonly recorded: (settled: readonly Settled[]) => Promise<void>
  readonly sleep: Sleep
  /** Once it is aborted, nothing waits for others any more. */
  readonly stopping: () => AbortSignal | undefined
}

/**
 * Stage 7 of a sending: outcomes are recorded in batches. A batch is written as soon as it is full, and by `flush`, which the
 * worker calls when it has got all it waits for, and at least every second; what is recorded while a batch is being written waits for
 * the next. Events are told first: should the process die in between, the mail comes up again, and its event with it.
 */
export const settling = ({ deliveries, publish, recorded, sleep, stopping }: Deps) => {
  let waiting: Settled[] = []
  let writing: Promise<void> = Promise.resolve()
  let soon: Promise<void> | undefined

  const write = async () => {
    const batch = waiting
    if (batch.length === 0) return
    waiting = []
    try {
      await publish(batch.flatMap(({ event }) => event ?? []))
      await deliveries.settle(batch.map(({ settlement }) => settlement))
    } catch (error) {
      waiting = [...batch, ...waiting]
      throw error
    }
    await recorded(batch)
  }

  const flush = (): Promise<void> => {
    writing = writing.catch(() => undefined).then(write)
    return writing
  }

  const afterOthers = async (): Promise<void> => {
    await sleep(soonTime, stopping())
    soon = undefined
    await flush()
  }

  return {
    /** Puts outcomes on record with the next batch. */
    settle: (settled: readonly Settled[]): void => {
      for (const one of settled) waiting.push(one)
      // What cannot be written now is kept, and tried again by the next flush, whose caller hears of it.
      if (waiting.length >= batchSize) flush().catch(() => undefined)
    },
    /** Resolves when everything settled so far is durable. @throws what the store threw; the outcomes are kept for the next try */
    flush,
    /** As `flush`, of few at a time: others that come within 25 ms go with them. */
    flushSoon: (): Promise<void> => {
      soon ??= afterOthers()
      return soon
    },
  }
}
