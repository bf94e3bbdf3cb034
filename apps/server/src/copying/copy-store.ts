import type { Clock } from '@posthorn/core/ports'
import { CopyFailure } from './copy-failure.js'
import { copyCounters } from './counters.js'
import { copyFigures } from './figures.js'
import { copyFiles, copyLinks } from './files.js'
import { copyLedger } from './ledger.js'
import { type Owner, repositoryOf, sharesOf } from './ownership.js'
import { copyRecords } from './records.js'
import type { CopiedStore, Ends } from './stores.js'
import { type Verified, verify } from './verification.js'

/** What became of an account or a project. One that was there already was left alone: it may have been at work since. */
export type Copied = Owner & { readonly name: string; readonly verified: readonly Verified[] | undefined }

export type CopyOptions = Ends & {
  /** One project, and the account that it belongs to; absent: everything. */
  readonly projectId?: string | undefined
  readonly clock: Clock
  /** Hears how much is done, of how much. */
  readonly progress: (done: number, total: number) => void
}

const anyOf = { sort: { by: '_id', order: 'asc' }, skip: 0, limit: 1 } as const

/** Roughly how many records and deliveries the owner has: what the progress is measured by. */
const sizeOf = async (store: CopiedStore, owner: Owner): Promise<number> => {
  const { repositories, deliveries } = store
  let size = 0
  for (const { kind, where } of sharesOf(owner))
    size += (await repositoryOf(repositories, kind).list({ where, ...anyOf })).count
  const page = { by: 'createdAt', order: 'asc', skip: 0, limit: 1 } as const
  for (const emails of [repositories.campaigns, repositories.triggeredEmails, repositories.transactionalEmails])
    for await (const { _id: emailId } of emails.each({ projectId: owner.id }))
      size += (await deliveries.list({ where: { projectId: owner.id, emailId }, ...page })).count
  return size
}

/** Everything that belongs together: each account before its projects. @throws CopyFailure */
const ownersIn = async ({ repositories }: CopiedStore, projectId: string | undefined): Promise<readonly Owner[]> => {
  if (projectId !== undefined) {
    const project = await repositories.projects.get({ _id: projectId })
    if (!project) throw new CopyFailure(`There is no project ${projectId}.`)
    return [
      { of: 'account', id: project.accountId },
      { of: 'project', id: project._id },
    ]
  }
  const owners: Owner[] = []
  for await (const { _id: accountId } of repositories.accounts.each({})) {
    owners.push({ of: 'account', id: accountId })
    for await (const { _id } of repositories.projects.each({ accountId })) owners.push({ of: 'project', id: _id })
  }
  return owners
}

/**
 * Copies one owner. Its own record comes last, when everything has been found to be the same at both ends: until then the project
 * does not exist at the other end, nobody can have changed it there, and whatever an interrupted copy has left is made right.
 */
const copyOwner = async (options: CopyOptions, owner: Owner, done: (n: number) => void): Promise<Copied> => {
  const { from, to, clock } = options
  const kind = owner.of === 'account' ? 'accounts' : 'projects'
  const record = await from.repositories[kind].get({ _id: owner.id })
  if (!record) throw new CopyFailure(`There is no ${owner.of} ${owner.id} any more.`)
  const target = repositoryOf(to.repositories, kind)
  if (await target.get({ _id: owner.id })) return { ...owner, name: record.name, verified: undefined }
  for (const share of sharesOf(owner)) if (share.kind !== 'dispatches') await copyRecords(options, share, done)
  await copyFiles(options, owner.id)
  if (owner.of === 'project') {
    await copyFigures(options, owner.id)
    await copyLedger(options, owner.id, done)
  }
  await copyCounters(options, owner, clock)
  const verified = await verify(options, owner, clock, done)
  await target.add(record)
  return { ...owner, name: record.name, verified }
}

/**
 * Copies accounts and projects from one store to another. No server may work on either meanwhile. What broke off is gone on with by
 * the next copy; what is there already is left as it is.
 * @throws CopyFailure: no such project, another record with the same key, or something differs in the end
 */
export const copyStore = async (options: CopyOptions): Promise<readonly Copied[]> => {
  const owners = await ownersIn(options.from, options.projectId)
  let total = 0
  for (const owner of owners) total += 2 * (await sizeOf(options.from, owner))
  await copyLinks(options)
  let sofar = 0
  const copied: Copied[] = []
  for (const owner of owners)
    copied.push(
      await copyOwner(options, owner, (n) => {
        sofar += n
        options.progress(sofar, total)
      }),
    )
  return copied
}
