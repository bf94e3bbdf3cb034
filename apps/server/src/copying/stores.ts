import { type Repositories, type Repository, records, type Stored, type Where } from '@posthorn/core/ports/storage'
import type { Store } from '../store.js'

/** The parts of a store that are copied. Jobs are not: the server finds due campaigns without them, within a minute. */
export type CopiedStore = Pick<Store, 'repositories' | 'counters' | 'deliveries' | 'figures' | 'files'>

/** Source and target of a copy. */
export type Ends = { readonly from: CopiedStore; readonly to: CopiedStore }

/** Why a copy ended early; the next copy continues it. */
export class CopyFailure extends Error {
  override readonly name = 'CopyFailure'
}

export type Kind = keyof Repositories

/** The unit of copying: an account's data outside its projects, or a project's data. */
export type Owner = { readonly of: 'account' | 'project'; readonly id: string }

/** The records of one kind that belong to one owner. */
export type Share = { readonly kind: Kind; readonly where: Where<Stored> }

/** The owner's records of every kind, except its own record, which is written last. */
export const sharesOf = ({ of, id }: Owner): readonly Share[] =>
  (Object.keys(records) as Kind[]).flatMap((kind) => {
    const field = records[kind].owner[of]
    return field === undefined || field === '_id' ? [] : [{ kind, where: { [field]: id } as Where<Stored> }]
  })

/** The repository of a kind, typed for code that handles all kinds. */
export const repositoryOf = (repositories: Repositories, kind: Kind): Repository<Stored> =>
  repositories[kind] as unknown as Repository<Stored>

/** Groups items into pages of that size; the last one may be shorter. */
export const pages = async function* <T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let page: T[] = []
  for await (const item of items) {
    page.push(item)
    if (page.length < size) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
