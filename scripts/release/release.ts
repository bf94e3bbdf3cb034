import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { writeInstallation } from '../packing/installation.js'
import { manifestOf, packAll, repositoryHere } from '../packing/packing.js'
import { billOfMaterials } from './bill-of-materials.js'
import { notedIn, section, withSection } from './changelog.js'
import { packageViolations } from './package-checks.js'
import { nextVersion, setVersion } from './versions.js'

const root = join(import.meta.dirname, '../..')
const changelog = 'CHANGELOG.md'

const run = async (program: string, ...args: readonly string[]): Promise<string> => {
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await promisify(execFile)(program, args, options)
  return stdout.trim()
}

const assertReleasable = async (version: string): Promise<void> => {
  const changes = await run('git', 'status', '--porcelain')
  if (changes !== '')
    throw new Error(
      `The working tree has changes. Commit or remove them first, so that the tag says what was released:\n${changes}`,
    )
  if ((await run('git', 'tag', '--list', `v${version}`)) !== '')
    throw new Error(`There is a tag v${version} already. Name a later version.`)
}

/** Subjects of the commits since the newest tag of a version, the oldest first; none before the first tag. */
const subjectsSinceLastTag = async (): Promise<readonly string[]> => {
  const tag = await run('git', 'describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*').catch(() => undefined)
  if (tag === undefined) return []
  const log = await run('git', 'log', '--no-merges', '--reverse', '--format=%s', `${tag}..HEAD`)
  return log.split('\n')
}

const writeChangelog = async (version: string): Promise<string> => {
  const path = join(root, changelog)
  const text = await readFile(path, 'utf8')
  const date = new Date().toISOString().slice(0, 10)
  const added = section({ version, date, noted: notedIn(text) }, await subjectsSinceLastTag())
  await writeFile(path, withSection(text, added))
  return added
}

const assertSound = async (folder: string, tarballs: readonly string[]): Promise<void> => {
  const violations: string[] = []
  for (const tarball of tarballs) violations.push(...(await packageViolations(join(folder, tarball))))
  if (violations.length > 0)
    throw new Error(`Packages are not fit to be published:\n${violations.map((one) => `  ${one}`).join('\n')}`)
}

/** A .tgz with the server and the manifest of its production dependencies, and their bill of materials beside it. */
const writeArchive = async (version: string, repository: string, out: string): Promise<void> => {
  const stage = await mkdtemp(join(tmpdir(), 'posthorn-archive-'))
  try {
    const name = `posthorn-${version}`
    const folder = join(stage, name)
    await writeInstallation({ repository, out: folder })
    await writeFile(join(out, 'sbom.cdx.json'), await billOfMaterials(folder))
    await cp(join(out, 'sbom.cdx.json'), join(folder, 'sbom.cdx.json'))
    const anonymous = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name']
    await run('tar', ...anonymous, '-czf', join(out, `${name}.tgz`), '-C', stage, name)
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

const writeProvenance = async (version: string, repository: string, commit: string, out: string): Promise<void> => {
  const npm = await run('npm', '--version')
  const text = `# Where the files of Posthorn ${version} come from

- Sources: ${repository}, commit ${commit}
- Built by: npm run release, on Node ${process.version} with npm ${npm}, ${process.platform} on ${process.arch}
- Dependencies: package-lock.json of that commit; sbom.cdx.json (CycloneDX) lists those of the server, and the code inside our packages
- SQLite: builds of @photostructure/sqlite as they are in its package, not built here

To check the files: sha256sum -c SHA256SUMS

To make them again: check out that commit, npm ci --ignore-scripts, npm run build, npm run pack:all -- --out packages.
The contents of the packages are then the same; the archives differ by the times in them.
`
  await writeFile(join(out, 'PROVENANCE.md'), text)
}

const writeSums = async (out: string): Promise<void> => {
  const names = (await readdir(out)).filter((name) => name !== 'SHA256SUMS').sort()
  const lines: string[] = []
  for (const name of names) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(out, name)), hash)
    lines.push(`${hash.digest('hex')}  ${name}\n`)
  }
  await writeFile(join(out, 'SHA256SUMS'), lines.join(''))
}

const commitAndTag = async (version: string): Promise<string> => {
  await run('git', 'commit', '--quiet', '--all', '--message', `Release ${version}`)
  await run('git', 'tag', '--annotate', `v${version}`, '--message', `Posthorn ${version}`)
  return run('git', 'rev-parse', 'HEAD')
}

export type ReleaseOptions = {
  readonly wanted: string
  readonly out: string | undefined
  readonly repository: string | undefined
  readonly dryRun: boolean
  readonly tell: (line: string) => void
}

/**
 * Makes a release in a directory, and commits and tags it here; publishes nothing. A failure before the commit puts the changed files back.
 * @throws Error with advice
 */
export const release = async ({
  wanted,
  out: given,
  repository: named,
  dryRun,
  tell,
}: ReleaseOptions): Promise<void> => {
  const version = nextVersion((await manifestOf('.')).version, wanted)
  await assertReleasable(version)
  const repository = named ?? (await repositoryHere())
  if (repository === undefined)
    throw new Error('Say where the sources are: --repository URL, or a git remote called origin')
  const out = resolve(given ?? join(root, 'release', version))
  if (existsSync(out) && (await readdir(out)).length > 0)
    throw new Error(`${out} is not empty. Remove it, or name another by --out.`)
  await mkdir(out, { recursive: true })
  const putBack = () => run('git', 'checkout', '--quiet', '--', '.')
  let isKept = false
  try {
    tell(`Version ${version}`)
    await run('npx', 'biome', 'format', '--write', ...(await setVersion(version)))
    await run(
      'npm',
      'install',
      '--package-lock-only',
      '--ignore-scripts',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
    )
    tell(`\n${await writeChangelog(version)}\n`)
    await run('npm', 'run', 'build')
    await run('npm', 'run', 'docs')
    const tarballs = await packAll({ repository, out })
    await assertSound(out, tarballs)
    tell(`${tarballs.length} packages are packed and checked`)
    await writeArchive(version, repository, out)
    const commit = dryRun
      ? `${await run('git', 'rev-parse', 'HEAD')} with the version set`
      : await commitAndTag(version)
    isKept = !dryRun
    await writeProvenance(version, repository, commit, out)
    await writeSums(out)
  } finally {
    if (!isKept) await putBack()
  }
  tell(`The files are in ${out}; SHA256SUMS lists them.`)
  tell(
    dryRun
      ? 'Nothing was committed.'
      : `Nothing was published. To do so: git push --follow-tags, then npm publish of each .tgz of a package.`,
  )
}
