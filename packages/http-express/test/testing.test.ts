import { type Core, createCore } from '@posthorn/core'
import { blocked } from '@posthorn/core/ports/runtime'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import express, { type Response } from 'express'
import { describe, expect, it } from 'vitest'
import { httpApp } from '../src/index.js'
import { testClient } from '../src/testing.js'

type Get = Core['projects']['get']

const asItIs = <T>(value: T): T => value

/** What the client says when the project is answered so, and the answer is spoilt so on its way. */
const answering = async (get: (real: Get) => Get, spoil: (result: object) => object = asItIs) => {
  const { ports } = inMemoryPorts()
  const core = createCore(ports)
  const { key, project } = await sampleProject(core)
  const app = httpApp({
    core: { ...core, projects: { ...core.projects, get: get(core.projects.get) } },
    publicUrl: 'https://posthorn.example.com',
    log: ports.log,
  })
  const spoiling = express()
  spoiling.use((_request, response, next) => {
    const end = response.end.bind(response)
    response.end = ((text: string) => {
      const body = JSON.parse(text)
      return end(JSON.stringify(body.result ? { ...body, result: spoil(body.result) } : body))
    }) as Response['end']
    next()
  }, app)
  const client = await testClient(spoiling)
  try {
    const { status, result } = await client.call('getProject', { key, params: { projectId: project._id } })
    return `${status} ${result.name}`
  } finally {
    await client.close()
  }
}

describe('the test client', () => {
  it('returns what the row declares', async () => {
    expect(await answering(asItIs)).toBe('200 Sample')
  })

  it('fails a test if a response has a field that the view does not name', async () => {
    const leaking = (result: object) => ({ ...result, digest: 'secret' })
    await expect(answering(asItIs, leaking)).rejects.toThrow('getProject answered fields that its view does not name')
  })

  it('fails a test if a response has the wrong shape', async () => {
    const wrong = (result: object) => ({ ...result, name: 7 })
    await expect(answering(asItIs, wrong)).rejects.toThrow('getProject answered what its view does not fit')
  })

  it('fails a test if a response has an undeclared status', async () => {
    const refusing: (real: Get) => Get = () => () => Promise.reject(blocked('not now'))
    await expect(answering(refusing)).rejects.toThrow('getProject answered 405, which its row does not promise')
    const failing: (real: Get) => Get = () => () => Promise.reject(new Error('fault'))
    await expect(answering(failing)).rejects.toThrow('getProject answered 500')
  })
})
