import { describe, expect, it } from 'vitest'
import { isOpenElsewhere, openSqliteStore } from '../../src/index.js'
import { folder } from '../folder.js'

describe('a database file', () => {
  it('reports whether another process has it open, without changing it', async () => {
    const { file, remove } = await folder()
    const first = openSqliteStore({ file })
    expect(isOpenElsewhere(file)).toBe(true)
    await first.counters.give({ key: 'test', n: 1 })
    await first.close()
    const again = openSqliteStore({ file })
    expect(isOpenElsewhere(file)).toBe(true)
    await again.close()
    await remove()
  })
})
