import type { Clock } from '@posthorn/core/ports/runtime'
import { type Checksum, checksumOf, sameChecksum } from './checksum.js'
import { storedFilesForChecksum } from './files.js'
import { deliveriesOfProject } from './ledger.js'
import { projectFiguresToCopy, usageCountersOf } from './records.js'
import { type CopiedDataOwner, CopyFailure, type CopySource, ownedRecordsOf, sourceRepositoryOf } from './stores.js'

export type VerifiedCopyPart = Checksum & { readonly what: string }

type Compared = { readonly from: CopySource; readonly to: CopySource }

type Walk = { readonly what: string; readonly values: (store: CopySource) => AsyncIterable<unknown> }

const counted = async function* (values: AsyncIterable<unknown>, seen: (n: number) => void): AsyncGenerator<unknown> {
  for await (const value of values) {
    seen(1)
    yield value
  }
}

/** References are read from the source. */
const walksOf = ({ from }: Pick<Compared, 'from'>, owner: CopiedDataOwner, clock: Clock): readonly Walk[] => [
  ...ownedRecordsOf(owner).map(({ kind, where }) => ({
    what: kind,
    values: ({ repositories }: CopySource) => sourceRepositoryOf(repositories, kind).each(where),
  })),
  { what: 'files', values: ({ files }) => storedFilesForChecksum(from, owner.id, files) },
  {
    what: 'counters',
    values: async function* (store) {
      yield* await usageCountersOf(store, owner, clock)
    },
  },
  ...(owner.of === 'project'
    ? [
        { what: 'deliveries', values: (store: CopySource) => deliveriesOfProject(store, owner.id) },
        { what: 'figures', values: ({ figures }: CopySource) => projectFiguresToCopy(from, owner.id, figures) },
      ]
    : []),
]

/** @throws CopyFailure if the data was changed during the copy */
export const verifyCopy = async (ends: Compared, owner: CopiedDataOwner, clock: Clock, seen: (n: number) => void) => {
  const verified: VerifiedCopyPart[] = []
  const differences: string[] = []
  for (const { what, values } of walksOf(ends, owner, clock)) {
    const [here, there] = await Promise.all([checksumOf(counted(values(ends.from), seen)), checksumOf(values(ends.to))])
    if (sameChecksum(here, there)) verified.push({ what, ...here })
    else differences.push(`${what} (${here.count} there, ${there.count} copied)`)
  }
  if (differences.length > 0)
    throw new CopyFailure(
      `The copy of ${owner.of} ${owner.id} differs in ${differences.join(', ')}. Stop every server that works on either store, and copy again.`,
    )
  return verified
}
