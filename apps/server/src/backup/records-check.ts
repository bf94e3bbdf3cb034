import { brokenRecordsText } from '@posthorn/adapters-sqlite'
import {
  type Repositories,
  type Repository,
  records,
  type StoredRecord,
  type Where,
} from '@posthorn/core/ports/storage'
import { inPages, type RepositoryName, repositoryOf } from '../copying/stores.js'

export type RecordsCheck = {
  /** One line each; none if all is well. */
  readonly problems: readonly string[]
  /** Records by kind. */
  readonly counts: Readonly<Record<string, number>>
}

type Reference = {
  /** Such as “3 subscribers without their contact”. */
  readonly what: string
  /** Undefined where the record refers to none. */
  readonly idIn: (record: StoredRecord) => unknown
  readonly to: readonly RepositoryName[]
}

const pageSize = 500

const field =
  (name: string) =>
  (record: StoredRecord): unknown =>
    (record as StoredRecord & Readonly<Record<string, unknown>>)[name]

const isSending = (record: StoredRecord) => ['expanding', 'sending'].includes(String(field('stage')(record)))

const ofKind: Partial<Record<RepositoryName, readonly Reference[]>> = {
  projects: [{ what: 'projects without their account', idIn: field('accountId'), to: ['accounts'] }],
  subscribers: [
    { what: 'subscribers without their contact', idIn: field('contactId'), to: ['contacts'] },
    { what: 'subscribers without their list', idIn: field('subscriberListId'), to: ['subscriberLists'] },
  ],
  dispatches: [
    {
      what: 'dispatches to be sent without their content',
      idIn: (record) => (isSending(record) ? field('contentId')(record) : undefined),
      to: ['contents'],
    },
    {
      what: 'campaigns being sent without their campaign',
      idIn: (record) =>
        isSending(record) && field('kind')(record) === 'campaign' ? field('emailId')(record) : undefined,
      to: ['campaigns'],
    },
  ],
}

/** Trees of the gallery belong to an account or a project. */
const ownerOf = (kind: RepositoryName): readonly Reference[] => {
  const owners = Object.entries(records[kind].owner).filter(([, name]) => name !== '_id')
  const [first] = owners
  if (!first) return []
  const to = owners.map(([owner]) => (owner === 'account' ? 'accounts' : 'projects') as RepositoryName)
  return [{ what: `${kind} without their account or project`, idIn: field(first[1] ?? ''), to }]
}

const present = async (repository: Repository<StoredRecord>, ids: readonly string[]): Promise<readonly string[]> => {
  const where = { _id: ids } as Where<StoredRecord>
  const query = { where, sort: { by: '_id', order: 'asc' }, skip: 0, limit: ids.length } as const
  return (await repository.list(query)).items.map(({ _id }) => _id)
}

/** Stored records of the page whose referenced record is missing. */
const lacking = async (
  repositories: Repositories,
  kind: RepositoryName,
  { idIn, to }: Reference,
  page: readonly StoredRecord[],
): Promise<readonly string[]> => {
  const wanted = page.flatMap((record) => {
    const id = idIn(record)
    return typeof id === 'string' ? [{ record: record._id, id }] : []
  })
  const ids = [...new Set(wanted.map(({ id }) => id))]
  if (ids.length === 0) return []
  const found = new Set((await Promise.all(to.map((one) => present(repositoryOf(repositories, one), ids)))).flat())
  const suspects = wanted.filter(({ id }) => !found.has(id)).map(({ record }) => record)
  // A server may have removed both since the page was read.
  return suspects.length === 0 ? [] : present(repositoryOf(repositories, kind), suspects)
}

const checkKind = async (
  repositories: Repositories,
  kind: RepositoryName,
): Promise<{ problems: readonly string[]; count: number }> => {
  const references = [...ownerOf(kind), ...(ofKind[kind] ?? [])]
  const missing = new Map<string, string[]>()
  let count = 0
  for await (const page of inPages(repositoryOf(repositories, kind).each({}), pageSize)) {
    count += page.length
    for (const reference of references)
      missing.set(reference.what, [
        ...(missing.get(reference.what) ?? []),
        ...(await lacking(repositories, kind, reference, page)),
      ])
  }
  return { problems: [...missing].flatMap(([what, ids]) => brokenRecordsText(what, ids)), count }
}

/** For any store; servers may be running. Leaves out deliveries and files. */
export const checkRecords = async (repositories: Repositories): Promise<RecordsCheck> => {
  const problems: string[] = []
  const counts: Record<string, number> = {}
  for (const kind of Object.keys(records) as RepositoryName[]) {
    const found = await checkKind(repositories, kind)
    problems.push(...found.problems)
    counts[kind] = found.count
  }
  return { problems, counts }
}
