import type { Hit } from '../tracking/machines.js'

/** Why a request is not recorded: too many hits are waiting, or one mail had too many requests. */
export const hitDrops = ['queue-full', 'mail-flooded'] as const
export type HitDrop = (typeof hitDrops)[number]

/** Receives the fate of requests for images and links, for counting. Must return at once and never throw. */
export type HitMeter = {
  readonly taken: (kind: Hit['kind']) => void
  /** The hit was recorded as a person's or a machine's. */
  readonly judged: (kind: Hit['kind'], by: 'person' | 'machine') => void
  /** The signature is invalid, or the link table does not exist. */
  readonly refused: () => void
  /** A link's target could not be read. */
  readonly unavailable: () => void
  readonly dropped: (why: HitDrop, n: number) => void
  /** The hit could not be journaled: it is lost if the process is killed before recording it. */
  readonly unjournaled: () => void
  /** Number of hits taken over from processes that have ended. */
  readonly takenOver: (n: number) => void
}

/** Counts nothing. */
export const noHitMeter: HitMeter = {
  taken: () => {},
  judged: () => {},
  refused: () => {},
  unavailable: () => {},
  dropped: () => {},
  unjournaled: () => {},
  takenOver: () => {},
}
