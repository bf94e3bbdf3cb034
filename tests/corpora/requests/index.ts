import { heldOutMachines } from './held-out-machines.js'
import { heldOutPeople } from './held-out-people.js'
import { peopleSequences } from './people.js'
import { previewSequences } from './previews.js'
import { proxySequences } from './proxies.js'
import type { RequestSequence } from './request-sequence.js'
import { scannerSequences } from './scanners.js'

export type { LabelledHit, RequestSequence } from './request-sequence.js'

/**
 * Requests after the delivery of mails by scanners, previews, proxies and people, each labelled with its author. They are written from
 * descriptions by vendors, providers and mail operators, not recorded.
 */
export const requestSequences: readonly RequestSequence[] = [
  ...scannerSequences,
  ...previewSequences,
  ...proxySequences,
  ...peopleSequences,
]

/**
 * Sequences from the same kinds of sources, written before the rules were changed. The rules are measured with them, not written for them.
 */
export const heldOutSequences: readonly RequestSequence[] = [...heldOutMachines, ...heldOutPeople]
