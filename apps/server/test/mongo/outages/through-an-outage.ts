import { afterEach, beforeEach, expect, it } from 'vitest'
import { onMongoDB } from '../../../../../packages/adapters-mongo/test/on-mongodb.js'
import { campaignThrough, type Disturbance } from '../campaign-through.js'
import { startFleet } from '../fleet.js'
import { databaseOn, type OwnServer, startOwnServer } from '../own-server.js'

/** What happens to the database of a campaign. */
export type Outage = {
  /** As a test’s title goes on after “a campaign of two workers”. */
  readonly title: string
  /** Of a server of its own; one of a single member unless given. */
  readonly members?: number
  /** Where the processes reach the server, when not by its own address. */
  readonly reachedBy?: (server: OwnServer, closing: (close: () => Promise<void>) => void) => Promise<string>
  readonly disturb: (server: OwnServer, ...of: Parameters<Disturbance>) => ReturnType<Disturbance>
  /** Why it cannot happen on the server at hand. */
  readonly isOut?: boolean
}

/** The suite of an outage. Each has a file of its own: they wait for most of their time, and do so side by side. */
export const throughAnOutage = ({ title, members, reachedBy, disturb, isOut = false }: Outage): void =>
  onMongoDB('a campaign of two workers', () => {
    let server: OwnServer
    let closing: (() => Promise<void>)[] = []
    beforeEach(async () => {
      server = await startOwnServer(members === undefined ? {} : { members })
      closing = [server.stop]
    })
    afterEach(async () => {
      for (const close of closing) await close()
    })

    it.skipIf(isOut)(
      title,
      async () => {
        const url = (await reachedBy?.(server, (close) => closing.unshift(close))) ?? server.url
        const fleet = await startFleet(databaseOn(url, 'posthorn'))
        closing.unshift(fleet.close)
        await expect(campaignThrough(fleet, (...of) => disturb(server, ...of))).resolves.toBeUndefined()
      },
      400_000,
    )
  })
