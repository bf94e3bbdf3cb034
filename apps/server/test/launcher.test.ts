import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtMain, startProgram, temporaryDirectory } from '../../../tests/server-process.js'

const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const directory = temporaryDirectory()
afterAll(() => directory.remove())

/** A checkout of one package and the launchers, whose compiler notes that it was asked. */
const place = join(directory.path, 'checkout')
const builds = () => {
  try {
    return readFileSync(join(place, 'builds'), 'utf8').length
  } catch {
    return 0
  }
}
const source = join(place, 'packages/core/src/index.ts')

beforeAll(() => {
  for (const folder of ['packages/core/src', 'packages/core/dist', 'apps/server/src', 'apps/server/dist/cli', 'docs'])
    mkdirSync(join(place, folder), { recursive: true })
  cpSync(join(checkout, 'apps/server/bin'), join(place, 'apps/server/bin'), { recursive: true })
  mkdirSync(join(place, 'node_modules/typescript/bin'), { recursive: true })
  mkdirSync(join(place, 'node_modules/.bin'), { recursive: true })
  const { bin } = JSON.parse(readFileSync(join(checkout, 'apps/server/package.json'), 'utf8')) as {
    bin: { posthorn: string }
  }
  symlinkSync(join('../../apps/server', bin.posthorn), join(place, 'node_modules/.bin/posthorn'))
  const write = (path: string, text: string) => writeFileSync(join(place, path), text)
  write('node_modules/typescript/bin/tsc', "require('fs').appendFileSync('builds', '.')")
  write('tsconfig.base.json', '{}')
  write('apps/server/package.json', '{"type":"module"}')
  write('apps/server/dist/cli/main.js', "process.stdout.write(process.cwd() + ' ' + process.argv.slice(2))")
  write('packages/core/src/index.ts', 'export {}')
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { scripts: object }
  write('package.json', JSON.stringify({ name: 'checkout', scripts }))
})

const launch = (cwd: string, program: string, ...args: readonly string[]) =>
  promisify(execFile)(program, args, { cwd }).then(({ stdout }) => stdout)
const launcher = 'node_modules/.bin/posthorn'

describe('the launcher', () => {
  it('builds only after a change', async () => {
    const asked = () => launch(place, join(place, launcher), 'x')
    expect(await asked()).toBe(`${place} x`)
    expect(builds()).toBe(1)
    await asked()
    expect(builds()).toBe(1)
    writeFileSync(source, 'export const a = 1')
    await asked()
    expect(builds()).toBe(2)
    utimesSync(source, new Date(0), new Date(0))
    await asked()
    expect(builds()).toBe(3)
    writeFileSync(join(place, 'packages/core/src/another.ts'), '')
    await asked()
    await asked()
    expect(builds()).toBe(4)
  })

  it('says that the first build takes a while', async () => {
    const stderrOf = () => promisify(execFile)(join(place, launcher)).then(({ stderr }) => stderr)
    rmSync(join(place, 'apps/server/dist/.built'))
    expect(await stderrOf()).toBe('Building Posthorn for the first time, which takes about a minute …\n')
    writeFileSync(source, 'export const b = 2')
    expect(await stderrOf()).toBe('Building what has changed …\n')
  })

  it('runs in its caller’s directory, through npm run and npx', async () => {
    const docs = join(place, 'docs')
    expect(await launch(docs, 'npm', 'run', '--silent', 'posthorn', '--', 'a')).toBe(`${docs} a`)
    expect(await launch(docs, 'npx', '--no-install', 'posthorn', 'b')).toBe(`${docs} b`)
  })

  it('is executable as checked out', () => {
    expect(statSync(join(checkout, 'apps/server/bin/posthorn.js')).mode & 0o111).not.toBe(0)
  })
})

describe('the server’s program', () => {
  it.each(['--help', '-h', '--version', '--nonsense'])('starts and creates nothing for %s', async (argument) => {
    const data = join(directory.path, 'data')
    const { code, stdout, stderr } = await startProgram([builtMain, argument], { POSTHORN_DATA_DIR: data }).ended
    expect(code).toBe(argument === '--nonsense' ? 2 : 0)
    expect(`${stdout}${stderr}`).toMatch(
      /^(?:Usage: npm start|0\.1\.0\n$|error: The server takes no argument such as --nonsense)/,
    )
    expect(() => statSync(data)).toThrow('ENOENT')
  })
})
