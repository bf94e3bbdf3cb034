import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createCore } from '@posthorn/core'
import { aWebhookDelivery, inMemoryPorts, sampleProject, scriptedCloudAccount } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { sampleImages } from '../../../tests/corpora/images.js'
import { exampleIds, exampleOfOperation, exampleUnsubscribeToken } from '../src/examples/index.js'
import { httpApp, type OperationId, routes } from '../src/index.js'
import { routeExampleCode } from '../src/reference/code.js'
import { type TestClient, testClient } from '../src/testing.js'
import { imageForm, withFields, withFile } from './image-form.js'
import { unlimited } from './world.js'

/** An order in which every example finds what it names. */
const order: readonly OperationId[] = [
  ...(['getApiKey', 'getProject', 'updateProject', 'listRegions'] as const),
  ...(['createDomain', 'listDomains', 'getDomain', 'updateDomain', 'checkDomain', 'exportDomainDns'] as const),
  ...(['createSenderIdentity', 'listSenderIdentities', 'setDefaultSenderIdentity'] as const),
  ...(['listDesignSystems', 'updateDesignSystem'] as const),
  ...(['createCustomField', 'listCustomFields', 'createContact', 'listContacts', 'getContact'] as const),
  ...([
    'bulkContacts',
    'exportContacts',
    'updateContact',
    'createContactTag',
    'listContactTags',
    'getContactTag',
    'updateContactTag',
  ] as const),
  ...(['createSubscriberList', 'listSubscriberLists', 'getSubscriberList', 'subscribe'] as const),
  ...(['uploadImport', 'listImports', 'getImport', 'previewImport', 'startImport'] as const),
  ...(['listFailedImportRows', 'exportImportErrors', 'cancelImport'] as const),
  ...(['listSubscribers', 'getSubscriber', 'listSubscribersOfList', 'listSubscriptions'] as const),
  ...(['getSubscriberListStats'] as const),
  ...(['createSegment', 'listSegments', 'getSegment', 'updateSegment'] as const),
  ...(['createTemplate', 'listTemplates', 'getTemplate', 'updateTemplate'] as const),
  ...(['createTransactionalEmail', 'listTransactionalEmails', 'getTransactionalEmail'] as const),
  ...([
    'updateTransactionalEmail',
    'sendMail',
    'cancelSend',
    'getSendStats',
    'listSendRecipients',
    'sendBatch',
    'sendTransactional',
    'sendTransactionalByEmail',
    'sendTestEmail',
    'renderPreview',
  ] as const),
  ...(['createTriggeredEmail', 'listTriggeredEmails', 'getTriggeredEmail', 'updateTriggeredEmail'] as const),
  ...(['sendTriggered', 'sendTriggeredByEmail'] as const),
  ...(['createCampaign', 'listCampaigns', 'getCampaign', 'previewCampaignAudience'] as const),
  ...(['previewCampaignExclusions', 'updateCampaign', 'getCampaignProgress'] as const),
  ...(['getCampaignReport', 'getCampaignReportLink', 'listCampaignExclusions', 'exportCampaignRecipients'] as const),
  ...(['retryFailedMails', 'previewRetry', 'stopCampaign', 'continueCampaign'] as const),
  ...(['getCampaignStats', 'listCampaignRecipients', 'getTriggeredEmailStats', 'listEmailErrorLogs'] as const),
  ...(['listTriggeredEmailRecipients', 'getTransactionalEmailStats', 'listTransactionalEmailRecipients'] as const),
  ...(['unsubscribe', 'updateSubscriber', 'listPublicLists', 'updateSubscriberList', 'subscribeToList'] as const),
  ...(['resendVerificationEmail', 'getSubscriberOfList', 'updateSubscriberOfList'] as const),
  ...([
    'bulkSubscribe',
    'createSignupForm',
    'listSignupForms',
    'getSignupForm',
    'updateSignupForm',
    'getSignupFormEmbed',
  ] as const),
  ...(['getCaptcha', 'getChallenge', 'submitSignupForm'] as const),
  ...(['createSuppression', 'listSuppressions'] as const),
  ...(['setWebhook', 'getWebhook', 'testWebhook', 'enableWebhook'] as const),
  ...(['listWebhookLog', 'getWebhookLogEntry', 'replayWebhookEvents'] as const),
  ...(['createWebhook', 'listWebhooks', 'getWebhookEndpoint', 'updateWebhook', 'testWebhookEndpoint'] as const),
  ...(['listWebhookEndpointLog', 'getWebhookEndpointLogEntry', 'replayWebhookEndpointEvents'] as const),
  ...(['deleteWebhookEndpoint', 'listMailHistories', 'getMailHistory'] as const),
  ...(['createGalleryFolder', 'listGalleryFolders', 'getGalleryFolder', 'updateGalleryFolder'] as const),
  ...(['uploadGalleryImage', 'listGalleryImages', 'getGalleryImage', 'updateGalleryImage'] as const),
  ...(['getSandboxDeliverability', 'applyForProductionAccess', 'getProductionAccess'] as const),
  ...(['requestLimitIncrease', 'getProductionDeliverability', 'checkCloud', 'getSetupLink'] as const),
  ...(['deleteGalleryImage', 'deleteGalleryFolder', 'deleteWebhook', 'deleteSuppression', 'deleteSignupForm'] as const),
  ...(['deleteCampaign', 'deleteTriggeredEmail', 'deleteSubscriberList', 'deleteTransactionalEmail'] as const),
  ...(['deleteTemplate', 'deleteSegment', 'deleteContactTag', 'deleteCustomField', 'deleteContact'] as const),
  ...(['deleteSenderIdentity', 'deleteDomain'] as const),
]

