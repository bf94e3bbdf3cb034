import type { Deliveries, Repositories } from '@posthorn/core/ports/storage'
import { durationHistogram } from '@posthorn/http-express/metrics'
import type { Registry } from 'prom-client'
import type { Store } from '../store.js'
import { seriesOf } from './series.js'

/** Properties without calls to time. */
const unmeasured = ['repositories', 'jobs', 'heldMails', 'ready', 'close'] as const

type Observe = (operation: string, seconds: number, failed: boolean) => void

/** Passes through results that are not promises, such as async iterables. */
const timed = <P extends object>(port: P, observe: Observe): P => {
  const wrapped = Object.entries(port).map(([operation, value]: [string, unknown]) => {
    if (typeof value !== 'function') return [operation, value]
    const call = (...given: readonly unknown[]): unknown => {
      const begun = performance.now()
      const answer: unknown = Reflect.apply(value, port, given)
      if (!(answer instanceof Promise)) return answer
      const over = (failed: boolean) => observe(operation, (performance.now() - begun) / 1000, failed)
      // The caller gets the original promise.
      answer.then(
        () => over(false),
        () => over(true),
      )
      return answer
    }
    return [operation, call]
  })
  return Object.fromEntries(wrapped) as P
}

/** Results that only the ledger sees. */
const counted = (deliveries: Deliveries, registry: Registry): Deliveries => {
  const { counter } = seriesOf(registry)
  const claimed = counter('posthorn_mails_claimed_total', 'Mails that this process claimed of a queue, by lane', [
    'lane',
  ])
  const born = counter('posthorn_mails_expanded_total', 'Mails that this process made of an audience')
  const excluded = counter('posthorn_mails_excluded_total', 'Mails that somebody does not get, by why', ['reason'])
  const lost = counter(
    'posthorn_leases_lost_total',
    'Mails that another process had and did not finish, found by this one',
  )
  const events = counter('posthorn_mail_events_total', 'Events that were recorded of mails that had left, by type', [
    'type',
  ])
  for (const lane of ['transactional', 'bulk']) claimed.inc({ lane }, 0)
  return {
    ...deliveries,
    claim: async (claim) => {
      const mails = await deliveries.claim(claim)
      if (mails.length > 0) claimed.inc({ lane: claim.queue.lane }, mails.length)
      return mails
    },
    expand: async (expansion) => {
      const made = await deliveries.expand(expansion)
      if (made === undefined) return made
      born.inc(expansion.deliveries.length)
      for (const { reason } of expansion.deliveries) if (reason) excluded.inc({ reason })
      return made
    },
    settle: async (settlements) => {
      await deliveries.settle(settlements)
      for (const { reason } of settlements) if (reason) excluded.inc({ reason })
    },
    stop: async (dispatchId, refund, now, error) => {
      const stopped = await deliveries.stop(dispatchId, refund, now, error)
      if (!error && stopped > 0) excluded.inc({ reason: 'stopped' }, stopped)
      return stopped
    },
    reclaim: async (...given) => {
      const reclaimed = await deliveries.reclaim(...given)
      if (reclaimed.lost > 0) lost.inc(reclaimed.lost)
      return reclaimed
    },
    mark: async (marking) => {
      const delivery = await deliveries.mark(marking)
      if (delivery) events.inc({ type: marking.mark })
      return delivery
    },
    report: async (...given) => {
      const confirmed = await deliveries.report(...given)
      if (confirmed) events.inc({ type: 'confirmed' })
      return confirmed
    },
    reject: async (...given) => {
      const rejected = await deliveries.reject(...given)
      if (rejected) events.inc({ type: 'rejected' })
      return rejected
    },
  }
}

/** Times every call by port and operation; repositories count as one port. */
export const measuredStore = (store: Store, registry: Registry): Store => {
  const durations = durationHistogram({
    name: 'posthorn_store_duration_seconds',
    help: 'Duration of store calls, by port and operation',
    labelNames: ['port', 'operation'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  })
  const errors = seriesOf(registry).counter(
    'posthorn_store_errors_total',
    'Failed store calls, duplicate keys included, by port and operation',
    ['port', 'operation'],
  )
  const observing =
    (port: string): Observe =>
    (operation, seconds, failed) => {
      durations.observe(port, operation, seconds)
      if (failed) errors.inc({ port, operation })
    }
  const ports = Object.entries(store)
    .filter(([name]) => !(unmeasured as readonly string[]).includes(name))
    .map(([name, port]) => [name, timed(port as object, observing(name))])
  const measured = { ...store, ...Object.fromEntries(ports) } as Store
  const repositories = Object.entries(store.repositories).map(([collection, repository]) => [
    collection,
    timed(repository, observing('records')),
  ])
  return {
    ...measured,
    repositories: Object.fromEntries(repositories) as Repositories,
    deliveries: counted(measured.deliveries, registry),
  }
}
