import type { Fault } from '../fault.js'
import { clockJump } from './clock-jump.js'
import { fullDisk } from './full-disk.js'
import { kill } from './kill.js'
import { outage } from './outage.js'
import { slow } from './slow.js'
import { terminate } from './terminate.js'
import { throttling } from './throttling.js'

/** All that may happen, a line each. */
export const faults: readonly Fault[] = [kill, terminate, outage, throttling, slow, fullDisk, clockJump]
