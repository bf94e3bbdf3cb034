import { once } from 'node:events'
import type { Files } from '@posthorn/core/ports'
import { type Db, GridFSBucket, ObjectId } from 'mongodb'
import { retried } from '../connection/retried.js'
import { upserted } from '../connection/upserted.js'

/** Which bytes a key has now. One document, so that a put shows in one step, whole. */
type Place = { readonly _id: string; readonly file: ObjectId }

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

  return {
    put: async (key, bytes) => {
      const file = new ObjectId()
      await upload(file, key, bytes)
      const swap = () => places.findOneAndUpdate({ _id: key }, { $set: { file } }, { upsert: true })
      const before = await retried(() => upserted(swap))
      if (before && !before.file.equals(file)) await retried(() => drop(before.file))
    },

    get: (key) => retried(() => read(key)),

    /** The keys first: what they point to is not to be found from then on. */
    remove: (key) =>
      retried(async () => {
        await places.deleteMany(below('_id', key))
        const left = bucket.find(below('filename', key)).project<{ _id: ObjectId }>({ _id: 1 })
        for await (const { _id } of left) await drop(_id)
      }),
  }
}
