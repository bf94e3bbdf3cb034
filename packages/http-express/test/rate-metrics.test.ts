import type { ChannelRate } from '@posthorn/core/ports/transport'
import { describe, expect, it } from 'vitest'
import { httpMetrics, registerSendRateGauges } from '../src/index.js'

describe('the metrics of channels', () => {
  it('report the rate of each, projects’ own accounts combined by region, and drop idle channels', async () => {
    let now: readonly ChannelRate[] = [
      { channel: { account: 'server' }, handedPerSecond: 40 },
      { channel: { account: 'project', projectId: 'p1', region: 'eu-west-1' }, handedPerSecond: 14, ratePerSecond: 14 },
      { channel: { account: 'project', projectId: 'p2', region: 'eu-west-1' }, handedPerSecond: 2, ratePerSecond: 50 },
    ]
    const metrics = httpMetrics()
    registerSendRateGauges(metrics, async () => now)
    const lines = async () =>
      (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('posthorn_channel_'))
    expect((await lines()).toSorted()).toEqual([
      'posthorn_channel_handed_per_second{channel="project:eu-west-1"} 16',
      'posthorn_channel_handed_per_second{channel="server"} 40',
      'posthorn_channel_rate_per_second{channel="project:eu-west-1"} 64',
    ])
    now = []
    expect(await lines()).toEqual([])
  })
})
