import { type Core, Refusal, type Scope } from '@posthorn/core'

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
  await core.accounts.addCredit(account._id, credits)
  const project = await core.projects.create({ accountId: account._id, name: 'First project' })
  const scope: Scope = { projectId: project._id, via: 'operator' }
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

const json = (value: unknown) => `'${JSON.stringify(value)}'`

/** What is printed once after the first start: the ids, three lines to paste, in this order, and where to look. */
export const welcome = ({ projectId, listId, key }: Bootstrapped, base: string): string => {
  const project = `${base}/v1/projectId/${projectId}`
  const bearer = key ? `-H 'Authorization: Bearer ${key}'` : '-H "Authorization: Bearer $POSTHORN_BOOTSTRAP_KEY"'
  const more = `more: npm run posthorn -- key create ${projectId}`
  const curl = (path: string, body: unknown) =>
    `curl -s ${project}/${path} ${bearer} -H 'Content-Type: application/json' -d ${json(body)}`
  const campaign = {
    name: 'First campaign',
    subject: 'Hello {{contact.name}}',
    type: 'html',
    document: '<p>Hello {{contact.name}}, this is Posthorn.</p><p><a href="{{unsubscribeLink}}">Unsubscribe</a></p>',
    timeZone: 'UTC',
    subscriberListId: listId,
    status: 'scheduled',
    scheduledTo: '2020-01-01T00:00:00Z',
  }
  return `
This is the first start: an account with 10,000 credits, a project in sandbox (100 mails a day,
one per second), a sender identity and a list were made.

  project   ${projectId}
  list      ${listId}
  API key   ${key ?? 'the key that you gave'}
            (${key ? `shown this once; ${more}` : more})

Add a subscriber, send a campaign to the list, see how it went:

${curl(`subscriber-lists/${listId}/subscribers`, { email: 'ada@example.com', name: 'Ada' })}

${curl('campaigns', campaign)}

curl -s '${project}/campaigns?limit=1' ${bearer}

The API    ${base}/docs
The mail   ${base}/outbox
`
}
