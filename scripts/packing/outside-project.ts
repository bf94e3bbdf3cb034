import { execFile } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packAll, tarballDependencies } from './packing.js'

const rootManifest = new URL('../../package.json', import.meta.url)

/**
 * Makes a project outside this repository that has installed these packages, as they are published.
 * @param others versions of further dependencies, by name
 * @param tools names of development dependencies, in the versions of this repository
 */
export const outsideProject = async ({
  packages,
  repository = 'https://git.example.com/posthorn.git',
  others = {},
  tools = [],
}: {
  readonly packages: readonly string[]
  readonly repository?: string
  readonly others?: Readonly<Record<string, string | undefined>>
  readonly tools?: readonly string[]
}): Promise<string> => {
  const project = await mkdtemp(join(tmpdir(), 'posthorn-outside-'))
  await packAll({ repository, out: project })
  const { devDependencies } = JSON.parse(await readFile(rootManifest, 'utf8'))
  const names = packages.map((name) => `@posthorn/${name}`)
  const ours = await tarballDependencies(names, { folder: '.', addons: 'here' })
  const manifest = {
    private: true,
    type: 'module',
    ...ours,
    dependencies: { ...ours.dependencies, ...others },
    devDependencies: Object.fromEntries(tools.map((name) => [name, devDependencies[name]])),
  }
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest))
  const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  await promisify(execFile)('npm', ['install', ...options], { cwd: project })
  return project
}
