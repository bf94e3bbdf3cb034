import type { Delivery } from '@posthorn/core/ports/storage'
import { type Packed, packed, unpacked } from './packing.js'
import type { Effects, Move, Plan, Step } from './step.js'

type StoredEffects = Omit<Effects, 'deliveries'> & { readonly rows?: Packed }
type StoredMove = Omit<Move, 'brings'> & { readonly brings?: StoredEffects }

/** A plan whose many deliveries (`rows`) and moves (`outcomes`) are packed. */
type StoredPlan = Omit<Plan, 'lock' | 'about' | 'moves' | 'brings'> & {
  readonly brings?: StoredEffects
  readonly moves?: readonly StoredMove[]
  readonly outcomes?: Packed
}

export type StoredStep = Omit<Step, 'plan'> & { readonly plan: StoredPlan }

const storedEffects = ({ deliveries = [], ...effects }: Effects): StoredEffects => ({
  ...effects,
  ...(deliveries.length > 0 && { rows: packed(deliveries) }),
})

const effectsOf = ({ rows, ...effects }: StoredEffects): Effects => ({
  ...effects,
  ...(rows && { deliveries: unpacked(rows) as readonly Delivery[] }),
})

const storedMove = ({ brings, ...move }: Move): StoredMove => ({
  ...move,
  ...(brings && { brings: storedEffects(brings) }),
})
const moveOf = ({ brings, ...move }: StoredMove): Move => ({ ...move, ...(brings && { brings: effectsOf(brings) }) })

export const storedStep = ({ plan: { moves = [], brings, ...plan }, ...step }: Step): StoredStep => {
  const outcomes = moves.filter((move) => move.in === 'deliveries')
  const others = moves.filter((move) => move.in !== 'deliveries')
  return {
    ...step,
    plan: {
      ...plan,
      ...(brings && { brings: storedEffects(brings) }),
      ...(others.length > 0 && { moves: others.map(storedMove) }),
      ...(outcomes.length > 0 && { outcomes: packed(outcomes) }),
    },
  }
}

export const stepOf = ({ plan: { moves = [], outcomes, brings, ...plan }, ...step }: StoredStep): Step => {
  const all = [...moves.map(moveOf), ...(outcomes ? (unpacked(outcomes) as unknown as readonly Move[]) : [])]
  return {
    ...step,
    plan: { ...plan, ...(brings && { brings: effectsOf(brings) }), ...(all.length > 0 && { moves: all }) },
  }
}
