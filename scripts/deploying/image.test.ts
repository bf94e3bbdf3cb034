import { execFile, execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bootstrapKey,
  checkout,
  freePort,
  startServer,
  stopServer,
  temporaryDirectory,
} from '../../tests/server-process.js'
import { copyContext } from './context.js'
import { readDockerfile } from './dockerfile.js'

const run = promisify(execFile)
const output = { maxBuffer: 256 * 1024 * 1024 }

const isThere = (program: string): boolean => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const tools = ['buildah', 'debootstrap', 'unshare', 'setpriv']
const missing = process.geteuid?.() === 0 ? tools.filter((one) => !isThere(one)) : ['root']
const skipped = missing.length === 0 ? '' : ` (skipped without ${missing.join(', ')})`

describe.skipIf(missing.length > 0)(`the image that buildah builds from the Dockerfile${skipped}`, () => {
  const place = temporaryDirectory()
  const at = (...parts: readonly string[]) => join(place.path, ...parts)
  const buildah = async (...args: readonly string[]) => {
    const own = ['--storage-driver', 'vfs', '--root', at('storage'), '--runroot', at('running')]
    return (await run('buildah', [...own, ...args], output)).stdout.trim()
  }
  let root = ''

  /** Debian with the Node and npm of this machine: no registry of images is asked. */
  const makeBase = async (): Promise<void> => {
    const packages = '--include=ca-certificates,libstdc++6'
    await run('debootstrap', ['--variant=minbase', packages, 'bookworm', at('base')], output)
    const npm = join((await run('npm', ['root', '--global'])).stdout.trim(), 'npm')
    mkdirSync(at('base/usr/lib/node_modules'), { recursive: true })
    await run('cp', ['-aL', process.execPath, at('base/usr/bin/node')])
    await run('cp', ['-aL', npm, at('base/usr/lib/node_modules/npm')])
    for (const name of ['npm', 'npx'])
      await run('ln', ['-s', `../lib/node_modules/npm/bin/${name}-cli.js`, at('base/usr/bin', name)])
    const authorities = process.env.NODE_EXTRA_CA_CERTS
    const bundle = at('base/etc/ssl/certs/ca-certificates.crt')
    if (authorities) appendFileSync(bundle, readFileSync(authorities))
    const container = await buildah('from', 'scratch')
    await buildah('copy', '--quiet', container, at('base'), '/')
    await buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt', container)
    await buildah('commit', '--quiet', container, 'localhost/base')
    await buildah('rm', container)
  }

  beforeAll(async () => {
    await makeBase()
    await copyContext(at('context'))
    // Images of the OCI format have no health check.
    const isolated = ['--isolation', 'chroot', '--network', 'host', '--pull=never', '--format', 'docker']
    const from = ['--build-arg', 'NODE_IMAGE=localhost/base', '--file', join(checkout, 'Dockerfile')]
    await buildah('build', ...isolated, ...from, '--tag', 'localhost/posthorn', at('context'))
    root = await buildah('mount', await buildah('from', '--pull=never', 'localhost/posthorn'))
  }, 900_000)
  afterAll(async () => {
    await buildah('umount', '--all')
    place.remove()
  }, 300_000)

  it('has the user, the command and the health check of the Dockerfile, and no sources', async () => {
    const [, stage] = readDockerfile(readFileSync(join(checkout, 'Dockerfile'), 'utf8'))
    const { Docker: image } = JSON.parse(await buildah('inspect', '--type', 'image', 'localhost/posthorn'))
    expect(image.config).toMatchObject({
      ...{ User: stage?.user, Cmd: stage?.command, StopSignal: 'SIGTERM', WorkingDir: '/app' },
      Healthcheck: { Test: ['CMD', ...(stage?.healthcheck ?? [])] },
    })
    expect(existsSync(join(root, 'src/packages'))).toBe(false)
  })

  it('starts as its user on a root that cannot be written, is ready and healthy, and ends by SIGTERM', async () => {
    const [, stage] = readDockerfile(readFileSync(join(checkout, 'Dockerfile'), 'utf8'))
    const metrics = String(await freePort())
    const own = { HOST: '127.0.0.1', PORT: '0', POSTHORN_METRICS_PORT: metrics, POSTHORN_BOOTSTRAP_KEY: bootstrapKey }
    // A mount namespace of its own: the root is read-only but for /data and /proc.
    const mounts = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount -t tmpfs -o uid=10001,gid=10001,mode=700 data "$1/data" && mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev"`
    const user = 'setpriv --reuid=10001 --regid=10001 --clear-groups --no-new-privs'
    const enter = `${mounts} && root=$1 && shift && exec chroot "$root" ${user} "$@"`
    const command = ['unshare', '--mount', 'sh', '-ec', enter, 'sh', root, ...(stage?.command ?? [])] as const
    const server = await startServer({ ...stage?.environment, ...own }, [...command] as [string, ...string[]])
    expect((await fetch(`${server.base}/readyz`)).status).toBe(200)
    const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8')
    expect(status).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m)
    const inside = `/proc/${server.child.pid}/root`
    expect(() => chmodSync(join(inside, 'app'), 0o777)).toThrow('EROFS')
    expect(readdirSync(join(inside, 'data'))).toContain('posthorn.db')
    const [program = '', ...check] = stage?.healthcheck ?? []
    await run('chroot', [root, program, ...check], { env: { ...stage?.environment, POSTHORN_METRICS_PORT: metrics } })
    expect(await stopServer(server)).toBe(0)
  })
})
