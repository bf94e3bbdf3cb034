import { type CorePorts, type CoreSettings, createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { type HttpAppOptions, httpApp, type OperationId } from '../src/index.js'
import { type TestHttpRequest, testClient } from '../src/testing.js'

const plenty = { perSecond: 1e6, burst: 1e6 }
/** Rates that no test meets by accident. */
export const unlimited = { api: plenty, pages: plenty, images: plenty, unsubscribe: plenty }

/** The whole API in memory, with a project that can send. */
export const aWorld = async ({
  settings,
  maxUpload,
  maxImport,
  rateLimits = unlimited,
  bodyBudget,
  answerLimits,
  workLimits,
  metrics,
  ...changes
}: Partial<Omit<CorePorts, 'clock' | 'settings'>> &
  Pick<
    HttpAppOptions,
    'maxUpload' | 'maxImport' | 'rateLimits' | 'bodyBudget' | 'answerLimits' | 'workLimits' | 'metrics'
  > & {
    readonly settings?: Partial<CoreSettings>
  } = {}) => {
  const { ports: standard, clock, mailer, jobs, dns, identities, lines } = inMemoryPorts(changes)
  const ports = { ...standard, settings: { ...standard.settings, ...settings } }
  const core = createCore(ports)
  const project = await sampleProject(core)
  const app = httpApp({
    core,
    publicUrl: ports.settings.publicUrl,
    log: ports.log,
    rateLimits,
    ...(maxUpload !== undefined && { maxUpload }),
    ...(maxImport !== undefined && { maxImport }),
    ...(bodyBudget && { bodyBudget }),
    ...(answerLimits && { answerLimits }),
    ...(workLimits && { workLimits }),
    ...(metrics && { metrics }),
  })
  const client = await testClient(app)
  return {
    core,
    ports,
    clock,
    mailer,
    jobs,
    dns,
    identities,
    lines,
    project,
    client,
    app,
    /** Calls an endpoint of the project with its key. */
    call: <I extends OperationId>(id: I, asked: TestHttpRequest = {}) =>
      client.call(id, { key: project.key, ...asked, params: { projectId: project.project._id, ...asked.params } }),
  }
}
export type World = Awaited<ReturnType<typeof aWorld>>
