import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bootstrapKey,
  checkout,
  countMails,
  freePort,
  projectOf,
  startServer,
  stopServer,
  temporaryDirectory,
} from '../../tests/server-process.js'
import { copyContext } from './context.js'
import { readDockerfile } from './dockerfile.js'

const run = promisify(execFile)
const place = temporaryDirectory()
const [build, image] = readDockerfile(readFileSync(join(checkout, 'Dockerfile'), 'utf8'))

/** A path of the image, in the directory that stands for its root. */
const inPlace = (text: string) => text.replace(/(?<![\w.])\/(src|app|data)(?![\w-])/g, `${place.path}/$1`)

const isRoot = process.geteuid?.() === 0
/** Another user than the owner of the code, as in the image. */
const asUser = isRoot ? ['setpriv', '--reuid=10001', '--regid=10001', '--clear-groups', '--no-new-privs'] : []

beforeAll(async () => {
  chmodSync(place.path, 0o755)
  for (const folder of ['src', 'app', 'data']) mkdirSync(join(place.path, folder))
  await run('chown', isRoot ? ['10001:10001', join(place.path, 'data')] : ['--version'])
  for (const { kind, text, directory } of build?.steps ?? [])
    if (kind === 'copy') await copyContext(inPlace(directory))
    else
      await run('sh', ['-ec', inPlace(text)], {
        cwd: inPlace(directory),
        env: { ...process.env, REPOSITORY: 'https://git.example.com/posthorn.git' },
        maxBuffer: 64 * 1024 * 1024,
      })
  await run('chmod', ['-R', 'a-w', join(place.path, 'app')])
}, 900_000)
afterAll(async () => {
  await run('chmod', ['-R', 'u+w', join(place.path, 'app')])
  place.remove()
}, 300_000)

describe('what the Dockerfile builds', () => {
  it('copies to the image what it has built, and runs as another user', () => {
    expect(image?.steps.filter(({ kind }) => kind === 'copy').map(({ text }) => text)).toEqual([
      '--from=build /app /app',
    ])
    expect(image?.user).toBe('10001:10001')
  })

  it('starts on code that it cannot write, is healthy, sends, and ends by SIGTERM without losing a mail', async () => {
    const environment = Object.fromEntries(
      Object.entries(image?.environment ?? {}).map(([name, value]) => [name, inPlace(value)]),
    )
    const metrics = String(await freePort())
    const [command = '', ...args] = image?.command ?? []
    const program = join(place.path, 'app/node_modules/.bin', command)
    const [first = program, ...rest] = [...asUser, program, ...args]
    const own = { HOST: '127.0.0.1', PORT: '0', POSTHORN_METRICS_PORT: metrics, POSTHORN_BOOTSTRAP_KEY: bootstrapKey }
    const path = `${environment.PATH}:${dirname(process.execPath)}`
    const server = await startServer({ ...environment, ...own, PATH: path }, [first, ...rest])
    const [node = '', ...check] = (image?.healthcheck ?? []).map(inPlace)
    expect(node).toBe('node')
    await run(process.execPath, check, { env: { ...process.env, POSTHORN_METRICS_PORT: metrics } })

    const { post, list } = projectOf(server)
    const mails = 20
    for (let n = 0; n < mails; n += 1)
      await post(`/subscriber-lists/${list}/subscribers`, { email: `reader-${n}@example.com` })
    const fields = { name: 'A', subject: 'A', type: 'html', document: '<p>A <a href="{{unsubscribeLink}}">U</a></p>' }
    const now = { timeZone: 'UTC', subscriberListId: list, status: 'scheduled', scheduledTo: '2020-01-01T00:00:00Z' }
    await post('/campaigns', { ...fields, ...now })
    expect(await stopServer(server)).toBe(0)

    const again = await startServer({ ...environment, ...own, PATH: path }, [first, ...rest])
    await expect.poll(() => countMails(join(place.path, 'data'))).toBe(mails)
    expect(await stopServer(again)).toBe(0)
    await expect(
      run(process.execPath, check, { env: { ...process.env, POSTHORN_METRICS_PORT: metrics } }),
    ).rejects.toThrow('ECONNREFUSED')
    expect(statSync(join(place.path, 'data')).mode & 0o077).toBe(0)
    expect(readdirSync(join(place.path, 'data'))).toContain('posthorn.db')
  })
})
