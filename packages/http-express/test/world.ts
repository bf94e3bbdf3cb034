import { createCore } from '@posthorn/core'
import { inMemoryFiles, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { type HttpAppOptions, httpApp, type OperationId } from '../src/index.js'
import { type Asked, testClient } from '../src/testing.js'

/** The whole API in memory, with a project that can send. */
export const aWorld = async (options: Pick<HttpAppOptions, 'maxUpload'> = {}) => {
  const files = inMemoryFiles()
  const { ports, clock, mailer, jobs } = inMemoryPorts({ files })
  const core = createCore(ports)
  const project = await sampleProject(core)
  const app = httpApp({
    core,
    publicUrl: ports.settings.publicUrl,
    log: ports.log,
    rateLimit: { perSecond: 1e6, burst: 1e6 },
    ...options,
  })
  const client = await testClient(app)
  return {
    core,
    ports,
    files,
    clock,
    mailer,
    jobs,
    project,
    client,
    app,
    /** Calls an endpoint of the project with its key. */
    call: <I extends OperationId>(id: I, asked: Asked = {}) =>
      client.call(id, { key: project.key, ...asked, params: { projectId: project.project._id, ...asked.params } }),
  }
}
export type World = Awaited<ReturnType<typeof aWorld>>
