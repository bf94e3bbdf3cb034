import { without } from '@posthorn/core/ports/runtime'
import { type Deliveries, type Delivery, type Dispatch, deliveryStatuses } from '@posthorn/core/ports/storage'
import { sameData } from './checksum.js'
import { type CopyEnds, CopyFailure, inPages } from './stores.js'

/** Deliveries per write. */
const pageSize = 500
/** Dispatches copied at once. */
const atOnce = 20

/** Cursor of an unfinished copy: the last status and delivery. */
const placeOf = ({ status, _id }: Delivery) => `copied ${deliveryStatuses.indexOf(status)} ${_id}`
const isPlace = (cursor: string | undefined) => cursor === undefined || cursor.startsWith('copied ')

/** By status, always in the same order. */
const deliveriesOf = async function* (
  deliveries: Pick<Deliveries, 'each'>,
  dispatchId: string,
): AsyncGenerator<Delivery> {
  for (const status of deliveryStatuses) yield* deliveries.each(dispatchId, status)
}

/** Skips what an interrupted copy wrote. */
const after = async function* (all: AsyncIterable<Delivery>, place: string | undefined): AsyncGenerator<Delivery> {
  let passed = place === undefined
  for await (const one of all) {
    if (passed) yield one
    passed ||= placeOf(one) === place
  }
}

/** Each page in one step with the next cursor, as a fan-out does. */
const copyInPages = async (
  { from, to }: CopyEnds,
  dispatch: Dispatch,
  cursor: string | undefined,
  copied: (n: number) => void,
) => {
  let place = cursor
  for await (const page of inPages(after(deliveriesOf(from.deliveries, dispatch._id), place), pageSize)) {
    const last = page.at(-1)
    const next = last && placeOf(last)
    const moved =
      next !== undefined &&
      (await to.deliveries.expand({
        dispatchId: dispatch._id,
        after: place,
        cursor: next,
        stage: 'expanding',
        deliveries: page,
        creditsHeld: dispatch.creditsHeld,
        now: dispatch.progressAt,
      }))
    if (!moved) throw new CopyFailure(`Another copy, or a server, is at work on dispatch ${dispatch._id}.`)
    place = next
    copied(page.length)
  }
  await to.repositories.dispatches.change({ _id: dispatch._id }, () => dispatch)
}

const copyDispatch = async (ends: CopyEnds, dispatch: Dispatch, copied: (n: number) => void): Promise<void> => {
  const { from, to } = ends
  const there = await to.repositories.dispatches.get({ _id: dispatch._id })
  if (there && sameData(there, dispatch)) return
  if (there && !(there.stage === 'expanding' && isPlace(there.cursor)))
    throw new CopyFailure(
      `Dispatch ${dispatch._id} has moved on since an earlier copy. Copy to an empty database instead.`,
    )
  if (there) return copyInPages(ends, dispatch, there.cursor, copied)
  const all = inPages(deliveriesOf(from.deliveries, dispatch._id), pageSize)
  const { value: first = [] } = await all.next()
  await all.return(undefined)
  if (first.length < pageSize) {
    await to.deliveries.accept({ dispatch, deliveries: first, takes: [] })
    copied(first.length)
    return
  }
  const begun: Dispatch = { ...(without(dispatch, 'cursor') as Dispatch), stage: 'expanding' }
  await to.deliveries.accept({ dispatch: begun, deliveries: [], takes: [] })
  await copyInPages(ends, dispatch, undefined, copied)
}

/** Small dispatches in one step, large ones in pages. */
export const copyLedger = async (ends: CopyEnds, projectId: string, copied: (n: number) => void): Promise<void> => {
  for await (const page of inPages(ends.from.repositories.dispatches.each({ projectId }), atOnce))
    await Promise.all(page.map((dispatch) => copyDispatch(ends, dispatch, copied)))
}

export const deliveriesOfProject = async function* (
  { repositories, deliveries }: CopyEnds['from'],
  projectId: string,
): AsyncGenerator<Delivery> {
  for await (const { _id } of repositories.dispatches.each({ projectId })) yield* deliveriesOf(deliveries, _id)
}
