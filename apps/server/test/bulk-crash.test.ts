import { setTimeout as rest } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import {
  bootstrapKey,
  idsIn,
  type RunningServer,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'

const data = temporaryDirectory()
afterAll(() => data.remove())

type Answer = {
  readonly status: number
  readonly replayed: string | null
  readonly result: {
    readonly counts: object
    readonly results: readonly { readonly status: string; readonly _id: string }[]
  }
}

const rows = Array.from({ length: 5_000 }, (_, n) =>
  JSON.stringify({ email: `p${n % 4_900}@example.com`, name: `Person ${n}` }),
).join('\n')

const send = async ({ base }: RunningServer, project: string): Promise<Answer> => {
  const response = await fetch(`${base}/v1/projectId/${project}/contacts/bulk`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bootstrapKey}`,
      'content-type': 'application/x-ndjson',
      'idempotency-key': 'bulk-1',
    },
    body: rows,
  })
  const { result } = (await response.json()) as Pick<Answer, 'result'>
  return { status: response.status, replayed: response.headers.get('idempotency-replayed'), result }
}

const contactsOf = async ({ base }: RunningServer, project: string) => {
  const response = await fetch(`${base}/v1/projectId/${project}/contacts?limit=1`, {
    headers: { authorization: `Bearer ${bootstrapKey}` },
  })
  return ((await response.json()) as { readonly result: { readonly count: number } }).result.count
}

it('a bulk request whose server is killed is finished by its repetition, with the results of one that was not', async () => {
  const first = await startBuiltServer(data.path)
  const { project } = idsIn(first.printed())
  const lost = send(first, project).then(
    () => 'answered',
    () => 'lost',
  )
  // Some rows are stored and others are not.
  await until(async () => (await contactsOf(first, project)) > 500)
  await stopServer(first, 'SIGKILL')
  const fate = await lost
  const second = await startBuiltServer(data.path)
  let answer = await send(second, project)
  // The killed request holds its key for a minute.
  while (answer.status === 409) {
    await rest(1_000)
    answer = await send(second, project)
  }
  expect([fate, answer.status, answer.result.counts]).toEqual([
    'lost',
    200,
    { created: 4_900, updated: 100, unchanged: 0, failed: 0 },
  ])
  expect(await contactsOf(second, project)).toBe(4_900)
  expect(await send(second, project)).toEqual({ ...answer, replayed: 'true' })
  await stopServer(second)
}, 240_000)
