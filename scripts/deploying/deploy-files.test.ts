import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { readConfig } from '../../apps/server/src/config.js'
import { configVariables } from '../../apps/server/src/variables.js'
import { checkout, temporaryDirectory } from '../../tests/server-process.js'
import { readDockerfile } from './dockerfile.js'

const run = promisify(execFile)
const read = (path: string) => readFileSync(join(checkout, path), 'utf8')
const data = temporaryDirectory()
afterAll(() => data.remove())

type Values = Readonly<Record<string, unknown>>

/** YAML 1.1's merge keys included, as Compose reads it. */
const documentsIn = (path: string): readonly Values[] =>
  parseAllDocuments(read(path), { merge: true }).map((document) => {
    if (!('toJS' in document) || document.errors.length > 0) throw new Error(`${path}: ${document.errors.join()}`)
    return document.toJS() as Values
  })

const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Values | undefined)?.[name], value)

/** Of the system and of Node; all others are ours. */
const foreign = ['NODE_ENV', 'PATH', 'TMPDIR']

const shownSecrets: Readonly<Record<string, string>> = {
  POSTHORN_SECRET: 'a secret of 32 characters or more.',
  POSTHORN_OPERATOR_PASSWORD: 'sixteen characters',
  POSTHORN_PUBLIC_URL: 'https://mail.example.com',
  POSTHORN_DOMAIN: 'mail.example.com',
  SMTP_URL: 'smtp://relay.example.com',
}

/** As Compose replaces `${NAME:?…}` and `${NAME:-…}`. */
const withoutReferences = (text: string) =>
  text.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, kind: string, rest: string) =>
    kind === '-' ? rest : (shownSecrets[name] ?? `no value for ${name}`),
  )

/** @throws Error for a variable that the server does not have, or a value that it refuses */
const assertConfigured = (environment: Values) => {
  const given = Object.entries(environment).filter(([name]) => !foreign.includes(name))
  expect(given.map(([name]) => name).filter((name) => !(name in configVariables))).toEqual([])
  return readConfig(
    Object.fromEntries(
      given.map(([name, value]) => [name, withoutReferences(String(value)) || (shownSecrets[name] ?? '')]),
    ),
  )
}

const image = readDockerfile(read('Dockerfile')).at(-1)?.environment ?? {}

describe('the image', () => {
  it('configures a server that keeps everything in /data and answers its health check as a worker, too', () => {
    const config = assertConfigured(image)
    expect(config).toMatchObject({ host: '0.0.0.0', dataDir: '/data', metricsListener: { port: 9464 } })
    expect(image.TMPDIR).toBe('/data')
  })

  it('is built from what git knows, without secrets', () => {
    expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['.git', '**/node_modules', '**/*.pem']))
  })
})

describe.each(['compose.sqlite.yaml', 'compose.mongodb.yaml', 'compose.tls.yaml'])('%s', (file) => {
  const [compose = {}] = documentsIn(`deploy/${file}`)
  const services = Object.entries(compose.services as Record<string, Values>)
  const ours = services.filter(([name]) => ['posthorn', 'api', 'worker'].includes(name))

  it('configures the server', () => {
    expect(ours).not.toEqual([])
    for (const [, { environment }] of ours) assertConfigured({ ...image, ...(environment as Values) })
  })

  it('names only volumes, networks and files that exist', () => {
    for (const [, { volumes = [], networks = [] }] of services) {
      for (const volume of volumes as readonly string[]) {
        const [source = ''] = volume.split(':')
        const isThere = source.startsWith('.')
          ? existsSync(join(checkout, 'deploy', source))
          : at(compose.volumes, source) !== undefined
        expect([source, isThere]).toEqual([source, true])
      }
      for (const network of networks as readonly string[]) expect(compose.networks).toHaveProperty(network)
    }
  })
})

describe.each(['compose.sqlite.yaml', 'compose.mongodb.yaml'])('%s', (file) => {
  it('gives containers as few rights as they need, and time to finish', () => {
    const services = Object.entries(documentsIn(`deploy/${file}`)[0]?.services as Record<string, Values>)
    const ours = services.filter(([, service]) => service.image === 'posthorn')
    expect(ours).not.toEqual([])
    for (const [, service] of ours)
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        stop_grace_period: '30s',
      })
  })
})

describe('the Caddyfile', () => {
  it('is valid', async () => {
    const env = { ...process.env, POSTHORN_DOMAIN: 'mail.example.com' }
    const file = join(checkout, 'deploy/Caddyfile')
    const { stderr } = await run('caddy', ['adapt', '--config', file, '--adapter', 'caddyfile'], { env })
    expect(stderr).not.toContain('error')
  })
})

