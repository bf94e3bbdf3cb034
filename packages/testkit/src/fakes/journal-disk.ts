import type { HitJournal, HitJournalEntry } from '@posthorn/core/ports/runtime'

type Kept = HitJournalEntry & { isDone: boolean }
type Owned = { isAlive: boolean; kept: Kept[] }

/** A process's journal that a test can kill; afterwards its calls have no effect. */
export type KillableJournal = HitJournal & { readonly kill: () => void }

/** Several processes' journals on one disk in memory. `add` fails while the disk is full. `takeOver` takes `atATime` entries. */
export const inMemoryJournalDisk = ({ atATime = 100 } = {}) => {
  const owners: Owned[] = []
  let isFull = false

  const journal = (): KillableJournal => {
    const own: Owned = { isAlive: true, kept: [] }
    owners.push(own)
    return {
      add: (entry) => {
        if (isFull) throw new Error('ENOSPC: no space left on device, write')
        if (own.isAlive) own.kept.push({ ...entry, isDone: false })
      },
      done: (names) => {
        const over = new Set(names)
        if (own.isAlive) for (const one of own.kept) if (over.has(one.name)) one.isDone = true
      },
      takeOver: async () => {
        if (!own.isAlive) return []
        const left = owners.find((one) => !one.isAlive && one.kept.some(({ isDone }) => !isDone))
        if (!left) return []
        const taken = left.kept.splice(0, atATime)
        own.kept.push(...taken)
        return taken.map((one) => ({ ...one }))
      },
      close: async () => {
        own.isAlive = false
      },
      kill: () => {
        own.isAlive = false
      },
    }
  }

  return {
    journal,
    fill: (full: boolean) => {
      isFull = full
    },
    /** The entries that no process has recorded yet. */
    open: (): readonly string[] =>
      owners.flatMap(({ kept }) => kept.filter(({ isDone }) => !isDone).map(({ name }) => name)),
  }
}
