import type { CampaignProgress } from '@posthorn/core'
import { describe, expect, it } from 'vitest'
import { campaignProgressText, progressShare } from '../src/cli/campaigns.js'

const none = { queued: 0, sending: 0, uncertain: 0, sent: 0, failed: 0, excluded: 0 }
const progress = (status: CampaignProgress['status'], deliveries: Partial<CampaignProgress['deliveries']>) =>
  ({ status, deliveries: { ...none, ...deliveries }, excluded: {} }) as CampaignProgress

describe('the progress of a campaign', () => {
  it.each([
    ['nothing of it before its time', progress('scheduled', {}), 0],
    ['nothing of it while nobody has been found yet', progress('being-sent', {}), 0],
    ['the part that is done with', progress('being-sent', { sent: 1, failed: 1, excluded: 1, queued: 1 }), 0.75],
    ['all of it when it has been sent', progress('sent', {}), 1],
  ])('is %s', (_, campaign, share) => {
    expect(progressShare(campaign)).toBe(share)
  })

  it('is shown with the excluded recipients and their reasons', () => {
    expect(campaignProgressText({ ...progress('sent', { sent: 2, excluded: 1 }), excluded: { suppressed: 1 } })).toBe(
      'sent: 2 sent, 0 to go, 0 failed, 1 left out (1 suppressed)',
    )
    expect(
      campaignProgressText({ ...progress('being-sent', { queued: 2 }), waitsFor: 'The day’s quota is used up.' }),
    ).toBe('being-sent: The day’s quota is used up.: 0 sent, 2 to go, 0 failed, 0 left out')
  })
})
