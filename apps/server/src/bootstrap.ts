import { type Core, Refusal, type Scope } from '@posthorn/core'
import type { Repositories } from '@posthorn/core/ports'

export type Bootstrapped = {
  readonly accountId: string
  readonly projectId: string
  readonly listId: string
  readonly senderIdentityId: string
  /** Absent where it was given: it is nowhere printed. */
  readonly key?: string
}

export type BootstrapOptions = { readonly key?: string | undefined; readonly region: string; readonly name?: string }

const credits = 10_000

/** The first account; undefined where there is one already, also where another process made it a moment ago. */
const firstAccount = async ({ accounts }: Core, name: string) => {
  if ((await accounts.list()).length > 0) return undefined
  try {
    return await accounts.create({ name })
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'duplicate') return undefined
    throw error
  }
}

/**
 * What a first start makes, so that a newcomer can send at once: an account with 10,000 credits, a project (in sandbox, as the
 * spec says), a sender identity, a list and an API key. Nothing where there is an account already.
 */
export const bootstrap = async (
  core: Core,
  { key, region, name = 'Posthorn' }: BootstrapOptions,
): Promise<Bootstrapped | undefined> => {
  const account = await firstAccount(core, name)
  if (!account) return undefined
  await core.worker.beginStore()
  await core.accounts.addCredit(account._id, credits)
  const project = await core.projects.create({ accountId: account._id, name: 'First project' })
  const scope: Scope = { projectId: project._id, caller: 'operator' }
  const sender = await core.senderIdentities.create(scope, { email: 'hello@example.com', name, region })
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

/** What somebody needs to call the server by: of its only project, the first list. */
export type Standing = Pick<Bootstrapped, 'accountId' | 'projectId'> & { readonly listId?: string | undefined }

/** Where a server that is not new stands; undefined where it has several projects, or none. */
export const standing = async ({
  projects,
  subscriberLists,
}: Pick<Repositories, 'projects' | 'subscriberLists'>): Promise<Standing | undefined> => {
  const oldest = { sort: { by: 'createdAt', order: 'asc' }, skip: 0 } as const
  const [project, another] = (await projects.list({ where: {}, ...oldest, limit: 2 })).items
  if (!project || another) return undefined
  const { _id: projectId, accountId } = project
  const [list] = (await subscriberLists.list({ where: { projectId }, ...oldest, limit: 1 })).items
  return { accountId, projectId, listId: list?._id }
}

/** Lines that set variables in a shell, to be pasted; one that is not known is left out. */
export const exportLines = (variables: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(variables)
    .flatMap(([name, value]) => (value === undefined ? [] : [`export ${name}=${value}`]))
    .join('\n')

const idLines = ({ accountId, projectId, listId }: Standing, base: string, key?: string) =>
  exportLines({ POSTHORN: base, ACCOUNT: accountId, PROJECT: projectId, LIST: listId, KEY: key })

const newKey = 'export KEY=$(npm run --silent posthorn -- key create)'

const look = (base: string) => `The API    ${base}/docs
The mail   ${base}/outbox
`

const curl = (path: string, body?: string) =>
  `curl -s "$POSTHORN/v1/projectId/$PROJECT/${path}" -H "Authorization: Bearer $KEY"${
    body === undefined ? '' : ` -H 'Content-Type: application/json' -d ${body}`
  }`

/** In quotes for a shell, which puts `$LIST` in. */
const withList = (value: unknown) => `"${JSON.stringify(value).replace(/["\\]/g, '\\$&')}"`

/** What is printed once after the first start: lines that set what the README's commands name, three more to try it, and where to look. */
export const welcome = (made: Bootstrapped, base: string): string => {
  const key = made.key ?? '"$POSTHORN_BOOTSTRAP_KEY"'
  const campaign = {
    name: 'First campaign',
    subject: 'Hello {{contact.name}}',
    type: 'html',
    document: "<p>Hello {{contact.name}}, this is Posthorn.</p><p><a href='{{unsubscribeLink}}'>Unsubscribe</a></p>",
    timeZone: 'UTC',
    subscriberListId: '$LIST',
    status: 'scheduled',
    scheduledTo: '2020-01-01T00:00:00Z',
  }
  return `
This is the first start: an account with 10,000 credits, a project in sandbox (100 mails a day,
one per second), a sender identity and a list were made. Paste this into another terminal${
    made.key ? ';\nthe key is shown this once' : ''
  }:

${idLines(made, base, key)}

Add a subscriber, send a campaign to the list, see how it went:

${curl('subscriber-lists/$LIST/subscribers', `'${JSON.stringify({ email: 'ada@example.com', name: 'Ada' })}'`)}

${curl('campaigns', withList(campaign))}

${curl('campaigns?limit=1')}

${look(base)}`
}

/** What is printed after any later start: what may be shown again. A key may not, as only its hash is kept. */
export const greeting = (known: Standing | undefined, base: string): string =>
  known
    ? `
To call it from another terminal:

${idLines(known, base)}
${newKey}   # or a key that you have

${look(base)}`
    : `
${look(base)}`
