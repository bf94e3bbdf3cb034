import { campaignStatuses } from '@posthorn/core/ports/storage'
import { aCampaign } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CampaignStatus } from '../../src/campaigns/campaign.js'
import { assertOpenToChange, type CampaignMove, campaignMoves, moveCampaign } from '../../src/campaigns/campaign.js'

const now = '2026-01-06T13:00:00.000Z'

/** Written out by hand, so that a change of the table is a change of this test. */
const allowed: Readonly<Record<CampaignStatus, readonly CampaignMove[]>> = {
  draft: ['draft', 'archive', 'schedule'],
  archive: ['draft', 'archive', 'schedule'],
  scheduled: ['draft', 'archive', 'schedule', 'start', 'fail'],
  'being-sent': ['finish', 'fail'],
  sent: ['draft', 'archive', 'schedule', 'retry'],
  error: ['draft', 'archive', 'schedule', 'retry'],
}

/** What it comes to: the value, or the refusal's message. */
const outcomeOf = (attempt: () => string): string => {
  try {
    return attempt()
  } catch (error) {
    return (error as Error).message
  }
}

describe('a campaign', () => {
  const moves = Object.keys(campaignMoves) as CampaignMove[]

  for (const status of campaignStatuses)
    for (const move of moves)
      it(`in status ${status} ${allowed[status].includes(move) ? 'takes' : 'refuses'} the move ${move}`, () => {
        const expected = allowed[status].includes(move)
          ? campaignMoves[move].to
          : `A campaign in status ${status} cannot become ${campaignMoves[move].to}.`
        expect(outcomeOf(() => moveCampaign(aCampaign({ status }), move, now).status)).toBe(expected)
      })

  it('loses its error with the next move', () => {
    expect(moveCampaign(aCampaign({ status: 'error', errorMessage: 'No credit' }), 'draft', now)).not.toHaveProperty(
      'errorMessage',
    )
  })

  it('reaches only statuses of the specification, for any sequence of moves', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...moves)), (asked) => {
        const end = asked.reduce((current, move) => {
          try {
            return moveCampaign(current, move, now)
          } catch {
            return current
          }
        }, aCampaign())
        expect(campaignStatuses).toContain(end.status)
      }),
    )
  })
})

describe('a scheduled campaign', () => {
  const scheduled = aCampaign({ status: 'scheduled', scheduledTo: '2026-01-06T13:06:00.000Z' })

  it('can be changed until 6 minutes before its time', () => {
    expect(() => assertOpenToChange(scheduled, new Date('2026-01-06T12:59:59.999Z'))).not.toThrow()
  })

  it('cannot be changed or unscheduled afterwards', () => {
    expect(() => assertOpenToChange(scheduled, new Date('2026-01-06T13:00:00.000Z'))).toThrow('within 5 minutes')
  })

  it('cannot be changed while it is being sent, whatever its scheduled time', () => {
    expect(() =>
      assertOpenToChange(aCampaign({ status: 'being-sent', scheduledTo: '2025-01-01T00:00:00.000Z' }), new Date(now)),
    ).toThrow('being sent')
  })
})
