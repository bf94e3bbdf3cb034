import { afterEach, beforeEach, expect, it } from 'vitest'
import { mongoFiles } from '../src/mongo-files.js'
import { anOpenDatabase } from './an-open-database.js'
import { onMongoDB } from './on-mongodb.js'

onMongoDB('files in GridFS', () => {
  let database: Awaited<ReturnType<typeof anOpenDatabase>>
  beforeEach(async () => {
    database = await anOpenDatabase()
  })
  afterEach(() => database.close())

  /** How many documents all files take, by collection. */
  const kept = async () => {
    const count = (name: string) => database.db.collection(name).countDocuments()
    return { keys: await count('fileKeys'), files: await count('files.files'), chunks: await count('files.chunks') }
  }

  it('leave nothing when replaced or removed', async () => {
    const files = mongoFiles(database.db)
    for (const size of [10, 600_000, 10]) await files.put('gallery/a.png', new Uint8Array(size))
    expect(await kept()).toEqual({ keys: 1, files: 1, chunks: 1 })
    await files.remove('gallery')
    expect(await kept()).toEqual({ keys: 0, files: 0, chunks: 0 })
  })

  it('are visible to another process at once and completely, however often they are replaced', async () => {
    const other = await database.another()
    const [here, there] = [mongoFiles(database.db), mongoFiles(other.db)]
    const sizes = Array.from({ length: 12 }, (_, n) => 300_000 + n)
    const put = (size: number) => here.put('a', new Uint8Array(size).fill(size % 256))
    await put(1)
    const seen: (Uint8Array | undefined)[] = []
    let replacing = true
    const reading = (async () => {
      while (replacing) seen.push(await there.get('a'))
    })()
    for (const size of sizes) await put(size)
    replacing = false
    await reading
    expect(seen.every((bytes) => bytes?.every((byte) => byte === bytes.length % 256))).toBe(true)
    expect((await there.get('a'))?.length).toBe(sizes.at(-1))
    await other.close()
  })

  it('can be put by several processes concurrently; one version remains', async () => {
    const other = await database.another()
    const both = [mongoFiles(database.db), mongoFiles(other.db)]
    for (let n = 0; n < 10; n += 1) {
      await Promise.all(both.map((files, which) => files.put(`a/${n}`, Uint8Array.of(which))))
      expect((await both[0]?.get(`a/${n}`))?.length).toBe(1)
    }
    expect(await kept()).toEqual({ keys: 10, files: 10, chunks: 10 })
    await other.close()
  })

  it('are removed together with remains of an interrupted put', async () => {
    const files = mongoFiles(database.db)
    await files.put('attachments/1/0', new Uint8Array(10))
    await database.db.collection('fileKeys').deleteMany({})
    expect(await files.get('attachments/1/0')).toBeUndefined()
    await files.remove('attachments/1')
    expect(await kept()).toEqual({ keys: 0, files: 0, chunks: 0 })
  })

  it('treat keys as names, never as patterns or operators', async () => {
    const files = mongoFiles(database.db)
    await files.put('gallery/a.png', new Uint8Array(1))
    for (const key of ['gallery/.*', '$ne', 'gallery0', 'Gallery/a.png', '']) {
      expect(await files.get(key)).toBeUndefined()
      await files.remove(key)
    }
    expect((await files.get('gallery/a.png'))?.length).toBe(1)
  })
})
