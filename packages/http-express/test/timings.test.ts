import { Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { durationHistogram } from '../src/metrics.js'

it('timings produce the same output as prom-client’s histogram', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const options = {
    name: 'a_seconds',
    help: 'How long, by "what"',
    labelNames: ['route', 'status'] as const,
    buckets: [0.1, 1],
  }
  const own = durationHistogram({ ...options, registers: [ours] })
  const usual = new Histogram({ ...options, registers: [theirs] })
  for (const [route, status, seconds] of [
    ['a', '200', 0.1],
    ['a', '200', 0.5],
    ['a', '404', 7],
    ['__proto__', '"\n', 0],
  ] as const) {
    own.observe(route, status, seconds)
    usual.observe({ route, status }, seconds)
  }
  const lines = async (registry: Registry) => (await registry.metrics()).split('\n').toSorted()
  expect(await lines(ours)).toEqual(await lines(theirs))
  expect((await ours.getMetricsAsJSON())[0]?.type).toBe((await theirs.getMetricsAsJSON())[0]?.type)
})
