import type { Step } from '../ledger/step.js'

/** How long a step may take, in milliseconds, before a sweep thinks its process dead. It does no harm when that is wrong. */
export const patience = 20_000

/** In epoch milliseconds; of one that a sweep has taken: when that was. */
export const begunAt = ({ sweepAt }: Step): number => sweepAt.getTime() - patience