describe.each(['mongodb.yaml', 'sqlite.yaml'])('kubernetes/%s', (file) => {
  const documents = documentsIn(`deploy/kubernetes/${file}`)
  const named = (kind: string, name: unknown) =>
    documents.find((one) => one.kind === kind && at(one, 'metadata', 'name') === name)
  const workloads = documents.filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
  const podOf = (workload: Values) => at(workload, 'spec', 'template', 'spec') as Values
  const containersOf = (workload: Values) =>
    [podOf(workload).initContainers ?? [], podOf(workload).containers].flat() as readonly Values[]

  it('has what every object needs', () => {
    for (const one of documents) {
      expect(one).toMatchObject({ apiVersion: expect.any(String), kind: expect.any(String) })
      expect(at(one, 'metadata', 'name')).toMatch(/^posthorn[a-z-]*$/)
    }
    for (const one of workloads.filter(({ kind }) => kind === 'Deployment'))
      expect(at(one, 'spec', 'selector', 'matchLabels')).toEqual(at(one, 'spec', 'template', 'metadata', 'labels'))
  })

  it('configures each container by variables of the server', () => {
    for (const workload of workloads)
      for (const { envFrom, env } of containersOf(workload)) {
        const sources = (envFrom as readonly Values[]).map((source) => {
          const map = at(source, 'configMapRef', 'name')
          const secret = at(source, 'secretRef', 'name')
          const found = map === undefined ? named('Secret', secret) : named('ConfigMap', map)
          return (found?.data ?? found?.stringData) as Values
        })
        const own = (env as readonly Values[]).map(({ name, value }) => [String(name), value])
        const config = assertConfigured(Object.assign({}, image, ...sources, Object.fromEntries(own)))
        expect(config.store).toBe(file.replace('.yaml', ''))
      }
  })

  it('mounts only volumes that exist, on a root that cannot be written, without rights', () => {
    for (const workload of workloads) {
      const volumes = (podOf(workload).volumes as readonly Values[]).map(({ name }) => name)
      expect(podOf(workload).securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 })
      for (const { volumeMounts, securityContext } of containersOf(workload)) {
        expect((volumeMounts as readonly Values[]).map(({ name }) => name)).toEqual(volumes)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
      }
    }
  })

  it('asks for health on named ports, and waits longer at the end than the server', () => {
    for (const workload of workloads.filter(({ kind }) => kind === 'Deployment')) {
      expect(podOf(workload).terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30)
      for (const container of containersOf(workload)) {
        const ports = (container.ports as readonly Values[]).map(({ name }) => name)
        for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
          expect(ports).toContain(at(container, probe, 'httpGet', 'port'))
      }
    }
  })
})

describe('the unit of systemd', () => {
  const unit = read('deploy/systemd/posthorn.service')
  const valuesOf = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

  it('configures the server', () => {
    const inline = valuesOf('Environment').flatMap((line) => line.split(' '))
    const lines = [...read('deploy/systemd/posthorn.env').split('\n'), ...inline]
    const pairs = lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2))
    expect(assertConfigured(Object.fromEntries(pairs)).dataDir).toBe('/var/lib/posthorn')
  })

  it('closes what a server does not need, and waits longer at the end than the server', () => {
    for (const line of [
      'DynamicUser=yes',
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'StateDirectory=posthorn',
      'CapabilityBoundingSet=',
      'MemoryDenyWriteExecute=no',
      'KillSignal=SIGTERM',
    ])
      expect(unit.split('\n')).toContain(line)
    expect(Number.parseInt(valuesOf('TimeoutStopSec')[0] ?? '', 10)).toBeGreaterThan(20)
  })

  it('is understood by systemd, which calls its exposure small', async () => {
    const path = join(data.path, 'posthorn.service')
    writeFileSync(path, unit.replace('/usr/bin/node', process.execPath))
    const verified = await run('systemd-analyze', ['verify', '--man=no', path])
    expect(verified.stderr.split('\n').filter((line) => line.includes('posthorn.service'))).toEqual([])
    const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', path])
    expect(Number(/exposure level for \S+: (\d+\.\d+)/.exec(stdout)?.[1])).toBeLessThan(2)
  })
})

describe('deploy/README.md', () => {
  it('lists every file', () => {
    const listed = read('deploy/README.md')
    const files = readdirSync(join(checkout, 'deploy')).filter((name) => name !== 'README.md')
    expect(files.filter((name) => !listed.includes(name))).toEqual([])
  })
})
