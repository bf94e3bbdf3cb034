import { dispatchMoves, moveDispatch } from '@posthorn/core/ports/storage'
import { aDispatch } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { DispatchMove, DispatchStage } from '../../../src/sending/ledger/dispatch.js'

const now = '2026-01-06T13:00:00.000Z'
const earlier = '2026-01-06T12:00:00.000Z'

/** Written out by hand, so that a change of the table is a change of this test. */
const after: Readonly<Record<DispatchStage, Partial<Record<DispatchMove, DispatchStage>>>> = {
  single: {},
  held: { begin: 'expanding', stop: 'stopped' },
  expanding: { send: 'sending', stop: 'stopped' },
  sending: { putOff: 'finishing', finish: 'finished', stop: 'stopped' },
  finishing: { finish: 'finished', stop: 'stopped', retry: 'sending' },
  finished: { retry: 'sending' },
  stopped: {},
}

describe('a dispatch', () => {
  for (const stage of Object.keys(after) as DispatchStage[])
    for (const move of Object.keys(dispatchMoves) as DispatchMove[]) {
      const to = after[stage][move]
      it(`that is ${stage}, asked to ${move}, is ${to ?? stage}`, () => {
        const before = aDispatch({ stage, finishedAt: earlier, updatedAt: earlier })
        const moved = moveDispatch(before, move, now)
        const isEnd = to === 'finished' || to === 'stopped'
        const { finishedAt: _, ...rest } = before
        const progress = move === 'retry' ? { progressAt: now } : {}
        const wanted = { ...rest, ...progress, stage: to, updatedAt: now, ...(isEnd && { finishedAt: now }) }
        expect(moved).toMatchObject(to === undefined ? before : wanted)
        expect(moved.finishedAt).toBe(to === undefined ? earlier : wanted.finishedAt)
      })
    }
})
