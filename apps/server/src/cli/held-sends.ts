import { systemClock } from '@posthorn/adapters-node'
import type { Core, HeldSendCounts } from '@posthorn/core'
import { openCommandContext } from './open-command-context.js'

type Environment = Readonly<Record<string, string | undefined>>

const iso = () => systemClock().toISOString()

type ReleasedSends = Awaited<ReturnType<Core['restoredSends']['release']>>

/** Holds back what was under way in a restored store, and what was due until then. No server may use the store. */
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

/**
 * Holds back what a server may have sent between the backup and `until`: everything that was under way when the backup was made, and what
 * was due until then. Nothing if that time is not after the backup.
 */
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
