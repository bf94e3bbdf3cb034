import type { Files } from '@posthorn/core/ports/runtime'
import { describe, expect, it } from 'vitest'
import { freshStore } from './under-test/store.js'

const bytes = (...values: readonly number[]) => Uint8Array.from(values)

type MakeFiles = () => Promise<{ readonly files?: Files; readonly close: () => Promise<void> }>

/** Every method of `Files`. */
export const filesContract = (name: string, make: MakeFiles) => {
  describe(`${name}: files`, () => {
    const store = freshStore(make)
    const files = (): Files => {
      const { files: kept } = store()
      if (!kept) throw new Error('The store keeps no files; say so with without: ["files"]')
      return kept
    }
    it('are returned byte by byte', async () => {
      const all = bytes(...Array.from({ length: 256 }, (_, n) => n))
      await files().put('attachments/1/0', all)
      const back = await files().get('attachments/1/0')
      expect(back && Uint8Array.from(back)).toEqual(all)
    })

    it('may be empty, which differs from absent', async () => {
      await files().put('empty', bytes())
      expect((await files().get('empty'))?.length).toBe(0)
      expect(await files().get('absent')).toBeUndefined()
      expect(await files().get('absent/below')).toBeUndefined()
    })

    it('may be large', async () => {
      const large = new Uint8Array(3_000_000).map((_, n) => n % 251)
      await files().put('large', large)
      const back = await files().get('large')
      expect(back && Buffer.compare(back, large)).toBe(0)
    })

    it('are replaced completely by another put', async () => {
      await files().put('a/b', bytes(1, 2, 3, 4))
      await files().put('a/b', bytes(9))
      expect(Array.from((await files().get('a/b')) ?? [])).toEqual([9])
      await Promise.all([1, 2, 3, 4].map((n) => files().put('a/b', new Uint8Array(5000).fill(n))))
      const back = Array.from((await files().get('a/b')) ?? [])
      expect(back).toEqual(new Array(5000).fill(back[0]))
    })

    it('are copied in and out', async () => {
      const given = bytes(1, 2)
      await files().put('a', given)
      given[0] = 7
      const out = await files().get('a')
      out?.fill(7)
      expect(Array.from((await files().get('a')) ?? [])).toEqual([1, 2])
    })

    /** Stores may record the time of a put in whole seconds. */
    const later = (seconds: number) => new Date(Date.now() + seconds * 1_000)
    const found = async (...asked: Parameters<Files['each']>) => {
      const all: (readonly [string, readonly number[]])[] = []
      for await (const { key, bytes: own } of files().each(...asked)) all.push([key, [...own]])
      return all.toSorted(([a], [b]) => (a < b ? -1 : 1))
    }

    it('are listed below a key, optionally since an instant or filtered', async () => {
      const keys = Array.from({ length: 120 }, (_, n) => `a/${String(n).padStart(3, '0')}`)
      for (const [n, key] of keys.entries()) await files().put(key, bytes(n))
      await files().put('a/000', bytes(7, 8))
      await files().put('a1/0', bytes(1))
      await files().put('b', bytes(1))
      const wanted = keys.map((key, n) => [key, n === 0 ? [7, 8] : [n]])
      expect(await found('a')).toEqual(wanted)
      expect(await found('a', { since: later(-60) })).toEqual(wanted)
      expect(await found('a', { since: later(60) })).toEqual([])
      expect(await found('a', { since: later(-60), wanted: (key) => key.endsWith('09') })).toEqual([
        ['a/009', [9]],
        ['a/109', [109]],
      ])
      expect(await found('b')).toEqual([])
      expect(await found('never')).toEqual([])
    })

    it('are pruned below a key if they were last put before an instant', async () => {
      for (const key of ['a/1', 'a/2/3', 'b/1']) await files().put(key, bytes(1))
      expect(await files().prune('a', later(-60))).toBe(0)
      expect(await files().prune('a', later(60))).toBe(2)
      expect(await found('a')).toEqual([])
      expect(await files().get('a/1')).toBeUndefined()
      expect(await found('b')).toEqual([['b/1', [1]]])
      expect(await files().prune('a', later(60))).toBe(0)
    })

    it('are removed with everything below them only', async () => {
      for (const key of ['a/1/0', 'a/1/1', 'a/10/0', 'b']) await files().put(key, bytes(1))
      await files().remove('a/1')
      const left = await Promise.all(['a/1/0', 'a/1/1', 'a/10/0', 'b'].map((key) => files().get(key)))
      expect(left.map((one) => one !== undefined)).toEqual([false, false, true, true])
      await files().remove('b')
      await files().remove('b')
      await files().remove('never/there')
      expect(await files().get('b')).toBeUndefined()
    })
  })
}
