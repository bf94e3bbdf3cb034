import { type Core, Refusal, type Scope } from '@posthorn/core'
import type { Repositories } from '@posthorn/core/ports/storage'

export type Bootstrapped = {
  readonly accountId: string
  readonly projectId: string
  readonly listId: string
  readonly senderIdentityId: string
  /** Undefined if the key was given; then it is not printed. */
  readonly key?: string
}

export type FirstAccountOptions = { readonly key?: string | undefined; readonly region: string; readonly name?: string }

const credits = 10_000
/** RFC 2606; no relay accepts this domain as a sender. */
export const exampleSenderAddress = 'hello@example.com'

/** Undefined if an account exists, or another process just created one. */
const firstAccount = async ({ accounts }: Core, name: string) => {
  if ((await accounts.list()).length > 0) return undefined
  try {
    return await accounts.create({ name })
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'duplicate') return undefined
    throw error
  }
}

/** With 10,000 credits, a project in sandbox (spec), a sender, a list and an API key. Does nothing if an account exists. */
export const createFirstAccount = async (
  core: Core,
  { key, region, name = 'Posthorn' }: FirstAccountOptions,
): Promise<Bootstrapped | undefined> => {
  const account = await firstAccount(core, name)
  if (!account) return undefined
  await core.accounts.addCredit(account._id, credits)
  const project = await core.projects.create({ accountId: account._id, name: 'First project' })
  const scope: Scope = { projectId: project._id, caller: 'operator' }
  const sender = await core.senderIdentities.create(scope, { email: exampleSenderAddress, name, region })
  const list = await core.subscriberLists.create(scope, { name: 'Newsletter' })
  const made = await core.apiKeys.create(project._id, { name: 'First key', ...(key !== undefined && { key }) })
  return {
    accountId: account._id,
    projectId: project._id,
    listId: list._id,
    senderIdentityId: sender._id,
    ...(key === undefined && { key: made.key }),
  }
}

export type IdsOfOnlyProject = Pick<Bootstrapped, 'accountId' | 'projectId'> & { readonly listId?: string | undefined }

/** Undefined unless the store has exactly one project. */
export const findOnlyProject = async ({
  projects,
  subscriberLists,
}: Pick<Repositories, 'projects' | 'subscriberLists'>): Promise<IdsOfOnlyProject | undefined> => {
  const oldest = { sort: { by: 'createdAt', order: 'asc' }, skip: 0 } as const
  const [project, another] = (await projects.list({ where: {}, ...oldest, limit: 2 })).items
  if (!project || another) return undefined
  const { _id: projectId, accountId } = project
  const [list] = (await subscriberLists.list({ where: { projectId }, ...oldest, limit: 1 })).items
  return { accountId, projectId, listId: list?._id }
}
