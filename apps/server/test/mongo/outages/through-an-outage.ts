import { campaignThrough, type Disturbance } from '../campaign-through.js'
import { startFleet } from '../fleet.js'
import { databaseOn, type OwnServer, startOwnServer } from '../own-server.js'

/** Milliseconds that a campaign through an outage may take. */
export const patience = 400_000

/** What happens to the database of a campaign, which has a server of its own. */
export type Outage = {
  /** Members of the server's replica set; one unless given. */
  readonly members?: number
  /** Where the processes reach the server, when not by its own address. */
  readonly reachedBy?: (server: OwnServer, closing: (close: () => Promise<void>) => void) => Promise<string>
  readonly disturb: (server: OwnServer, ...of: Parameters<Disturbance>) => ReturnType<Disturbance>
}

/** As `campaignThrough`. Each outage has a file of its own: they wait for most of their time, and do so side by side. */
export const throughAnOutage = async ({ members, reachedBy, disturb }: Outage): Promise<void> => {
  const server = await startOwnServer(members === undefined ? {} : { members })
  const closing = [server.stop]
  try {
    const url = (await reachedBy?.(server, (close) => closing.unshift(close))) ?? server.url
    const fleet = await startFleet(databaseOn(url, 'posthorn'))
    closing.unshift(fleet.close)
    await campaignThrough(fleet, (...of) => disturb(server, ...of))
  } finally {
    for (const close of closing) await close()
  }
}
