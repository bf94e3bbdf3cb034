import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { descriptionOf } from '../src/developers/description.js'

const { operations } = descriptionOf(
  JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')),
)

const src = join(import.meta.dirname, '../src')
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('text/'))
  .map((name) => readFileSync(join(src, name), 'utf8'))
  .join('\n')

/** Paths of rows as the console writes them, with the method before each; one that is kept in a constant counts for all methods. */
const called = new Set(
  [...sources.matchAll(/(?:'(get|post|put|patch|delete)',\s*)?['`](\/[\w/{}-]*|(?<=, ['`]))['`]/g)].map(
    ([, method = 'any', path = '']) => `${method} ${path}`,
  ),
)

const isCalled = ({ method, path }: (typeof operations)[number]): boolean => {
  const below = path.replace('/v1/projectId/{projectId}', '')
  return called.has(`${method} ${below}`) || called.has(`any ${below}`)
}

const program = 'a program does this, with the data of one event'
const visitor = 'for visitors of a project’s own pages'
const older = 'an older path of what is offered'
const search = 'the search for mails has these, with their reasons'
const rows = 'an import does this with a file'

/** Why people of the console do not need it. */
const reasons: Readonly<Record<string, string>> = {
  ...{ sendMail: program, cancelSend: program, sendBatch: program, getApiKey: program },
  ...{ getSendStats: program, listSendRecipients: search, listEmailErrorLogs: search },
  ...{ listTriggeredEmailRecipients: search, listTransactionalEmailRecipients: search },
  ...{ bulkContacts: rows, bulkSubscribe: rows },
  ...{ getContactTag: 'the list of tags has it', getSubscriberList: 'the list of lists has it' },
  ...{ listSubscribers: 'contacts are filtered by list', getSubscriber: 'the contact’s page has it' },
  deleteSuppression: 'lifting one takes a reason, by a row of the console',
  ...{ listPublicLists: visitor, submitSignupForm: visitor, getCaptcha: visitor, getChallenge: visitor },
  ...{ sendTransactionalByEmail: older, sendTriggeredByEmail: older },
  ...{ listContactsLegacy: older, createContactLegacy: older, getContactLegacy: older },
  ...{ updateContactLegacy: older, deleteContactLegacy: older },
  ...{ listSubscribersOfList: older, subscribeToList: older, getSubscriberOfList: older },
  ...{ updateSubscriberOfList: older, unsubscribe: older },
  ...{ getWebhook: older, setWebhook: older, deleteWebhook: older, testWebhook: older, enableWebhook: older },
  ...{ listWebhookLog: older, getWebhookLogEntry: older, replayWebhookEvents: older },
}

describe('the console', () => {
  it('offers everything that the API can do for a project, but for what only programs need', () => {
    const missing = operations.filter((one) => !isCalled(one)).map(({ operationId }) => operationId)
    expect(missing.filter((id) => !Object.hasOwn(reasons, id))).toEqual([])
    expect(Object.keys(reasons).filter((id) => !missing.includes(id))).toEqual([])
  })
})
