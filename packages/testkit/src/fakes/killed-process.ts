/** Thrown by every port of a killed process. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

const writes: ReadonlySet<string> = new Set([
  ...[
    'add',
    'addNew',
    'change',
    'changeNext',
    'remove',
    'removeAll',
    'join',
    'upsertMembers',
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

/** Counts writes from 1. Dies before the write, or after it and before its caller is notified; then every call throws. */
export const portsKilledAtWrite = <T extends object>(ports: T, n: number, when: 'before' | 'after'): T => {
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
