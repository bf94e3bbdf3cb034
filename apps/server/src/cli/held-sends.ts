import { systemClock } from '@posthorn/adapters-node'
import { holdDeliveries, releaseDeliveries } from '@posthorn/adapters-sqlite'
import type { Core } from '@posthorn/core'
import { databaseIn } from '../data-directory.js'
import { openCommandContext } from './open-command-context.js'

type Environment = Readonly<Record<string, string | undefined>>

const iso = () => systemClock().toISOString()

/** Whatever else is configured: the store is the file. */
const onFile = (environment: Environment): Environment => ({
  ...environment,
  POSTHORN_STORE: 'sqlite',
  MONGODB_URL: undefined,
})

type ReleasedSends = Awaited<ReturnType<Core['restoredSends']['release']>>

export type HeldSends = { readonly campaigns: number; readonly sends: number }

/**
 * Holds back what a server may have sent between the backup and `until`: everything that was under way when the backup was made, and what
 * was due until then. Nothing if that time is not after the backup. No process has the store open.
 */
export const heldSends = async (environment: Environment, createdAt: string, until: Date): Promise<HeldSends> => {
  if (until.getTime() <= Date.parse(createdAt)) return { campaigns: 0, sends: 0 }
  const single = holdDeliveries(databaseIn(environment.POSTHORN_DATA_DIR ?? ''), until.toISOString(), iso())
  const { core, close } = await openCommandContext(onFile(environment))
  try {
    const { campaigns, sends } = await core.restoredSends.hold(until.toISOString())
    return { campaigns, sends: sends + single }
  } finally {
    await close()
  }
}

/** Continues what `heldSends` held back. A server may be running. */
export const releaseHeldSends = async (environment: Environment): Promise<ReleasedSends> => {
  const { core, config, close } = await openCommandContext(onFile(environment))
  try {
    const released = await core.restoredSends.release()
    return { ...released, sends: released.sends + releaseDeliveries(databaseIn(config.dataDir), iso()) }
  } finally {
    await close()
  }
}
