import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkout, temporaryDirectory } from '../../tests/server-process.js'

const place = temporaryDirectory()
const clone = join(place.path, 'clone')
const run = async (program: string, args: readonly string[], cwd = clone) => {
  const { stdout } = await promisify(execFile)(program, args, { cwd, maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim()
}
const git = (...args: readonly string[]) =>
  run('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args])
const release = (...args: readonly string[]) =>
  run('npx', ['tsx', 'scripts/release/main.ts', '--repository', 'https://git.example.com/posthorn.git', ...args]).catch(
    (error: { stderr: string }) => error.stderr,
  )

/** This checkout as it is now, with an older release and two commits after it. */
beforeAll(async () => {
  await run('git', ['clone', '--quiet', checkout, clone], place.path)
  await run('cp', ['-a', join(checkout, 'node_modules'), clone])
  rmSync(join(clone, 'node_modules/.package-lock.json'), { force: true })
  await git('config', 'user.name', 'Test')
  await git('config', 'user.email', 'test@example.com')
  for (const tag of (await git('tag')).split('\n').filter((one) => one !== '')) await git('tag', '--delete', tag)
  await git('tag', 'v0.0.9')
  await git('commit', '--quiet', '--allow-empty', '--message', 'Add a thing')
  await git('commit', '--quiet', '--allow-empty', '--message', 'Fix another')
}, 300_000)
afterAll(() => place.remove())

describe('a release', () => {
  it('needs a clean tree', async () => {
    writeFileSync(join(clone, 'new.txt'), 'x')
    expect(await release('patch', '--dry-run')).toContain('The working tree has changes')
    rmSync(join(clone, 'new.txt'))
  })

  it('needs an empty directory and a version', async () => {
    mkdirSync(join(place.path, 'full/inside'), { recursive: true })
    expect(await release('patch', '--out', join(place.path, 'full'))).toContain('is not empty')
    expect(await release('0.0.1')).toContain('is not later')
    expect(await release()).toContain('Name one version or step')
  })

  it('leaves everything as it was after a dry run', async () => {
    const before = await git('rev-parse', 'HEAD')
    const said = await release('0.9.0-beta.1', '--dry-run', '--out', join(place.path, 'dry'))
    expect(said).toContain('Nothing was committed')
    expect(await git('rev-parse', 'HEAD')).toBe(before)
    expect(await git('status', '--porcelain')).toBe('')
    expect(await git('tag')).toBe('v0.0.9')
  })

  it('sets the version everywhere, and leaves packages, archive, bill of materials and checksums', async () => {
    const out = join(place.path, 'out')
    const said = await release('0.9.0', '--out', out)
    expect(said).toContain('Nothing was published')
    expect(await git('tag')).toBe('v0.0.9\nv0.9.0')
    expect(await git('status', '--porcelain')).toBe('')
    const manifests = await git('grep', '--files-with-matches', '"version": "0.9.0"', '--', '*package.json')
    expect(manifests.split('\n').length).toBeGreaterThan(15)
    expect(await git('show', 'HEAD:CHANGELOG.md')).toMatch(
      /## Unreleased\n\n## 0\.9\.0 [\s\S]*- Add a thing[\s\S]*- Fix another/,
    )
    await run('npx', ['biome', 'check', 'package.json', 'apps/server/package.json'])

    expect(await run('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], out)).toBe('')
    expect(readFileSync(join(out, 'PROVENANCE.md'), 'utf8')).toContain(await git('rev-parse', 'HEAD'))
    const { components } = JSON.parse(readFileSync(join(out, 'sbom.cdx.json'), 'utf8'))
    const names = components.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['@posthorn/server', 'zod', 'express', 'mjml-core', 'imapflow']))
    expect(readdirSync(out)).toEqual(expect.arrayContaining(['posthorn-0.9.0.tgz', 'posthorn-server-0.9.0.tgz']))

    await run('tar', ['-xzf', 'posthorn-0.9.0.tgz'], out)
    const unpacked = join(out, 'posthorn-0.9.0')
    await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], unpacked)
    expect(await run('node_modules/.bin/posthorn', ['--version'], unpacked)).toBe('0.9.0')
  })
}, 900_000)
