import type { Step } from '../ledger/step.js'

/** A sweep takes a step over after 20 s, in ms. Harmless if its process is still alive. */
export const patience = 20_000

/** In epoch milliseconds. For a step that a sweep took over: the time of that. */
export const begunAt = ({ sweepAt }: Step): number => sweepAt.getTime() - patience
