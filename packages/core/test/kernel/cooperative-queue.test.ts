import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { cooperativeQueue, largeTextThreshold } from '../../src/kernel/cooperative-queue.js'

const start = () => {
  const order: string[] = []
  const large = cooperativeQueue(async () => {
    order.push('others')
    await setImmediate()
  })
  const does = (name: string) => async () => {
    order.push(name)
    await setImmediate()
    order.push(`${name} done`)
    return name
  }
  return { order, large, does }
}

describe('steps over large texts', () => {
  it('run one at a time, projects in turn, with other work in between', async () => {
    const { order, large, does } = start()
    await Promise.all([large.step('a', does('a1')), large.step('a', does('a2')), large.step('b', does('b1'))])
    expect(order).toEqual(
      ['a1', 'a2', 'b1'].sort((x, y) => order.indexOf(x) - order.indexOf(y)).flatMap((n) => ['others', n, `${n} done`]),
    )
  })

  it('run at once for small texts', async () => {
    const { order, large, does } = start()
    expect(await large.stepOver(largeTextThreshold, 'a', does('small'))).toBe('small')
    await large.stepOver(largeTextThreshold + 1, 'a', does('large'))
    expect(order).toEqual(['small', 'small done', 'others', 'large', 'large done'])
  })

  it('wait for a record until it is known to be small, and again when it has grown', async () => {
    const { order, large, does } = start()
    let size = 10
    const get = async () => {
      await does('read')()
      return { _id: 'id', projectId: 'a', document: 'x'.repeat(size), createdAt: '', updatedAt: '' }
    }
    const read = () => large.get({ get }, 'id', 'a')
    await read()
    expect(order.shift()).toBe('others')
    await read()
    expect(order).not.toContain('others')
    size = largeTextThreshold + 1
    await read()
    await read()
    expect(order.filter((one) => one === 'others')).toHaveLength(1)
  })

  it('continue after one fails', async () => {
    const { large } = start()
    await expect(large.step('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await large.step('a', async () => 1)).toBe(1)
  })
})
