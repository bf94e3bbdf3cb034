import { once } from 'node:events'
import type { Files } from '@posthorn/core/ports/runtime'
import { type Binary, type Db, GridFSBucket, ObjectId } from 'mongodb'
import { retried, retriedUpsert } from './connection/retries.js'

type Place = { readonly _id: string; readonly file: ObjectId }

const [atOnce, pruneSize] = [50, 500]

/** Everything below the key, without the key itself. */
const within = (field: string, key: string) => ({ [field]: { $gt: `${key}/`, $lt: `${key}0` } })

const firstIdAt = (instant: Date): ObjectId => ObjectId.createFromTime(Math.floor(instant.getTime() / 1000))

/** A try fails only if a put replaces the file. */
const mostTries = 10

/** The key and everything below it: `0` is the character after `/`. */
const below = (field: string, key: string) => ({ $or: [{ [field]: key }, within(field, key)] })

/** A key points to a complete GridFS file; the next put or removal deletes what a crash left. */
export const mongoFiles = (db: Db): Files => {
  const bucket = new GridFSBucket(db, { bucketName: 'files' })
  const places = db.collection<Place>('fileKeys')

  const fileDocuments = db.collection<{ readonly _id: ObjectId; readonly filename: string }>('files.files')
  const chunks = db.collection<{ readonly files_id: ObjectId; readonly n: number; readonly data: Binary }>(
    'files.chunks',
  )

  const upload = async (id: ObjectId, key: string, bytes: Uint8Array): Promise<void> => {
    const stream = bucket.openUploadStreamWithId(id, key)
    const finished = once(stream, 'finish')
    stream.end(Buffer.from(bytes))
    await finished
  }

  const download = async (id: ObjectId): Promise<Uint8Array> => {
    const parts: Uint8Array[] = []
    for await (const part of bucket.openDownloadStream(id)) parts.push(part as Uint8Array)
    return Uint8Array.from(Buffer.concat(parts))
  }

  /** GridFS throws if another process has removed the file. */
  const drop = async (id: ObjectId): Promise<void> => {
    await db.collection('files.files').deleteOne({ _id: id })
    await db.collection('files.chunks').deleteMany({ files_id: id })
  }

  /** Starts again if another put or removal changes the key during the read. */
  const read = async (key: string): Promise<Uint8Array | undefined> => {
    for (let tries = 1; ; tries += 1) {
      const place = await places.findOne({ _id: key })
      if (!place) return undefined
      try {
        return await download(place.file)
      } catch (error) {
        const now = await places.findOne({ _id: key })
        if (tries === mostTries || now?.file.equals(place.file)) throw error
      }
    }
  }

  /** By the clock of the machine that created the id. */
  const namesSince = async function* (key: string, since: Date): AsyncGenerator<string> {
    const named = { _id: { $gte: firstIdAt(since) }, ...within('filename', key) }
    const found = await retried(() =>
      fileDocuments
        .find(named, { projection: { filename: 1 } })
        .hint({ _id: 1 })
        .toArray(),
    )
    yield* new Set(found.map(({ filename }) => filename))
  }

  const keysBelow = async function* (key: string): AsyncGenerator<string> {
    for await (const { _id } of places.find(within('_id', key), { projection: { _id: 1 } })) yield _id
  }

  /** Two queries. Omits files that are removed during the read. */
  const readAll = async function* (keys: readonly string[]) {
    const found = await retried(() => places.find({ _id: { $in: [...keys] } }).toArray())
    const ids = { $in: found.map(({ file }) => file) }
    const parts = await retried(() => chunks.find({ files_id: ids }).sort({ files_id: 1, n: 1 }).toArray())
    const bytesOf = new Map<string, Uint8Array[]>()
    for (const { files_id, data } of parts) {
      const id = files_id.toHexString()
      bytesOf.set(id, [...(bytesOf.get(id) ?? []), data.buffer.subarray(0, data.position)])
    }
    for (const { _id: key, file } of found) {
      const bytes = bytesOf.get(file.toHexString())
      // Empty and replaced files have no chunks.
      const all = bytes ? Uint8Array.from(Buffer.concat(bytes)) : await retried(() => read(key))
      if (all) yield { key, bytes: all }
    }
  }

  return {
    put: async (key, bytes) => {
      const file = new ObjectId()
      await upload(file, key, bytes)
      const swap = () => places.findOneAndUpdate({ _id: key }, { $set: { file } }, { upsert: true })
      const before = await retried(() => retriedUpsert(swap))
      if (before && !before.file.equals(file)) await retried(() => drop(before.file))
    },

    get: (key) => retried(() => read(key)),

    each: async function* (key, { since, wanted = () => true } = {}) {
      const keys: string[] = []
      for await (const one of since ? namesSince(key, since) : keysBelow(key)) {
        if (!wanted(one)) continue
        keys.push(one)
        if (keys.length === atOnce) yield* readAll(keys.splice(0))
      }
      if (keys.length > 0) yield* readAll(keys)
    },

    /** Keeps a key if a later put has replaced its file. */
    prune: async (key, before) => {
      const old = { ...within('_id', key), file: { $lt: firstIdAt(before) } }
      let n = 0
      for (;;) {
        const found = await retried(() => places.find(old).limit(pruneSize).toArray())
        if (found.length === 0) return n
        const _id = { $in: found.map((place) => place._id) }
        const ids = { $in: found.map(({ file }) => file) }
        await retried(() => places.deleteMany({ ...old, _id }))
        await retried(() => fileDocuments.deleteMany({ _id: ids }))
        await retried(() => chunks.deleteMany({ files_id: ids }))
        n += found.length
      }
    },

    /** Keys first, so that no reader finds a file without content. */
    remove: (key) =>
      retried(async () => {
        await places.deleteMany(below('_id', key))
        const left = bucket.find(below('filename', key)).project<{ _id: ObjectId }>({ _id: 1 })
        for await (const { _id } of left) await drop(_id)
      }),
  }
}
