import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** In ms. Copies and file systems round times. */
const mostAhead = 5_000

const writtenAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Call before anything is written to the directory. */
export const clockSetBackWarning = (directory: string, now: Date): string | undefined => {
  try {
    const newest = Math.max(
      ...[directory, ...readdirSync(directory).map((name) => join(directory, name))].map(writtenAt),
    )
    const behind = newest - now.getTime()
    if (behind <= mostAhead) return undefined
    return `The clock of this machine is ${Math.round(behind / 1_000)} s behind the last write to the data directory. It was set back, or was ahead before.`
  } catch {
    return undefined
  }
}
