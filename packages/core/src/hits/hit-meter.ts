import type { Hit } from '../tracking/machines.js'

/** Why something that was asked for is not heard: too much waits, or too much was asked for of one mail. */
export const hitDrops = ['queue-full', 'mail-flooded'] as const
export type HitDrop = (typeof hitDrops)[number]

/** Hears what becomes of requests for images and links, for whoever counts it. It answers at once, and throws nothing. */
export type HitMeter = {
  readonly taken: (kind: Hit['kind']) => void
  /** It is recorded, as a person's or a machine's. */
  readonly judged: (kind: Hit['kind'], by: 'person' | 'machine') => void
  /** Nobody here has signed it, or its table is gone. */
  readonly refused: () => void
  /** Where a link leads could not be read. */
  readonly unavailable: () => void
  readonly dropped: (why: HitDrop, n: number) => void
  /** It was heard, and is lost where the process is killed before it is recorded. */
  readonly unjournaled: () => void
  /** So many were taken over from processes that had ended. */
  readonly takenOver: (n: number) => void
}

/** Nobody counts. */
export const noHitMeter: HitMeter = {
  taken: () => {},
  judged: () => {},
  refused: () => {},
  unavailable: () => {},
  dropped: () => {},
  unjournaled: () => {},
  takenOver: () => {},
}
