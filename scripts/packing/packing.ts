import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

type Manifest = {
  readonly name: string
  readonly private?: boolean
  readonly workspaces?: readonly string[]
  readonly files?: readonly string[]
}

/** The git remote that a clone came from: where the sources are. */
export const repositoryHere = (): Promise<string | undefined> =>
  run('git', ['remote', 'get-url', 'origin'], { cwd: root }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )

/** Folders of the packages that are published. */
const published = async (): Promise<readonly string[]> => {
  const { workspaces = [] } = await manifestOf('.')
  const folders = workspaces.filter((folder) => !folder.startsWith('apps/'))
  const manifests = await Promise.all(folders.map(manifestOf))
  return folders.filter((_, index) => manifests[index]?.private !== true)
}

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'))

/** A copy of a package that knows where its sources are, which only whoever publishes it does. */
const staged = async (folder: string, repository: string, to: string): Promise<string> => {
  const manifest = await manifestOf(folder)
  const copy = join(to, folder)
  await mkdir(copy, { recursive: true })
  for (const part of [...(manifest.files ?? []), 'README.md', 'LICENSE'])
    await cp(join(root, folder, part), join(copy, part), { recursive: true })
  const withRepository = { ...manifest, repository: { type: 'git', url: repository, directory: folder } }
  await writeFile(join(copy, 'package.json'), `${JSON.stringify(withRepository, undefined, 2)}\n`)
  return copy
}

/** Packs each package as it is published, with the repository that it comes from. Answers the tarballs' names. */
export const packAll = async ({
  repository,
  out,
}: {
  readonly repository: string
  readonly out: string
}): Promise<readonly string[]> => {
  const stage = await mkdtemp(join(tmpdir(), 'posthorn-packing-'))
  try {
    await mkdir(out, { recursive: true })
    const copies = await Promise.all((await published()).map((folder) => staged(folder, repository, stage)))
    const { stdout } = await run('npm', [
      'pack',
      '--json',
      '--ignore-scripts',
      '--pack-destination',
      resolve(out),
      ...copies,
    ])
    return (JSON.parse(stdout) as readonly { readonly filename: string }[]).map(({ filename }) => filename)
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}
