import { setTimeout as pause } from 'node:timers/promises'
import { startCampaign } from '../bench/bed/campaign.js'
import type { Fault } from './fault.js'
import type { Counts, Stage } from './stage.js'
import { startSteadySender } from './steady-sender.js'

export type Outcome = {
  /** Mails that may have gone twice by what happened. */
  readonly inDoubt: number
  /** Mails of the campaign that came more than once. */
  readonly twice: number
  /** Recipients without a mail, and acknowledged transactional mails that never came. */
  readonly lost: number
  /** Transactional mails that were acknowledged. */
  readonly acknowledged: number
  /** What did not hold. */
  readonly broken: readonly string[]
}

/** How long nothing may move until the clock is put ahead, in milliseconds; and by how much, doubled until something moves. */
const patience = 2_000
const firstSkip = 15_000
const longestSkip = 15 * 60_000
/** After so much of the server's time without a move, a campaign is stuck: longer than any wait of the engine. */
const stuckAfter = 4 * 60 * 60_000

const isOver = (status: unknown, { queued, sending, uncertain }: Counts) =>
  status === 'sent' && queued + sending + uncertain === 0

type Expected = { readonly creditsBefore: number; readonly acknowledged: readonly string[] }

/** Whether every mail that was accepted has come, transactional ones included whose answer was lost. */
const allCame = async (stage: Stage, { creditsBefore, acknowledged }: Expected): Promise<boolean> => {
  const taken = await stage.sink.taken()
  return acknowledged.every((address) => taken.has(address)) && creditsBefore - (await stage.credits()) === taken.size
}

/**
 * Waits until the campaign is sent, none of its deliveries is open and all transactional mails have come, and skips what is only
 * waiting: back-off, leases. What has not come when nothing has moved for hours of the server's time is left to be judged.
 * @throws Error where the server has ended, the campaign has failed, or is stuck
 */
const finished = async (stage: Stage, expected: Expected): Promise<void> => {
  let [mails, since, skip, skipped] = [-1, performance.now(), firstSkip, 0]
  for (;;) {
    const { child, printed } = stage.server()
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The server ended by itself: ${printed().slice(-500)}`)
    const report = await stage.sink.report()
    if (report.mails !== mails) [mails, since, skip, skipped] = [report.mails, performance.now(), firstSkip, 0]
    if (performance.now() - since > patience) {
      const { status, errorMessage } = await stage.api().get(`/campaigns/${stage.campaign()}`)
      if (status === 'error') throw new Error(`The campaign failed: ${String(errorMessage)}`)
      const counts = await stage.counts()
      const isDone = isOver(status, counts)
      if (isDone && (skipped > stuckAfter || (await allCame(stage, expected)))) return
      if (skipped > stuckAfter) throw new Error(`The campaign is stuck: ${String(status)}, ${JSON.stringify(counts)}`)
      stage.moveClock(skip)
      skipped += skip
      skip = Math.min(longestSkip, 2 * skip)
      since = performance.now()
    }
    await pause(100)
  }
}

const isReader = (address: string) => address.startsWith('reader')

/** What did not hold when all is over. */
const judged = async (
  stage: Stage,
  { creditsBefore, acknowledged, inDoubt }: Expected & { readonly inDoubt: number },
): Promise<Outcome> => {
  const { recipients } = stage
  const taken = await stage.sink.taken()
  const readers = [...taken].filter(([address]) => isReader(address))
  const twice = readers.reduce((sum, [, times]) => sum + times - 1, 0)
  const lostReaders = Array.from({ length: recipients }, (_, n) => `reader${n}@example.com`).filter(
    (address) => !taken.has(address),
  )
  const lostReceipts = acknowledged.filter((address) => !taken.has(address))
  stage.setClockRight()
  // The server looks at its clock twenty times a second.
  await pause(200)
  const counts = await stage.counts()
  const { sent: counted } = await stage.api().get(`/campaigns/${stage.campaign()}/stats`)
  const used = creditsBefore - (await stage.credits())
  const broken = [
    ...(lostReaders.length > 0 ? [`${lostReaders.length} recipients got nothing, such as ${lostReaders[0]}`] : []),
    ...(lostReceipts.length > 0 ? [`${lostReceipts.length} acknowledged mails never came`] : []),
    ...(twice > inDoubt ? [`${twice} mails came twice, and ${inDoubt} were in doubt`] : []),
    ...(counts.sent === recipients ? [] : [`the ledger counts ${JSON.stringify(counts)}`]),
    ...(counted === recipients ? [] : [`the statistics count ${String(counted)} sent`]),
    ...(used === taken.size ? [] : [`${used} credits were used for ${taken.size} mails`]),
  ]
  return { inDoubt, twice, lost: lostReaders.length + lostReceipts.length, acknowledged: acknowledged.length, broken }
}

/** A campaign to everybody, those faults at moments of their own, and what is left of the promises. Its server is running when it begins. */
export const runCampaign = async (stage: Stage, faults: readonly Fault[]): Promise<Outcome> => {
  const { recipients, random } = stage
  const creditsBefore = await stage.credits()
  const moments = faults
    .map(() => random.between(Math.ceil(recipients / 100), Math.floor(recipients * 0.85)))
    .sort((a, b) => a - b)
  stage.plan(await startCampaign(stage.api(), stage.listId))
  const sender = await startSteadySender(stage)
  let inDoubt = 0
  let acknowledged: readonly string[] = []
  try {
    for (const [i, fault] of faults.entries()) {
      await stage.taken(moments[i] ?? 0)
      inDoubt += await fault.strike(stage)
    }
  } finally {
    acknowledged = await sender.stop()
  }
  await finished(stage, { creditsBefore, acknowledged })
  return judged(stage, { creditsBefore, inDoubt, acknowledged })
}
