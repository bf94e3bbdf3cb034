import { type Core, type CorePorts, createCore } from '@posthorn/core'
import { httpApp } from '@posthorn/http-express'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { Posthorn, type PosthornOptions } from '../src/index.js'

const plenty = { perSecond: 1e6, burst: 1e6 }

/** A server in memory, and a client of its project. */
export const aServer = async (ports: Partial<Omit<CorePorts, 'clock' | 'settings'>> = {}) => {
  const world = inMemoryPorts(ports)
  const core: Core = createCore(world.ports)
  const { project, key } = await sampleProject(core)
  const app = httpApp({
    core,
    publicUrl: world.ports.settings.publicUrl,
    log: world.ports.log,
    rateLimits: { api: plenty, pages: plenty, images: plenty, unsubscribe: plenty },
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { readonly port: number }
  const baseUrl = `http://127.0.0.1:${port}`
  const options: PosthornOptions = { baseUrl, projectId: project._id, apiKey: key }
  return {
    ...world,
    core,
    project,
    key,
    baseUrl,
    options,
    posthorn: new Posthorn(options),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
