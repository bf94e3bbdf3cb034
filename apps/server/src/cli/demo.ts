import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Campaign } from '@posthorn/core/ports/storage'
import { createFirstAccount } from '../bootstrap.js'
import { type Config, readConfig } from '../config.js'
import { tokens } from '../container.js'
import { hasStore } from '../data-directory.js'
import { endOnSignal } from '../ending.js'
import { UnusablePort } from '../listening.js'
import { type StartedServer, startServer } from '../server.js'
import { posthornShellCommand, serverStartCommandText, shellExportLines } from '../startup-text.js'
import { campaignProgressText, watchCampaign } from './campaigns.js'
import { demoFeed, prepareDemo } from './demo-content.js'
import type { DemoSes } from './demo-ses.js'
import { CommandFailure, type CommandOutput } from './output.js'
import type { Terminal } from './terminal.js'

export type DemoOptions = {
  readonly contacts: number
  readonly mailer?: 'outbox' | 'ses'
  readonly fresh?: boolean
  readonly exit?: boolean
}

/** The demo needs no network. @throws CommandFailure if the port is taken */
const serveFeed = (port: number): Promise<{ server: Server; url: string }> =>
  new Promise((resolve, reject) => {
    const server = createServer((_request, response) => {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(demoFeed))
    })
    server.once('error', ({ message }) =>
      reject(new CommandFailure(`The demo's feed cannot be served (${message}). Begin anew with --fresh.`)),
    )
    server.listen(port, '127.0.0.1', () =>
      resolve({ server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/news.json` }),
    )
  })

/** An interrupted campaign needs its old port; 0 is any. */
const feedPort = (campaign: Campaign | undefined): number =>
  Number(new URL(campaign?.feeds[0]?.url ?? 'http://x:0').port)

const demoConfig = (environment: Terminal['environment'], ses: DemoSes | undefined): Config => {
  const config = readConfig(environment)
  return {
    ...config,
    smtp: undefined,
    ses: ses?.config,
    ...(ses && { regions: [ses.config.region], verifyDomains: false }),
    store: 'sqlite',
    dataDir: join(config.dataDir, 'demo'),
    allowPrivateFeeds: true,
    roles: new Set(['api']),
    logLevel: 'error',
  }
}

const unfinished = (server: StartedServer): Promise<Campaign | undefined> =>
  server.container.get(tokens.store).repositories.campaigns.get({ status: ['being-sent', 'scheduled'] })

const startOnFreePort = async (config: Config): Promise<StartedServer> => {
  try {
    return await startServer(config)
  } catch (error) {
    if (!(error instanceof UnusablePort)) throw error
    return startServer({ ...config, port: 0 })
  }
}

type Begun = { readonly server: StartedServer; readonly interrupted: Campaign | undefined }

const assertAlone = async ({ dataDir }: Config) => {
  if (!hasStore(dataDir)) return
  const { isOpenElsewhere } = await import('@posthorn/adapters-sqlite')
  if (isOpenElsewhere(join(dataDir, 'posthorn.db')))
    throw new CommandFailure(`Another demo or server uses ${dataDir}. End it first.`)
}

/** Continues an interrupted demo unless `fresh`. */
const begin = async (config: Config, fresh: boolean): Promise<Begun> => {
  if (fresh) rmSync(config.dataDir, { recursive: true, force: true })
  const server = await startOnFreePort(config)
  const interrupted = await unfinished(server)
  if (interrupted || (await server.core.accounts.list()).length === 0) return { server, interrupted }
  await server.stop()
  return begin(config, true)
}

type Subject = { readonly projectId: string; readonly campaignId: string; readonly key?: string }

const prepared = async ({ core }: StartedServer, config: Config, feedUrl: string, n: number, output: CommandOutput) => {
  const [region = ''] = config.regions
  const made = await createFirstAccount(core, { key: config.bootstrapKey, region, name: 'Posthorn demo' })
  if (!made) throw new CommandFailure(`Another demo uses ${config.dataDir}.`)
  const campaignId = await prepareDemo(core, made, { n, feedUrl, bar: output.progress('Importing') })
  return { projectId: made.projectId, campaignId, ...(made.key && { key: made.key }) }
}

const demoPerson = 'demo@example.com'

/** A later demo of the same data finds the person. */
const consoleLink = async ({ core }: StartedServer, projectId: string): Promise<string> => {
  const { commands } = core.people
  if (!(await commands.list()).some(({ email }) => email === demoPerson)) {
    const accountId = await core.accountOf(projectId)
    await commands.create({ email: demoPerson, name: 'Demo', operator: true }, { accountId, role: 'owner' })
  }
  return (await commands.link(demoPerson)).url
}

const told = (
  config: Config,
  base: string,
  { projectId, campaignId, key: made }: Subject,
  link: string | undefined,
  ses: DemoSes | undefined,
) => {
  const { dataDir, bootstrapKey } = config
  const posthorn = posthornShellCommand(config)
  const key = made ?? (bootstrapKey === undefined ? undefined : '"$POSTHORN_BOOTSTRAP_KEY"')
  const variables = { POSTHORN: base, PROJECT: projectId, CAMPAIGN: campaignId, KEY: key }
  const newKey = key === undefined ? `export KEY=$(${posthorn} key create)\n` : ''
  const again = `${link === undefined ? 'The' : 'Ctrl-C ends the server; the'} data stays in ${dataDir} until the next demo. Serve it again, or ask for its report:

${serverStartCommandText(config)}
${posthorn} campaign report ${campaignId}`
  if (link === undefined) return again
  return `Paste this into another terminal:

${shellExportLines(variables)}
${newKey}
curl -s "$POSTHORN/v1/projectId/$PROJECT/campaigns/$CAMPAIGN/stats" -H "Authorization: Bearer $KEY"

${
  ses
    ? `curl -s "$POSTHORN/v1/projectId/$PROJECT/suppression-list" -H "Authorization: Bearer $KEY"

Amazon SES ${ses.url}   (on this machine; every fiftieth mail bounced)`
    : `The mail   ${base}/outbox   (files in ${join(dataDir, 'outbox')})`
}
The API    ${base}/docs

The console, signed in (the link works once, within 15 minutes; the second command prints another):

${link}
${posthorn} person link ${demoPerson}

${again}`
}

/** Returns whether every recipient got the campaign. */
export const runDemo = async (
  environment: Terminal['environment'],
  { contacts, mailer = 'outbox', fresh = false, exit = false }: DemoOptions,
  output: CommandOutput,
): Promise<boolean> => {
  const ses = mailer === 'ses' ? await (await import('./demo-ses.js')).startDemoSes() : undefined
  const config = demoConfig(environment, ses)
  await assertAlone(config)
  const { server, interrupted } = await begin(config, fresh)
  endOnSignal(server)
  if (interrupted) output.note('An earlier demo was interrupted: its campaign goes on')
  const feedServer = await serveFeed(feedPort(interrupted))
  const subject: Subject = interrupted
    ? { projectId: interrupted.projectId, campaignId: interrupted._id }
    : await prepared(server, config, feedServer.url, contacts, output)
  if (ses && server.base !== undefined) await ses.tell(server.base)
  await server.core.worker.start()
  const { projectId, campaignId } = subject
  const progress = await watchCampaign(
    () => server.core.campaigns.progress({ projectId, caller: 'operator' }, campaignId),
    output.progress('Sending'),
  )
  feedServer.server.close()
  const { base = '' } = server
  const taken = await ses?.taken()
  const link = exit ? undefined : await consoleLink(server, projectId)
  const kept = taken ? { ses: taken } : { outbox: join(config.dataDir, 'outbox') }
  output.result(
    { ...subject, ...progress, base, dataDir: config.dataDir, ...kept, ...(link && { console: link }) },
    `${campaignProgressText(progress)}${taken ? `\nAmazon SES accepted ${taken.mails} mails; ${taken.bounces} bounced` : ''}\n\n${told(config, base, subject, link, ses)}`,
  )
  if (exit) await server.stop()
  if (exit) await ses?.close()
  return progress.status === 'sent' && progress.deliveries.failed === 0
}
