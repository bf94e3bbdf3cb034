import { systemClock } from '@posthorn/adapters-node'
import type { Core, HeldSendCounts } from '@posthorn/core'
import { openCommandContext } from './open-command-context.js'

type Environment = Readonly<Record<string, string | undefined>>

const iso = () => systemClock().toISOString()

type ReleasedSends = Awaited<ReturnType<Core['restoredSends']['release']>>

/** What was under way, or due until then. No server may use the store. */
export const holdSends = async (environment: Environment, until: Date): Promise<HeldSendCounts> => {
  const { core, heldMails, close } = await openCommandContext(environment)
  try {
    const mails = await heldMails.hold(until.toISOString(), iso())
    const { campaigns, sends } = await core.restoredSends.hold(until.toISOString())
    return { campaigns, sends: sends + mails }
  } finally {
    await close()
  }
}

/** What a server may have sent between the backup and `until`. */
export const holdSendsSinceBackup = async (
  environment: Environment,
  createdAt: string,
  until: Date,
): Promise<HeldSendCounts> =>
  until.getTime() <= Date.parse(createdAt)
    ? { campaigns: 0, sends: 0 }
    : // The file decides, not the configuration.
      holdSends({ ...environment, POSTHORN_STORE: 'sqlite', MONGODB_URL: undefined }, until)

/** Continues what was held back. A server may be running. */
export const releaseHeldSends = async (environment: Environment): Promise<ReleasedSends> => {
  const { core, heldMails, close } = await openCommandContext(environment)
  try {
    const released = await core.restoredSends.release()
    return { ...released, sends: released.sends + (await heldMails.release(iso())) }
  } finally {
    await close()
  }
}
