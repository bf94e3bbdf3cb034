import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { httpApp, type OperationId } from '../src/index.js'
import { type Asked, testClient } from '../src/testing.js'

/** The whole API in memory, with a project that can send; with other ports where they are given. */
export const aWorld = async (changes: Parameters<typeof inMemoryPorts>[0] = {}) => {
  const { ports, clock, mailer, jobs } = inMemoryPorts(changes)
  const core = createCore(ports)
  const project = await sampleProject(core)
  const app = httpApp({
    core,
    publicUrl: ports.settings.publicUrl,
    log: ports.log,
    rateLimit: { perSecond: 1e6, burst: 1e6 },
  })
  const client = await testClient(app)
  return {
    core,
    ports,
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