const role = 'arn:aws:iam::123456789012:role/posthorn'

const verified = { 'eu-west-1': ['post@example.com', 'news@example.com', 'no-reply@example.org'] }

type Answer = {
  readonly _id?: string
  readonly dispatchId?: string
  readonly items?: readonly { readonly _id?: string }[]
}

type World = {
  readonly key: string
  readonly client: TestClient
  /** The sample with what there is in place of each id in it. */
  readonly real: <T>(sample: T) => T
}

/** Sends one example, and says what came back. */
type Sender = (
  id: OperationId,
  world: World,
) => Promise<{ readonly status: number; readonly result: unknown; readonly message?: string | undefined }>

/** What the examples do to a project in memory, from the first to the last. */
const sendAll = async (send: Sender) => {
  const { ports, mailer, dns, clock } = inMemoryPorts({
    cloudAccount: scriptedCloudAccount({ opens: [role], verified }),
  })
  const core = createCore(ports)
  const { project, key, scope } = await sampleProject(core, { production: false })
  const { log } = ports
  const client = await testClient(httpApp({ core, publicUrl: ports.settings.publicUrl, log, rateLimits: unlimited }))
  const known = new Map<string, string>([[exampleIds.project, project._id]])
  /** The text with what there is in place of each sample. */
  const real = <T>(sample: T): T =>
    JSON.parse([...known].reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(sample)))

  /** What only somebody else can do between two requests. */
  const meanwhile = async (id: OperationId) => {
    // Until the confirmation mail may be sent again.
    if (id === 'subscribeToList') clock.advance(10 * 60_000)
    if (id === 'setWebhook') await ports.webhookOutbox.add([aWebhookDelivery({ projectId: project._id })])
    if (id === 'applyForProductionAccess') await core.accessReviews.approve(project._id)
    if (id === 'deleteSenderIdentity')
      for (const { _id, email } of (await core.senderIdentities.list(scope)).items)
        if (email.endsWith('@example.org')) await core.senderIdentities.remove(scope, _id)
    if (id === 'createDomain')
      for (const { requiredDns } of (await core.domains.list(scope)).items) dns.publish(requiredDns)
    if (id === 'updateCampaign') {
      const campaignId = known.get(exampleIds.campaign) ?? ''
      await core.campaigns.update(scope, campaignId, { status: 'draft' })
      await core.campaigns.update(scope, campaignId, { status: 'scheduled', scheduledTo: clock.now().toISOString() })
    }
    if (id === 'previewRetry')
      await core.campaigns.update(scope, known.get(exampleIds.campaign) ?? '', {
        status: 'scheduled',
        scheduledTo: clock.now().toISOString(),
      })
    if (id !== 'sendTriggered' && id !== 'updateCampaign' && id !== 'continueCampaign') return
    // A project in sandbox sends one mail in a second.
    for (let second = 0; second < 5; second += 1) {
      clock.advance(1000)
      await core.worker.runUntilIdle()
    }
    const mime = mailer.sent.map((mail) => mail.mime.replace(/\r\n[ \t]/g, '')).join()
    known.set(exampleUnsubscribeToken, /List-Unsubscribe: <[^>]*token=([^>&]+)/.exec(mime)?.[1] ?? 'none was mailed')
  }

  const answers: [id: OperationId, status: number, message: string | undefined][] = []
  for (const id of order) {
    const { status, result, message } = await send(id, { key, client, real })
    answers.push([id, status, message])
    const { makes } = exampleOfOperation(id) ?? {}
    const answer = result as Answer | undefined
    const made = answer?._id ?? answer?.items?.[0]?._id ?? answer?.dispatchId
    if (makes && made) known.set(makes, made)
    await meanwhile(id)
  }
  await client.close()
  return answers
}

