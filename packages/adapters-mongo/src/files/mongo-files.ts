import { once } from 'node:events'
import type { Files } from '@posthorn/core/ports'
import { type Binary, type Db, GridFSBucket, ObjectId } from 'mongodb'
import { retried } from '../connection/retried.js'
import { upserted } from '../connection/upserted.js'

/** Which bytes a key has now. One document, so that a put shows in one step, whole. */
type Place = { readonly _id: string; readonly file: ObjectId }

/** Of files that are read together, and of those that are pruned together. */
const [atOnce, pruneSize] = [50, 500]

/** What lies below the key, and not what it names itself. */
const within = (field: string, key: string) => ({ [field]: { $gt: `${key}/`, $lt: `${key}0` } })

/** No id that was made then or later is less. */
const firstIdAt = (instant: Date): ObjectId => ObjectId.createFromTime(Math.floor(instant.getTime() / 1000))

/** A file that is replaced while it is read is read again. Each time that happens takes another put. */
const mostTries = 10

/** The key and everything below it, by the index on `_id` or on the name alone: `0` is what follows `/`. */
const below = (field: string, key: string) => ({
  $or: [{ [field]: key }, { [field]: { $gt: `${key}/`, $lt: `${key}0` } }],
})

/**
 * Files in GridFS, beside the records, so that every machine has them. Each put is a file of its own, which the key points to once all
 * of it is there; what a crash left behind goes with the next put or removal of its key.
 */
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

  /** Another process may have removed it in the meantime. */
  const drop = async (id: ObjectId): Promise<void> => {
    await db.collection('files.files').deleteOne({ _id: id })
    await db.collection('files.chunks').deleteMany({ files_id: id })
  }

  /** Another put or removal may come in between: then the key points elsewhere, and it is begun again. */
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

  /** The names of files that were begun then or later. Ids begin with the time of their machine. */
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

  /** Together, in two commands. One that is replaced or removed meanwhile is left out. */
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
      // An empty file has no parts, nor has one that was replaced meanwhile.
      const all = bytes ? Uint8Array.from(Buffer.concat(bytes)) : await retried(() => read(key))
      if (all) yield { key, bytes: all }
    }
  }

  return {
    put: async (key, bytes) => {
      const file = new ObjectId()
      await upload(file, key, bytes)
      const swap = () => places.findOneAndUpdate({ _id: key }, { $set: { file } }, { upsert: true })
      const before = await retried(() => upserted(swap))
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

    /** A place that points to a file of later is of another put: it stays. */
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

    /** The keys first: what they point to is not to be found from then on. */
    remove: (key) =>
      retried(async () => {
        await places.deleteMany(below('_id', key))
        const left = bucket.find(below('filename', key)).project<{ _id: ObjectId }>({ _id: 1 })
        for await (const { _id } of left) await drop(_id)
      }),
  }
}
