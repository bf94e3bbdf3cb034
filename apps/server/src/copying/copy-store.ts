import type { Clock } from '@posthorn/core/ports/runtime'
import { copyFiles, copyLinkTables } from './files.js'
import { copyLedger } from './ledger.js'
import { copyCounters, copyFigures, copyRecords } from './records.js'
import {
  type CopiedDataOwner,
  type CopyEnds,
  CopyFailure,
  type CopySource,
  ownedRecordsOf,
  repositoryOf,
  sourceRepositoryOf,
} from './stores.js'
import { type VerifiedCopyPart, verifyCopy } from './verification.js'

/** Existing owners stay unchanged: they may have been in use. */
export type CopyResult = CopiedDataOwner & {
  readonly name: string
  readonly verified: readonly VerifiedCopyPart[] | undefined
}

export type CopyOptions = CopyEnds & {
  /** Only this project and its account; default: everything. */
  readonly projectId?: string | undefined
  readonly clock: Clock
  readonly progress: (done: number, total: number) => void
}

const anyOf = { sort: { by: '_id', order: 'asc' }, skip: 0, limit: 1 } as const

/** Approximate, for the progress. */
const sizeOf = async (store: CopySource, owner: CopiedDataOwner): Promise<number> => {
  const { repositories, deliveries } = store
  let size = 0
  for (const { kind, where } of ownedRecordsOf(owner))
    size += (await sourceRepositoryOf(repositories, kind).list({ where, ...anyOf })).count
  const page = { by: 'createdAt', order: 'asc', skip: 0, limit: 1 } as const
  for (const emails of [repositories.campaigns, repositories.triggeredEmails, repositories.transactionalEmails])
    for await (const { _id: emailId } of emails.each({ projectId: owner.id }))
      size += (await deliveries.list({ where: { projectId: owner.id, emailId }, ...page })).count
  return size
}

/** Each account before its projects. */
const ownersIn = async (
  { repositories }: CopySource,
  projectId: string | undefined,
): Promise<readonly CopiedDataOwner[]> => {
  if (projectId !== undefined) {
    const project = await repositories.projects.get({ _id: projectId })
    if (!project) throw new CopyFailure(`There is no project ${projectId}.`)
    return [
      { of: 'account', id: project.accountId },
      { of: 'project', id: project._id },
    ]
  }
  const owners: CopiedDataOwner[] = []
  for await (const { _id: accountId } of repositories.accounts.each({})) {
    owners.push({ of: 'account', id: accountId })
    for await (const { _id } of repositories.projects.each({ accountId })) owners.push({ of: 'project', id: _id })
  }
  return owners
}

/** Writes the owner's own record last, after verification: until then, the next copy overwrites leftovers. */
const copyOwner = async (
  options: CopyOptions,
  owner: CopiedDataOwner,
  done: (n: number) => void,
): Promise<CopyResult> => {
  const { from, to, clock } = options
  const kind = owner.of === 'account' ? 'accounts' : 'projects'
  const record = await from.repositories[kind].get({ _id: owner.id })
  if (!record) throw new CopyFailure(`There is no ${owner.of} ${owner.id} any more.`)
  const target = repositoryOf(to.repositories, kind)
  if (await target.get({ _id: owner.id })) return { ...owner, name: record.name, verified: undefined }
  for (const share of ownedRecordsOf(owner)) if (share.kind !== 'dispatches') await copyRecords(options, share, done)
  await copyFiles(options, owner.id)
  if (owner.of === 'project') {
    await copyFigures(options, owner.id)
    await copyLedger(options, owner.id, done)
  }
  await copyCounters(options, owner, clock)
  const verified = await verifyCopy(options, owner, clock, done)
  await target.add(record)
  return { ...owner, name: record.name, verified }
}

/**
 * No server may use either store. The next copy continues an interrupted one. @throws CopyFailure if the project is
 * missing, a key is taken by a different record, or verification fails
 */
export const copyStore = async (options: CopyOptions): Promise<readonly CopyResult[]> => {
  const owners = await ownersIn(options.from, options.projectId)
  let total = 0
  for (const owner of owners) total += 2 * (await sizeOf(options.from, owner))
  await copyLinkTables(options)
  let sofar = 0
  const copied: CopyResult[] = []
  for (const owner of owners)
    copied.push(
      await copyOwner(options, owner, (n) => {
        sofar += n
        options.progress(sofar, total)
      }),
    )
  return copied
}
