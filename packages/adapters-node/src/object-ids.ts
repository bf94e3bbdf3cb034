import { randomBytes } from 'node:crypto'
import type { Clock, NewId } from '@posthorn/core/ports/runtime'

const counterMax = 0x1000000

/**
 * Seconds, five random bytes of the process, a counter, in 24 hexadecimal digits. Increasing within a process, unique between processes.
 */
export const objectIdGenerator = (clock: Clock): NewId => {
  const own = randomBytes(5).toString('hex')
  let counter = randomBytes(2).readUInt16BE(0)
  let latest = 0
  return () => {
    counter += 1
    latest = Math.max(latest, Math.floor(clock().getTime() / 1000))
    if (counter >= counterMax) {
      counter = 0
      latest += 1
    }
    return latest.toString(16).padStart(8, '0') + own + counter.toString(16).padStart(6, '0')
  }
}
