import { keyedLimiter } from '@posthorn/core/ports/runtime'
import { describe, expect, it } from 'vitest'

/** Tasks that run until they are told to end. */
const tasks = () => {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const task = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name)
      ends.set(name, () => resolve(name))
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise((resolve) => setTimeout(resolve))
  }
  return { begun, task, end }
}

describe('tasks of one key', () => {
  it('run up to the limit at once, the others in order', async () => {
    const { begun, task, end } = tasks()
    const limited = keyedLimiter({ atOnce: 2, waiting: 9 })
    const all = ['a', 'b', 'c', 'd'].map((name) => limited('k', task(name)))
    expect(begun).toEqual(['a', 'b'])
    await end('b')
    expect(begun).toEqual(['a', 'b', 'c'])
    await end('a')
    await end('c')
    await end('d')
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'].map((value) => ({ value })))
  })

  it('are not begun where too many wait', async () => {
    const { begun, task, end } = tasks()
    const limited = keyedLimiter({ atOnce: 1, waiting: 1 })
    const first = [limited('k', task('a')), limited('k', task('b'))]
    expect(await limited('k', task('c'))).toBeUndefined()
    await end('a')
    await end('b')
    await Promise.all(first)
    expect(begun).toEqual(['a', 'b'])
  })

  it('hold up no other key', async () => {
    const { begun, task } = tasks()
    const limited = keyedLimiter({ atOnce: 1, waiting: 0 })
    void limited('k', task('a'))
    void limited('l', task('b'))
    expect(begun).toEqual(['a', 'b'])
  })

  it('that fail make room as well', async () => {
    const limited = keyedLimiter({ atOnce: 1, waiting: 0 })
    await expect(limited('k', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await limited('k', async () => 1)).toEqual({ value: 1 })
  })
})
