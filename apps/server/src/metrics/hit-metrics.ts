import { type HitMeter, hitDrops } from '@posthorn/core/ports/runtime'
import { Counter, Gauge, type Registry } from 'prom-client'

const kinds = ['open', 'click', 'trap'] as const
const judges = ['person', 'machine'] as const
const places = ['copy', 'store'] as const

/** Counts requests for images and links of mails by result, and where link tables were read. */
export const hitMetrics = (registry: Registry): HitMeter & { readonly linksRead: (from: 'copy' | 'store') => void } => {
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const taken = counter('posthorn_hits_total', 'Requests for images and links of mails that were heard, by kind', [
    'kind',
  ])
  const judged = counter(
    'posthorn_hits_judged_total',
    'Requests for images and links of mails that were recorded, by kind and who made them',
    ['kind', 'by'],
  )
  const refused = counter('posthorn_hits_refused_total', 'Requests for images and links that nobody here has signed')
  const unavailable = counter(
    'posthorn_links_unavailable_total',
    'Requests for links of mails that were refused with 503, as where they lead could not be read',
  )
  const dropped = counter('posthorn_hits_dropped_total', 'Requests for images and links that are not counted, by why', [
    'reason',
  ])
  const unjournaled = counter(
    'posthorn_hits_unjournaled_total',
    'Requests for images and links that were heard and could not be kept in the data directory',
  )
  const takenOver = counter(
    'posthorn_hits_taken_over_total',
    'Requests for images and links that were taken over from processes that had ended',
  )
  const linksRead = counter(
    'posthorn_link_tables_read_total',
    'Tables of links that were read on MongoDB, by where: a copy in the data directory, or the store',
    ['from'],
  )
  for (const kind of kinds) {
    taken.inc({ kind }, 0)
    for (const by of judges) judged.inc({ kind, by }, 0)
  }
  for (const reason of hitDrops) dropped.inc({ reason }, 0)
  for (const from of places) linksRead.inc({ from }, 0)
  return {
    taken: (kind) => taken.inc({ kind }),
    judged: (kind, by) => judged.inc({ kind, by }),
    refused: () => refused.inc(),
    unavailable: () => unavailable.inc(),
    dropped: (reason, n) => dropped.inc({ reason }, n),
    unjournaled: () => unjournaled.inc(),
    takenOver: (n) => takenOver.inc(n),
    linksRead: (from) => linksRead.inc({ from }),
  }
}

type Waiting = { readonly hits: () => number; readonly journalBytes: () => number }

/** Adds the hits that this process has not stored yet. */
export const waitingHitMetrics = (registry: Registry, { hits, journalBytes }: Waiting): void => {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  gauge('posthorn_hits_waiting', 'Opens and clicks that this process has still to record', hits)
  gauge('posthorn_hit_journal_bytes', 'Bytes that this process has in its journal of opens and clicks', journalBytes)
}
