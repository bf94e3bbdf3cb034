import {
  type Repositories,
  type Repository,
  records,
  type StoredRecord,
  type Where,
} from '@posthorn/core/ports/storage'
import type { Store } from '../store.js'

/** Without jobs: the server finds due campaigns within a minute. */
export type CopyTarget = Pick<Store, 'repositories' | 'counters' | 'deliveries' | 'figures' | 'files'>

/** What a copy reads: a store, or the archive of a project. */
export type CopySource = {
  readonly repositories: {
    readonly [K in keyof Repositories]: Pick<Repositories[K], 'get' | 'list' | 'each'>
  }
  readonly counters: Pick<CopyTarget['counters'], 'used'>
  readonly deliveries: Pick<CopyTarget['deliveries'], 'each' | 'list'>
  readonly figures: Pick<CopyTarget['figures'], 'totals' | 'slots'>
  readonly files: Pick<CopyTarget['files'], 'get' | 'each'>
}

export type CopyEnds = { readonly from: CopySource; readonly to: CopyTarget }

/** The next copy continues. */
export class CopyFailure extends Error {
  override readonly name = 'CopyFailure'
}

export type RepositoryName = keyof Repositories

/** An account without its projects, or a project. */
export type CopiedDataOwner = { readonly of: 'account' | 'project'; readonly id: string }

export type CopiedOwnerRecords = { readonly kind: RepositoryName; readonly where: Where<StoredRecord> }

/** Except the owner's own record, which is written last. */
export const ownedRecordsOf = ({ of, id }: CopiedDataOwner): readonly CopiedOwnerRecords[] =>
  (Object.keys(records) as RepositoryName[]).flatMap((kind) => {
    const field = records[kind].owner[of]
    return field === undefined || field === '_id' ? [] : [{ kind, where: { [field]: id } as Where<StoredRecord> }]
  })

export const repositoryOf = (repositories: Repositories, kind: RepositoryName): Repository<StoredRecord> =>
  repositories[kind] as unknown as Repository<StoredRecord>

export const sourceRepositoryOf = (
  repositories: CopySource['repositories'],
  kind: RepositoryName,
): Pick<Repository<StoredRecord>, 'get' | 'list' | 'each'> => repositories[kind] as never

export const inPages = async function* <T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let page: T[] = []
  for await (const item of items) {
    page.push(item)
    if (page.length < size) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
