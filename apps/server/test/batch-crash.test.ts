import { afterEach, describe, expect, it } from 'vitest'
import {
  bootstrapKey,
  projectOf,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
} from '../../../tests/server-process.js'

const mails = 300

let data = temporaryDirectory()
afterEach(() => {
  data.remove()
  data = temporaryDirectory()
})

type Answer = { readonly status: number; readonly accepted?: number }

const started = async () => {
  const first = await startBuiltServer(data.path)
  const project = projectOf(first)
  await runCommand(['access', 'approve', project.project], { POSTHORN_DATA_DIR: data.path })
  const email = { name: 'Receipt', subject: 'Receipt {{n}}', type: 'text', document: '{{n}}' }
  const { _id: transactionalId = '' } = await project.post('/transactional-emails', email)
  const body = JSON.stringify({
    transactionalId,
    mails: Array.from({ length: mails }, (_, n) => ({ email: `person${n}@example.com`, data: { n } })),
  })
  const batch = async (base: string): Promise<Answer> => {
    const response = await fetch(`${base}/v1/projectId/${project.project}/send-transactional/batch`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bootstrapKey}`,
        'content-type': 'application/json',
        'idempotency-key': 'the-batch',
      },
      body,
    })
    const { result } = (await response.json()) as { readonly result?: { readonly accepted: number } }
    return { status: response.status, ...(result && { accepted: result.accepted }) }
  }
  return { first, project, transactionalId, batch }
}

describe('a batch with an Idempotency-Key', () => {
  // The key is free again after the lease of the request: a minute.
  it('is accepted once, when the server is killed in the middle and the request repeated', async () => {
    const { first, project, transactionalId, batch } = await started()
    const lost = batch(first.base).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
    await stopServer(first, 'SIGKILL')
    await lost
    const second = await startBuiltServer(data.path)
    let answer = await batch(second.base)
    while (answer.status === 409) {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      answer = await batch(second.base)
    }
    expect(answer).toEqual({ status: 200, accepted: mails })
    const again = projectOf(second, project)
    const recipients = async () =>
      (await again.get(`/transactional-emails/${transactionalId}/recipients?limit=1`)) as unknown as {
        readonly count: number
      }
    expect((await recipients()).count).toBe(mails)
    expect(await batch(second.base)).toEqual(answer)
    expect((await recipients()).count).toBe(mails)
    await stopServer(second)
  }, 240_000)
})
