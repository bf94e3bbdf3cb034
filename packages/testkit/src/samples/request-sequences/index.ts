import { heldOutMachines } from './held-out-machines.js'
import { heldOutPeople } from './held-out-people.js'
import { peopleSequences } from './people.js'
import { previewSequences } from './previews.js'
import { proxySequences } from './proxies.js'
import type { RequestSequence } from './request-sequence.js'
import { scannerSequences } from './scanners.js'

export type { LabelledHit, RequestSequence } from './request-sequence.js'

/**
 * What is asked of mails after their delivery by scanners, previews, proxies and people, each request with who made it. Written after what
 * vendors, providers and operators of mail say of them; not recorded.
 */
export const requestSequences: readonly RequestSequence[] = [
  ...scannerSequences,
  ...previewSequences,
  ...proxySequences,
  ...peopleSequences,
]

/** More of them, written from the same kind of sources before the rules were changed. Rules are measured by them and not made on them. */
export const heldOutSequences: readonly RequestSequence[] = [...heldOutMachines, ...heldOutPeople]
