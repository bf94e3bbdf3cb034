import { describe, expect, it } from 'vitest'
import { type Congestion, nextCongestion } from '../../../src/sending/channels/congestion.js'

describe('the background share of throttled mails', () => {
  it('stays below a half, however long everything is throttled', () => {
    let known: Congestion | undefined = {
      ...{ limit: 1, background: 0.4, mode: { kind: 'steady' }, cleanPeriods: 0, probedAt: 0, throttledAt: 0 },
    }
    let tried = 0
    for (let second = 1; second < 60 && known; second += 1) {
      const answered = Math.max(1, Math.floor(known.limit))
      tried += answered
      known = nextCongestion(known, { answered, throttled: answered, seconds: 1 }, second, 50)
      expect(known?.background).toBeLessThanOrEqual(0.5)
    }
    expect(tried).toBeLessThan(100)
  })
})
