import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

type Bundled = { readonly name: string; readonly version: string; readonly license?: string }
type Document = { readonly components: readonly object[]; readonly metadata: object }

const root = join(import.meta.dirname, '../..')

/** Libraries whose code is inside our packages, which npm does not know of. */
const bundled = async (): Promise<readonly Bundled[]> => {
  const packages = await readdir(join(root, 'packages'), { recursive: true, withFileTypes: true })
  const lists = packages.filter((entry) => entry.name === 'packages.json' && /\/dist\/[^/]+$/.test(entry.parentPath))
  const all = await Promise.all(
    lists.map(async ({ parentPath, name }) => JSON.parse(await readFile(join(parentPath, name), 'utf8')) as Bundled[]),
  )
  return all.flat()
}

const componentOf = ({ name, version, license }: Bundled) => ({
  'bom-ref': `bundled:${name}@${version}`,
  type: 'library',
  name,
  version,
  scope: 'required',
  purl: `pkg:npm/${encodeURIComponent(name).replace('%2F', '/')}@${version}`,
  properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }],
  ...(license !== undefined && { licenses: [{ license: { name: license } }] }),
})

/** CycloneDX, of an installation's lock file and of the code that is inside our packages. */
export const billOfMaterials = async (installation: string): Promise<string> => {
  const { stdout } = await promisify(execFile)('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: installation,
    maxBuffer: 64 * 1024 * 1024,
  })
  const document = JSON.parse(stdout) as Document
  const components = [...document.components, ...(await bundled()).map(componentOf)]
  return `${JSON.stringify({ ...document, components }, undefined, 2)}\n`
}
