import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packAll, tarballDependencies } from './packing.js'

const rootManifest = new URL('../../package.json', import.meta.url)

/**
 * Makes a project outside this repository that has installed these packages, as they are published.
 * @param tarballs where `packAll` has packed them; packed now if absent
 * @param others versions of further dependencies, by name
 * @param tools names of development dependencies, in the versions of this repository
 */
export const outsideProject = async ({
  packages,
  tarballs,
  others = {},
  tools = [],
}: {
  readonly packages: readonly string[]
  readonly tarballs?: string
  readonly others?: Readonly<Record<string, string | undefined>>
  readonly tools?: readonly string[]
}): Promise<string> => {
  const project = await mkdtemp(join(tmpdir(), 'posthorn-outside-'))
  if (tarballs === undefined) await packAll({ repository: 'https://git.example.com/posthorn.git', out: project })
  else await cp(tarballs, project, { recursive: true })
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
