import type { Delivery } from '@posthorn/core/ports/storage'
import { type Packed, packed, unpacked } from './packing.js'
import type { Effects, Move, Plan, Step } from './step.js'

type StoredEffects = Omit<Effects, 'deliveries'> & { readonly rows?: Packed; readonly deliveries?: readonly Delivery[] }
type StoredMove = Omit<Move, 'brings'> & { readonly brings?: StoredEffects }

/** A plan whose many deliveries (`rows`) and moves (`outcomes`) are packed. */
type StoredPlan = Omit<Plan, 'lock' | 'about' | 'moves' | 'brings'> & {
  readonly brings?: StoredEffects
  readonly moves?: readonly StoredMove[]
  readonly outcomes?: Packed
}

/** Older versions write `due` instead of `sweepAt`. Their sweeps query `due`, so they leave alone steps that they could not read. */
export type StoredStep = Omit<Step, 'plan' | 'sweepAt'> & {
  readonly sweepAt?: Date
  readonly due?: Date
  readonly plan: StoredPlan
}

const storedEffects = ({ deliveries = [], ...effects }: Effects): StoredEffects => ({
  ...effects,
  ...(deliveries.length > 0 && { rows: packed(deliveries) }),
})

const effectsOf = ({ rows, deliveries = [], ...effects }: StoredEffects): Effects => {
  const all = [...deliveries, ...(rows ? (unpacked(rows) as readonly Delivery[]) : [])]
  return { ...effects, ...(all.length > 0 && { deliveries: all }) }
}

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

export const stepOf = ({
  due,
  sweepAt = due,
  plan: { moves = [], outcomes, brings, ...plan },
  ...step
}: StoredStep): Step => {
  const all = [...moves.map(moveOf), ...(outcomes ? (unpacked(outcomes) as unknown as readonly Move[]) : [])]
  return {
    ...step,
    sweepAt: sweepAt ?? new Date(0),
    plan: { ...plan, ...(brings && { brings: effectsOf(brings) }), ...(all.length > 0 && { moves: all }) },
  }
}
