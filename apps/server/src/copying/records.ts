import { KeyTaken, type Repository, records, type Stored } from '@posthorn/core/ports/storage'
import { sameData } from './checksum.js'
import { CopyFailure } from './copy-failure.js'
import { type Kind, repositoryOf, type Share } from './ownership.js'
import { pages } from './pages.js'
import type { Ends } from './stores.js'

/** Records written at once. */
const pageSize = 200

/** Adds the record, or overwrites it if an interrupted copy wrote it. */
const put = async (repository: Repository<Stored>, kind: Kind, record: Stored): Promise<void> => {
  try {
    await repository.add(record)
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error
    const there = await repository.change({ _id: record._id }, (one) => (sameData(one, record) ? one : record))
    if (!there)
      throw new CopyFailure(
        `${records[kind].noun} ${record._id} cannot be copied: there is another one with the same ${error.fields.join(' and ')}.`,
      )
  }
}

/** Copies the records of one kind in pages; calls `copied` after each with its size. */
export const copyRecords = async ({ from, to }: Ends, { kind, where }: Share, copied: (n: number) => void) => {
  const target = repositoryOf(to.repositories, kind)
  for await (const page of pages(repositoryOf(from.repositories, kind).each(where), pageSize)) {
    await Promise.all(page.map((record) => put(target, kind, record)))
    copied(page.length)
  }
}
