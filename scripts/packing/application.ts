import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packNeeded } from './packing.js'

const folder = 'posthorn-packages'

/** Named by its content: npm keeps what it has installed of a tarball whose path stays. Answers the new path. */
const namedByContent = async (application: string, path: string): Promise<string> => {
  const digest = createHash('sha256')
    .update(await readFile(join(application, path)))
    .digest('hex')
  const named = path.replace(/\.tgz$/, `-${digest.slice(0, 12)}.tgz`)
  await rename(join(application, path), join(application, named))
  return named
}

const removeEarlier = async (directory: string): Promise<void> => {
  const earlier = await readdir(directory).catch(() => [])
  for (const name of earlier) if (/^posthorn-.*\.tgz$/.test(name)) await rm(join(directory, name))
}

/**
 * Puts packages of ours, with those that they need, into an application: tarballs in its folder `posthorn-packages`, and dependencies in its
 * `package.json`, which is created if it is absent. `npm install` there does the rest.
 * @param packages with or without our scope: `embed` or `@posthorn/embed`
 */
export const packInto = async ({
  repository,
  application,
  packages,
}: {
  readonly repository: string | undefined
  readonly application: string
  readonly packages: readonly string[]
}): Promise<void> => {
  const names = packages.map((name) => (name.startsWith('@') ? name : `@posthorn/${name}`))
  await removeEarlier(join(application, folder))
  const ours = await packNeeded(names, { repository, directory: application, folder })
  const renamed = async (dependencies: Readonly<Record<string, string>>) => {
    const entries = Object.entries(dependencies).map(
      async ([name, spec]) => [name, `file:${await namedByContent(application, spec.replace('file:', ''))}`] as const,
    )
    return Object.fromEntries(await Promise.all(entries))
  }
  const path = join(application, 'package.json')
  const text = await readFile(path, 'utf8').catch(() => '{ "private": true, "type": "module" }')
  const { dependencies, optionalDependencies, ...manifest } = JSON.parse(text)
  const changed = {
    ...manifest,
    dependencies: { ...dependencies, ...(await renamed(ours.dependencies)) },
    optionalDependencies: { ...optionalDependencies, ...(await renamed(ours.optionalDependencies)) },
  }
  await writeFile(path, `${JSON.stringify(changed, undefined, 2)}\n`)
}
