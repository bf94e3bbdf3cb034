import { describe, expect, it } from 'vitest'
import { fairWindow } from '../../src/kernel/fair-window.js'

const windowOf = (size: number, chunk: number) => {
  const begun: (readonly string[])[] = []
  return { begun, ...fairWindow<string>({ size, chunk, begin: (items) => begun.push(items) }) }
}

const many = (name: string, n: number) => Array.from({ length: n }, (_, index) => `${name}${index + 1}`)

describe('a window', () => {
  it('begins no more than its size until some are over', () => {
    const { begun, add, done } = windowOf(5, 3)
    add('a', many('a', 9))
    expect(begun).toEqual([
      ['a1', 'a2', 'a3'],
      ['a4', 'a5'],
    ])
    done(1)
    expect(begun.at(-1)).toEqual(['a6'])
    done(4)
    expect(begun.flat()).toEqual(many('a', 9).slice(0, 9))
  })

  it('lets keys take turns', () => {
    const { begun, add, done } = windowOf(2, 2)
    add('a', many('a', 6))
    add('b', many('b', 2))
    done(2)
    done(2)
    expect(begun).toEqual([
      ['a1', 'a2'],
      ['a3', 'a4'],
      ['b1', 'b2'],
    ])
  })

  it('starts added items at once if there is room', () => {
    const { begun, add, done } = windowOf(1, 1)
    add('a', [])
    done(0)
    add('a', ['a1'])
    add('b', ['b1'])
    done(1)
    expect(begun).toEqual([['a1'], ['b1']])
  })

  it('has room for any number that are over as soon as they are begun', () => {
    let over = 0
    const window = fairWindow<string>({
      size: 2,
      chunk: 1,
      begin: (items) => {
        over += items.length
        window.done(items.length)
      },
    })
    window.add('a', many('a', 20_000))
    expect(over).toBe(20_000)
  })

  it('counts weights, and starts an item of any weight', () => {
    const begun: string[] = []
    const window = fairWindow<string>({
      size: 4,
      chunk: 10,
      weightOf: (item) => item.length,
      begin: (items) => begun.push(...items),
    })
    window.add('a', ['x', 'xx', 'xxxxxx', 'xxx'])
    expect(begun).toEqual(['x', 'xx', 'xxxxxx'])
    window.done(5)
    expect(begun).toHaveLength(3)
    window.done(1)
    expect(begun.at(-1)).toBe('xxx')
  })
})
