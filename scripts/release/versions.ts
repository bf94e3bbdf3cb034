import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { manifestOf } from '../packing/packing.js'

const root = join(import.meta.dirname, '../..')

const semver =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|[\da-z-]*[a-z-][\da-z-]*)(?:\.(?:0|[1-9]\d*|[\da-z-]*[a-z-][\da-z-]*))*))?$/i

type Version = { readonly numbers: readonly [number, number, number]; readonly pre: string | undefined }

const parsed = (text: string): Version | undefined => {
  const [, major, minor, patch, pre] = semver.exec(text) ?? []
  return patch === undefined ? undefined : { numbers: [Number(major), Number(minor), Number(patch)], pre }
}

const comparePre = (a: string, b: string): number => {
  const [own, others] = [a.split('.'), b.split('.')]
  for (let n = 0; n < Math.max(own.length, others.length); n += 1) {
    const [one, other] = [own[n], others[n]]
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1
    const [isNumber, otherIsNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)]
    if (isNumber !== otherIsNumber) return isNumber ? -1 : 1
    const order = isNumber ? Number(one) - Number(other) : one < other ? -1 : one > other ? 1 : 0
    if (order !== 0) return order
  }
  return 0
}

/** Semantic Versioning 2.0.0, section 11. @throws Error for what is no version */
export const compareVersions = (a: string, b: string): number => {
  const [one, other] = [parsed(a), parsed(b)]
  if (!one || !other) throw new Error(`${one ? b : a} is not a version such as 1.2.3`)
  for (const n of [0, 1, 2] as const) {
    const difference = one.numbers[n] - other.numbers[n]
    if (difference !== 0) return difference
  }
  if (one.pre === undefined || other.pre === undefined)
    return Number(one.pre === undefined) - Number(other.pre === undefined)
  return comparePre(one.pre, other.pre)
}

/** The version after `current`. @throws Error with advice if `wanted` is neither a step nor a later version */
export const nextVersion = (current: string, wanted: string): string => {
  const from = parsed(current)
  if (!from) throw new Error(`The version of package.json, ${current}, is not a version such as 1.2.3`)
  const [major, minor, patch] = from.numbers
  // A pre-release of 1.2.0 becomes 1.2.0 by the step that it prepares.
  const isPre = from.pre !== undefined
  if (wanted === 'major') return isPre && minor === 0 && patch === 0 ? `${major}.0.0` : `${major + 1}.0.0`
  if (wanted === 'minor') return isPre && patch === 0 ? `${major}.${minor}.0` : `${major}.${minor + 1}.0`
  if (wanted === 'patch') return isPre ? `${major}.${minor}.${patch}` : `${major}.${minor}.${patch + 1}`
  if (!parsed(wanted))
    throw new Error(`${wanted} is neither patch, minor, major nor a version such as 1.2.3 or 1.2.3-beta.1`)
  if (compareVersions(wanted, current) <= 0)
    throw new Error(`${wanted} is not later than the current version, ${current}`)
  return wanted
}

const dependencyKinds = ['dependencies', 'devDependencies', 'optionalDependencies'] as const

type Changing = { version?: string } & { [K in (typeof dependencyKinds)[number]]?: Record<string, string> }

/** A manifest with this version, whose dependencies on our packages are exactly that version. */
export const withVersion = <M extends object>(manifest: M, version: string): M => {
  const copy = structuredClone(manifest) as M & Changing
  copy.version = version
  for (const kind of dependencyKinds)
    for (const name of Object.keys(copy[kind] ?? {}))
      if (name.startsWith('@posthorn/')) (copy[kind] ?? {})[name] = version
  return copy
}

/** Sets the version in every package.json of the repository. Answers their paths. */
export const setVersion = async (version: string): Promise<readonly string[]> => {
  const { workspaces = [] } = await manifestOf('.')
  const paths = ['.', ...workspaces].map((folder) => join(folder, 'package.json'))
  for (const path of paths) {
    const manifest = JSON.parse(await readFile(join(root, path), 'utf8'))
    await writeFile(join(root, path), `${JSON.stringify(withVersion(manifest, version), undefined, 2)}\n`)
  }
  return paths
}
