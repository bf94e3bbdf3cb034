import { execFile } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { manifestOf, packNeeded } from './packing.js'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** Packages that a server needs for some configurations only, and that a complete installation includes. */
export const extras = ['imapflow'] as const

const extraDependencies = async (): Promise<Readonly<Record<string, string | undefined>>> => {
  const { devDependencies = {} } = await manifestOf('packages/adapters-mail-in')
  return Object.fromEntries(extras.map((name) => [name, devDependencies[name]]))
}

const readme = (version: string) => `# Posthorn ${version}

The server and its command line with their production dependencies as a manifest: our packages are in \`packages\`, all others come from
npm's registry, in the versions and with the checksums of \`package-lock.json\`.

    npm ci --omit=dev --ignore-scripts
    node_modules/.bin/posthorn-server
    node_modules/.bin/posthorn --help

\`deploy\` has files for containers, systemd and Kubernetes.
`

/**
 * Writes a directory that `npm ci` turns into an installation of the server: a manifest, its lock file, our packages as tarballs.
 * The lock file comes from npm's registry.
 */
export const writeInstallation = async ({
  repository,
  out,
}: {
  readonly repository: string
  readonly out: string
}): Promise<void> => {
  const { version } = await manifestOf('.')
  const ours = await packNeeded(['@posthorn/server'], { repository, directory: out, folder: 'packages' })
  const manifest = {
    name: 'posthorn-installation',
    version,
    private: true,
    license: 'MIT',
    type: 'module',
    engines: (await manifestOf('.')).engines,
    ...ours,
    dependencies: { ...ours.dependencies, ...(await extraDependencies()) },
  }
  await writeFile(join(out, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  await writeFile(join(out, 'README.md'), readme(version))
  for (const part of ['LICENSE', 'CHANGELOG.md', 'deploy'])
    await cp(join(root, part), join(out, part), { recursive: true })
  await run('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: out })
}
