import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from '../fault.js'
import { ballastOf } from '../small-disk.js'

/** So far into a file may be written where the disk cannot be made small: hardly. */
const tiny = 65_536

const limit = (pid: number, bytes: number | 'unlimited') =>
  execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`])

/**
 * Nothing more can be written for a while: the data directory is on a small file system that is filled up (ENOSPC), or, where none may
 * be mounted, the process is given a limit to its files (EFBIG). A server that ends for it is started again, as a supervisor would.
 */
export const fullDisk: Fault = {
  name: 'full disk',
  impossible: ({ store }) => (store === 'sqlite' ? undefined : 'the database is on another disk'),
  strike: async (stage) => {
    const { dataDir, random } = stage
    const ballast = ballastOf(dataDir)
    const { pid, child } = stage.server()
    if (ballast) ballast.fill()
    else limit(pid, tiny)
    await pause(random.between(500, 5_000))
    const ended = child.exitCode !== null || child.signalCode !== null
    if (ballast) ballast.drop()
    else if (!ended) limit(pid, 'unlimited')
    if (!ended) return 0
    await stage.quiet()
    const { sent } = await stage.counts()
    const { recipients } = await stage.sink.report()
    await stage.start()
    return recipients - sent
  },
}
