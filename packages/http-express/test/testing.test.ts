import { blocked, type Core, createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { httpApp } from '../src/index.js'
import { testClient } from '../src/testing.js'

type Get = Core['projects']['get']

/** What the client says when the project is answered so. */
const answering = async (get: (real: Get) => Get) => {
  const { ports } = inMemoryPorts()
  const core = createCore(ports)
  const { key, project } = await sampleProject(core)
  const app = httpApp({
    core: { ...core, projects: { ...core.projects, get: get(core.projects.get) } },
    publicUrl: 'https://posthorn.example.com',
    log: ports.log,
  })
  const client = await testClient(app)
  try {
    const { status, result } = await client.call('getProject', { key, params: { projectId: project._id } })
    return `${status} ${result.name}`
  } finally {
    await client.close()
  }
}

describe('the test client', () => {
  it('passes on what the row promises', async () => {
    expect(await answering((real) => real)).toBe('200 Sample')
  })

  it('fails a test that is answered a field which the view does not name', async () => {
    const leaking: (real: Get) => Get = (real) => async (scope) =>
      Object.assign({ ...(await real(scope)) }, { digest: 'secret' })
    await expect(answering(leaking)).rejects.toThrow('getProject answered fields that its view does not name')
  })

  it('fails a test that is answered another shape', async () => {
    const wrong: (real: Get) => Get = (real) => async (scope) => Object.assign({ ...(await real(scope)) }, { name: 7 })
    await expect(answering(wrong)).rejects.toThrow('getProject answered what its view does not fit')
  })

  it('fails a test that is answered a status which the row does not promise', async () => {
    const refusing: (real: Get) => Get = () => () => Promise.reject(blocked('not now'))
    await expect(answering(refusing)).rejects.toThrow('getProject answered 405, which its row does not promise')
    const failing: (real: Get) => Get = () => () => Promise.reject(new Error('fault'))
    await expect(answering(failing)).rejects.toThrow('getProject answered 500')
  })
})