const rowOf = (id: OperationId) => {
  const row = routes.find((one) => one.id === id)
  if (!row) throw new Error(`There is no endpoint ${id}`)
  return row
}

const contacts = 'email,name\nannie@example.com,Annie Easley\n'

const formOf = ({ id, upload }: ReturnType<typeof rowOf>, fields: { [part: string]: string }) => {
  const file = exampleOfOperation(id)?.file
  return file
    ? withFile(withFields(fields), { part: upload?.part ?? '', filename: file.name, type: file.type, bytes: contacts })
    : imageForm(fields)
}

/** As the row has it, by one spelling of its path. */
const bySpelling =
  (spelling: number): Sender =>
  async (id, { key, client, real }) => {
    const row = rowOf(id)
    const { params = {}, query = {}, body, headers } = exampleOfOperation(id) ?? {}
    const texts = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
    const sent = row.upload ? formOf(row, real(body) as { [part: string]: string }) : body && real(body)
    const { status, result, error } = await client.call(id, {
      ...(row.auth !== 'origin' && row.auth !== 'none' && { key }),
      params: real({ projectId: exampleIds.project, ...params }),
      query: real(texts),
      ...(sent && { body: sent }),
      ...(headers && { headers }),
      spelling: row.alsoAt?.[spelling - 1] === undefined ? 0 : spelling,
    })
    return { status, result, message: error?.message }
  }

/** A directory with the files that examples upload. */
const withFiles = async <T>(use: (directory: string) => Promise<T>): Promise<T> => {
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-examples-'))
  writeFileSync(join(directory, 'logo.png'), sampleImages['image/png'])
  writeFileSync(join(directory, 'contacts.csv'), contacts)
  return use(directory).finally(() => rmSync(directory, { recursive: true }))
}

const said = (text: string): { readonly status: number; readonly result: unknown; readonly message?: string } => {
  if (!text.startsWith('{')) return { status: 200, result: undefined }
  const { status, result, error } = JSON.parse(text)
  return { status, result, message: error?.message }
}

const run = promisify(execFile)

/** As the reference writes it for a shell. */
const byCurl =
  (directory: string): Sender =>
  async (id, { key, client, real }) => {
    const code = real(routeExampleCode.curl(rowOf(id), client.base))
    const { stdout } = await run('bash', ['-c', code], { cwd: directory, env: { ...process.env, KEY: key } })
    return said(stdout)
  }

const AsyncFunction = (async () => {}).constructor as new (
  ...words: string[]
) => (...given: unknown[]) => Promise<string>

const outcome = (code: string) =>
  code.includes('const file') ? 'file' : 'JSON.stringify({ status: response.status, result, error })'

/** As the reference writes it in TypeScript; a program that reads a file runs beside it, by itself. */
const byTypeScript =
  (directory: string): Sender =>
  async (id, { key, client, real }) => {
    const row = rowOf(id)
    const code = real(routeExampleCode.typescript(row, client.base))
    const env = { ...process.env, KEY: key, NODE_NO_WARNINGS: '1' }
    if (!row.upload) return said(await new AsyncFunction('process', `${code}\nreturn ${outcome(code)}`)({ env }))
    const file = join(directory, `${id}.mjs`)
    writeFileSync(file, `${code}\nprocess.stdout.write(${outcome(code)})\n`)
    return said((await run(process.execPath, [file], { cwd: directory, env })).stdout)
  }

describe('the examples of the reference', () => {
  it('cover every endpoint', () => {
    expect([...order].sort()).toEqual(routes.map(({ id }) => id).sort())
  })

  const refused = async (send: Sender) => (await sendAll(send)).filter(([, status]) => status >= 300)

  it.each([0, 1])('work when sent to spelling %i of the path', async (spelling) => {
    expect(await refused(bySpelling(spelling))).toEqual([])
  })

  it.each([
    ['curl', byCurl],
    ['TypeScript', byTypeScript],
  ] as const)(
    'work as written: %s',
    async (_, by) => {
      expect(await withFiles((directory) => refused(by(directory)))).toEqual([])
      // One process of curl per example.
    },
    180_000,
  )

  it('describe what each endpoint does', () => {
    for (const { id } of routes)
      expect([id, exampleOfOperation(id)?.description ?? '']).toEqual([id, expect.stringMatching(/\.$/)])
  })

  it('have a body wherever one is accepted', () => {
    const taking = routes.filter(({ body }) => body !== undefined)
    expect(taking.filter(({ id }) => exampleOfOperation(id)?.body === undefined).map(({ id }) => id)).toEqual([])
  })
})
