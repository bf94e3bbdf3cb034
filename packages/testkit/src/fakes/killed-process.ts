/** The process is gone: nothing that it asks for happens any more. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

/** What changes a store, of all that its ports can be asked for. */
const writes: ReadonlySet<string> = new Set([
  ...[
    'add',
    'addNew',
    'change',
    'changeNext',
    'remove',
    'removeAll',
    'join',
    'enrol',
    'settleOwed',
    'removeContact',
    'removeList',
  ],
  ...[
    'mark',
    'countOnce',
    'report',
    'reject',
    'settle',
    'claim',
    'trim',
    'prune',
    'take',
    'takeUpTo',
    'give',
    'hold',
    'accept',
    'expand',
  ],
])

type Verb = (...given: readonly unknown[]) => unknown

/**
 * The ports of a process that is killed at its `n`-th write, counted from 1: before it happens, or after it has happened and before
 * anybody hears of it. From then on it is refused whatever it asks for.
 */
export const killedAt = <T extends object>(ports: T, n: number, when: 'before' | 'after'): T => {
  let left = n
  let isDead = false

  const verb = (name: string, ask: Verb): Verb => {
    if (!writes.has(name))
      return (...given) => {
        if (isDead) throw new Killed()
        return ask(...given)
      }
    return async (...given) => {
      if (isDead) throw new Killed()
      left -= 1
      if (left > 0) return ask(...given)
      isDead = true
      if (when === 'after') await ask(...given)
      throw new Killed()
    }
  }

  const wrapped = <P extends object>(port: P): P =>
    Object.fromEntries(
      Object.entries(port).map(([name, value]) => [
        name,
        typeof value === 'function'
          ? verb(name, value as Verb)
          : typeof value === 'object' && value !== null
            ? wrapped(value as object)
            : value,
      ]),
    ) as P
  return wrapped(ports)
}
