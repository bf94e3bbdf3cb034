import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Campaign } from '@posthorn/core'
import { bootstrap } from '../bootstrap.js'
import { type Config, readConfig } from '../config.js'
import { endOnSignal } from '../ending.js'
import { assertPortIsFree, type RunningServer, startServer } from '../server.js'
import { tokens } from '../tokens.js'
import { progressText, watchCampaign } from './campaigns.js'
import { feed, prepareDemo } from './demo-content.js'
import { CommandFailure, type Output } from './output.js'

/** What `posthorn demo` takes. */
export type DemoOptions = { readonly contacts: number; readonly fresh?: boolean; readonly exit?: boolean }

/** A feed of the demo's own, on this machine, so that it needs no network. @throws CommandFailure when the port is taken */
const serveFeed = (port: number): Promise<{ server: Server; url: string }> =>
  new Promise((resolve, reject) => {
    const server = createServer((_request, response) => {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(feed))
    })
    server.once('error', ({ message }) =>
      reject(new CommandFailure(`The demo's feed cannot be served (${message}). Begin anew with --fresh.`)),
    )
    server.listen(port, '127.0.0.1', () =>
      resolve({ server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/news.json` }),
    )
  })

/** Where an interrupted campaign expects its feed; 0, any port, for a new one. */
const feedPort = (campaign: Campaign | undefined): number =>
  Number(new URL(campaign?.feeds[0]?.url ?? 'http://x:0').port)

/** The worker starts when the feed can be read. */
const demoConfig = (): Config => {
  const config = readConfig(process.env)
  return {
    ...config,
    smtp: undefined,
    store: 'sqlite',
    dataDir: join(config.dataDir, 'demo'),
    allowPrivateFeeds: true,
    roles: new Set(['api']),
    logLevel: 'error',
  }
}

const removeData = async (config: Config) => {
  await assertPortIsFree(config)
  rmSync(config.dataDir, { recursive: true, force: true })
}

const unfinished = (server: RunningServer): Promise<Campaign | undefined> =>
  server.container.get(tokens.store).repositories.campaigns.get({ status: ['being-sent', 'scheduled'] })

type Begun = { readonly server: RunningServer; readonly interrupted: Campaign | undefined }

/** On the data of a demo that was interrupted or, where there is none, without any. */
const begin = async (config: Config, fresh: boolean): Promise<Begun> => {
  if (fresh) await removeData(config)
  const server = await startServer(config)
  const interrupted = await unfinished(server)
  if (interrupted || (await server.core.accounts.list()).length === 0) return { server, interrupted }
  await server.stop()
  return begin(config, true)
}

type Subject = { readonly projectId: string; readonly campaignId: string; readonly key?: string }

const prepared = async ({ core }: RunningServer, config: Config, feedUrl: string, n: number, quiet: boolean) => {
  const [region = ''] = config.regions
  const made = await bootstrap(core, { key: config.bootstrapKey, region, name: 'Posthorn demo' })
  if (!made) throw new CommandFailure(`Another demo uses ${config.dataDir}.`)
  const campaignId = await prepareDemo(core, made, { n, feedUrl, quiet })
  return { projectId: made.projectId, campaignId, ...(made.key && { key: made.key }) }
}

/** Sends the campaign, or the rest of it, and says where to look; answers whether everybody got it. */
export const runDemo = async (
  { contacts, fresh = false, exit = false }: DemoOptions,
  output: Output,
): Promise<boolean> => {
  const config = demoConfig()
  const { server, interrupted } = await begin(config, fresh)
  endOnSignal(server)
  if (interrupted) output.note('An earlier demo was interrupted: its campaign goes on')
  const feedServer = await serveFeed(feedPort(interrupted))
  const { projectId, campaignId, key }: Subject = interrupted
    ? { projectId: interrupted.projectId, campaignId: interrupted._id }
    : await prepared(server, config, feedServer.url, contacts, output.json)
  await server.core.worker.start()
  const progress = await watchCampaign(
    () => server.core.campaigns.progress({ projectId, via: 'operator' }, campaignId),
    output.json,
  )
  feedServer.server.close()
  const outbox = join(config.dataDir, 'outbox')
  output.result(
    { campaignId, projectId, ...progress, base: server.base, outbox, ...(key && { key }) },
    `${progressText(progress)}

  The mail   ${server.base}/outbox   (files in ${outbox})
  The API    ${server.base}/docs${key ? `\n  API key    ${key}` : ''}
${exit ? '' : '\n  Ctrl-C ends the server; the data stays until the next demo.'}`,
  )
  if (exit) await server.stop()
  return progress.status === 'sent' && progress.deliveries.failed === 0
}
