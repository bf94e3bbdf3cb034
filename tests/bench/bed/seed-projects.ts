import { join } from 'node:path'
import { openMongoStore } from '@posthorn/adapters-mongo'
import { smtpMailer } from '@posthorn/adapters-smtp'
import { openSqliteStore } from '@posthorn/adapters-sqlite'
import { allowAnySenderDomain, type ImportRow, type Scope } from '@posthorn/core'
import { openPosthorn } from '@posthorn/embed'
import { answerCalls } from './calls.js'
import { newsletter } from './content.js'

export type Seed = {
  readonly dataDir: string
  readonly mongodbUrl?: string | undefined
  readonly secret: string
  readonly projects: number
  /** In each of them. */
  readonly contacts: number
}

const rowsOf = function* (project: number, contacts: number): Generator<ImportRow> {
  for (let n = 0; n < contacts; n += 1)
    yield {
      line: n + 2,
      values: { email: `reader${n}@p${project}.example.com`, name: `Reader ${n}`, city: `City ${n}` },
    }
}

/** Makes projects with an audience and a campaign whose time has come; the next server sends them. */
const seed = async ({ dataDir, mongodbUrl, secret, projects, contacts }: Seed): Promise<void> => {
  const store = mongodbUrl
    ? await openMongoStore({ url: mongodbUrl, log: () => {} })
    : openSqliteStore({ file: join(dataDir, 'posthorn.db') })
  const posthorn = await openPosthorn({
    store,
    mailer: smtpMailer({ host: '127.0.0.1', port: 9 }),
    publicUrl: 'https://mail.example.com',
    secret,
    worker: false,
    ports: { domainVerified: allowAnySenderDomain },
  })
  const { core } = posthorn
  const { _id: accountId } = await core.accounts.create({ name: 'Many' })
  await core.accounts.addCredit(accountId, 1_000_000_000)
  for (let n = 0; n < projects; n += 1) {
    const project = await core.projects.create({ accountId, name: `Project ${n}` })
    await core.accessReviews.approve(project._id, { monthlyLimit: 0 })
    const scope: Scope = { projectId: project._id, caller: 'operator' }
    await core.senderIdentities.create(scope, { email: 'post@example.com', name: 'Post', region: 'us-east-1' })
    await core.customFields.create(scope, { name: 'city', type: 'string' })
    const list = await core.subscriberLists.create(scope, { name: 'Readers' })
    for await (const result of core.contacts.import(scope, rowsOf(n, contacts), { subscriberListId: list._id }))
      if (!result.ok) throw new Error(result.error)
    await core.campaigns.create(scope, {
      name: 'News',
      ...newsletter,
      timeZone: 'UTC',
      subscriberListId: list._id,
      status: 'scheduled',
      scheduledTo: '2020-01-01T00:00:00Z',
    })
  }
  await posthorn.close()
}

const calls = { seed }
export type SeedCalls = typeof calls

answerCalls(calls)
