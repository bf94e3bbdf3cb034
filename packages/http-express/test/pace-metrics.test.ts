import type { ChannelPace } from '@posthorn/core/ports'
import { describe, expect, it } from 'vitest'
import { httpMetrics, paceMetrics } from '../src/index.js'

describe('the metrics of channels', () => {
  it('tell the pace of each, whether it is limited or not, and forget who no longer sends', async () => {
    let now: readonly ChannelPace[] = [
      { channel: { account: 'server' }, handedPerSecond: 40 },
      { channel: { account: 'project', projectId: 'p1', region: 'eu-west-1' }, handedPerSecond: 14, ratePerSecond: 14 },
    ]
    const metrics = httpMetrics()
    paceMetrics(metrics, async () => now)
    const lines = async () =>
      (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('posthorn_channel_'))
    expect((await lines()).toSorted()).toEqual([
      'posthorn_channel_handed_per_second{channel="project:p1:eu-west-1"} 14',
      'posthorn_channel_handed_per_second{channel="server"} 40',
      'posthorn_channel_rate_per_second{channel="project:p1:eu-west-1"} 14',
    ])
    now = []
    expect(await lines()).toEqual([])
  })
})
