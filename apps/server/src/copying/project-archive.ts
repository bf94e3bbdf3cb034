import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { localFiles } from '@posthorn/adapters-node'
import type { Clock } from '@posthorn/core/ports/runtime'
import {
  type Delivery,
  type DeliveryStatus,
  type Figure,
  type FigureMetric,
  records,
  type StoredRecord,
} from '@posthorn/core/ports/storage'
import { z } from 'zod'
import { storedFileKeys } from './files.js'
import { deliveriesOfProject } from './ledger.js'
import { projectFiguresToCopy, type UsageCounterValue, usageCountersOf } from './records.js'
import {
  type CopiedDataOwner,
  CopyFailure,
  type CopySource,
  ownedRecordsOf,
  type RepositoryName,
  sourceRepositoryOf,
} from './stores.js'
import { verifyCopy } from './verification.js'

const Listed = z.object({ records: z.int().min(0), sha256: z.string() })

const Manifest = z.object({
  format: z.literal('posthorn-project'),
  version: z.literal(1),
  exportedAt: z.string(),
  account: z.object({ _id: z.string(), name: z.string() }),
  project: z.object({ _id: z.string(), name: z.string() }),
  /** By name, of every file with records. */
  files: z.record(z.string(), Listed),
})
type Manifest = z.output<typeof Manifest>

const kinds = Object.keys(records) as RepositoryName[]
const [manifestFile, deliveriesFile, figuresFile, countersFile, filesFile] = [
  'manifest.json',
  'deliveries.ndjson',
  'figures.ndjson',
  'counters.ndjson',
  'files.ndjson',
]
const fileOf = (kind: RepositoryName) => `${kind}.ndjson`

const ownersOf = ({ account, project }: Pick<Manifest, 'account' | 'project'>): readonly CopiedDataOwner[] => [
  { of: 'account', id: account._id },
  { of: 'project', id: project._id },
]

/** The slots of one metric in a line. */
const figureLines = async function* (figures: AsyncIterable<Figure>) {
  let line: { subject: string; metric: FigureMetric; slots: { slot: string; n: number }[] } | undefined
  for await (const { subject, metric, slot, n } of figures) {
    if (line?.subject !== subject || line.metric !== metric) {
      if (line) yield line
      line = { subject, metric, slots: [] }
    }
    line.slots.push({ slot, n })
  }
  if (line) yield line
}

const writeLines = async (path: string, values: AsyncIterable<unknown>): Promise<z.output<typeof Listed>> => {
  const hash = createHash('sha256')
  let count = 0
  const lines = async function* () {
    for await (const value of values) {
      const line = `${JSON.stringify(value)}\n`
      hash.update(line)
      count += 1
      yield line
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(path, { mode: 0o600 }))
  return { records: count, sha256: hash.digest('hex') }
}

const sharedBy = (owners: readonly CopiedDataOwner[], kind: RepositoryName) =>
  owners.flatMap((owner) =>
    records[kind].owner[owner.of] === '_id'
      ? [{ _id: owner.id }]
      : ownedRecordsOf(owner).flatMap((share) => (share.kind === kind ? [share.where] : [])),
  )

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Writes the records, then compares them with the store. @throws CopyFailure for an unknown project, or if a server changed it meanwhile */
const write = async (from: CopySource, projectId: string, directory: string, clock: Clock): Promise<Manifest> => {
  const project = await from.repositories.projects.get({ _id: projectId })
  const account = project && (await from.repositories.accounts.get({ _id: project.accountId }))
  if (!project || !account) throw new CopyFailure(`There is no project ${projectId}.`)
  const owners = ownersOf({ account, project })
  const files: Record<string, z.output<typeof Listed>> = {}
  const put = async (name: string, values: AsyncIterable<unknown>) => {
    const listed = await writeLines(join(directory, name), values)
    if (listed.records === 0) return rm(join(directory, name))
    files[name] = listed
  }
  for (const kind of kinds)
    await put(
      fileOf(kind),
      (async function* () {
        for (const where of sharedBy(owners, kind)) yield* sourceRepositoryOf(from.repositories, kind).each(where)
      })(),
    )
  await put(deliveriesFile, deliveriesOfProject(from, projectId))
  await put(figuresFile, figureLines(projectFiguresToCopy(from, projectId, from.figures)))
  await put(
    countersFile,
    (async function* () {
      for (const owner of owners) yield* await usageCountersOf(from, owner, clock)
    })(),
  )
  const there = localFiles(join(directory, 'files'))
  await put(
    filesFile,
    (async function* () {
      for (const { id } of owners)
        for await (const key of storedFileKeys(from, id)) {
          const bytes = await from.files.get(key)
          if (!bytes) continue
          await there.put(key, bytes)
          yield { key, bytes: bytes.length, sha256: digestOf(bytes) }
        }
    })(),
  )
  const manifest: Manifest = {
    format: 'posthorn-project',
    version: 1,
    exportedAt: clock().toISOString(),
    account: { _id: account._id, name: account.name },
    project: { _id: projectId, name: project.name },
    files,
  }
  await writeFile(join(directory, manifestFile), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 })
  const { source } = await openArchive(directory)
  for (const owner of owners) await verifyCopy({ from, to: source }, owner, clock, () => {})
  return manifest
}

/**
 * The directory appears when it is complete (docs/project-export.md).
 * @throws CopyFailure if the directory is not empty, for an unknown project, or if a server changed it meanwhile
 */
export const exportProject = async (
  from: CopySource,
  projectId: string,
  directory: string,
  clock: Clock,
): Promise<Manifest> => {
  if (existsSync(directory) && (await readdir(directory)).length > 0)
    throw new CopyFailure(`${directory} is not empty. Choose a new directory.`)
  const draft = `${directory}.part`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true, mode: 0o700 })
  try {
    const manifest = await write(from, projectId, draft, clock)
    await rename(draft, directory)
    return manifest
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

/** In bytes of its file; the end is exclusive. */
type Range = { readonly start: number; readonly end: number }
type Place = { readonly start: number; end: number }

/** In bytes; records are far smaller. */
const longestLine = 64 * 1024 * 1024
const newLine = 10

/** By line feeds alone: other line ends may be part of a text. */
const linesOf = async function* (path: string, range?: Range): AsyncGenerator<string> {
  if (!existsSync(path) || (range && range.end === range.start)) return
  const stream: AsyncIterable<Buffer> = createReadStream(path, range && { start: range.start, end: range.end - 1 })
  let begun: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    let from = 0
    for (let at = chunk.indexOf(newLine); at >= 0; at = chunk.indexOf(newLine, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, at)]).toString()
      begun = []
      length = 0
      from = at + 1
    }
    begun.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > longestLine) throw new CopyFailure(`The export is damaged: ${path} has a line of over 64 MB.`)
  }
  if (length > 0) yield Buffer.concat(begun).toString()
}

const valuesOf = async function* <T>(path: string, range?: Range): AsyncGenerator<T> {
  for await (const line of linesOf(path, range)) yield JSON.parse(line) as T
}

/** Reads a file whole, and checks what each line says. @throws CopyFailure for damage */
const check = async <T>(
  path: string,
  name: string,
  { sha256, records: count }: z.output<typeof Listed>,
  look: (value: T, range: Range) => string | undefined,
): Promise<void> => {
  const damaged = (why: string) => new CopyFailure(`The export is damaged: ${name} ${why}. Export the project again.`)
  const hash = createHash('sha256')
  let [line, start] = [0, 0]
  for await (const text of linesOf(path)) {
    line += 1
    const end = start + Buffer.byteLength(text) + 1
    hash.update(text).update('\n')
    try {
      const wrong = look(JSON.parse(text) as T, { start, end })
      if (wrong) throw new Error(wrong)
    } catch (error) {
      throw damaged(`line ${line}: ${error instanceof Error ? error.message : String(error)}`)
    }
    start = end
  }
  if (line !== count) throw damaged(`has ${line} records instead of ${count}`)
  if (hash.digest('hex') !== sha256) throw damaged('has another checksum')
}

const readManifest = async (directory: string): Promise<Manifest> => {
  const text = await readFile(join(directory, manifestFile), 'utf8').catch(() => {
    throw new CopyFailure(`${directory} is no export of a project: it has no ${manifestFile}.`)
  })
  const { format, version } = z.looseObject({ format: z.unknown(), version: z.unknown() }).parse(JSON.parse(text))
  if (format === 'posthorn-project' && version !== 1)
    throw new CopyFailure(
      `The export has version ${String(version)}, which a newer Posthorn wrote. Import it with that one.`,
    )
  const { data, error } = Manifest.safeParse(JSON.parse(text))
  if (!data) throw new CopyFailure(`${manifestFile} of the export is damaged: ${z.prettifyError(error)}`)
  return data
}

type Line = { readonly subject: string; readonly metric: FigureMetric; readonly slots: Pick<Figure, 'slot' | 'n'>[] }

/** Returns what is wrong if the lines of a key are not adjacent. */
const extend = (places: Map<string, Place>, key: string, { start, end }: Range): string | undefined => {
  const place = places.get(key)
  if (!place) places.set(key, { start, end })
  else if (place.end !== start) return `${key} is not together`
  else place.end = end
  return undefined
}

/**
 * Checks everything first: checksums, and that nothing belongs to another project.
 * @throws CopyFailure if it is damaged, or of a newer version
 */
export const openArchive = async (
  directory: string,
): Promise<{ readonly source: CopySource; readonly manifest: Manifest }> => {
  const manifest = await readManifest(directory)
  const owners = ownersOf(manifest)
  const at = (name: string) => join(directory, name)
  const images = localFiles(at('files'))

  const deliveries = new Map<string, Place>()
  const figures = new Map<string, Map<FigureMetric, Range>>()
  const counts = new Map<string, number>()
  const dispatches = new Set<string>()
  const wanted: { readonly key: string; readonly sha256: string }[] = []

  const fits = (value: StoredRecord, where: object) =>
    Object.entries(where).every(
      ([field, one]) => (value as unknown as Readonly<Record<string, unknown>>)[field] === one,
    )
  const looks: Readonly<Record<string, (value: never, range: Range) => string | undefined>> = {
    ...Object.fromEntries(
      kinds.map((kind) => {
        const own = sharedBy(owners, kind)
        const look = (value: StoredRecord) => {
          if (kind === 'dispatches') dispatches.add(value._id)
          return own.some((where) => fits(value, where)) ? undefined : 'belongs to another project'
        }
        return [fileOf(kind), look]
      }),
    ),
    [deliveriesFile]: ({ _id, dispatchId, projectId, status }: Delivery, range: Range) =>
      dispatches.has(dispatchId) && _id.startsWith(dispatchId) && projectId === manifest.project._id
        ? extend(deliveries, `${dispatchId} ${status}`, range)
        : 'belongs to another project',
    [figuresFile]: ({ subject, metric }: Line, range: Range) => {
      const metrics = figures.get(subject) ?? new Map<FigureMetric, Range>()
      figures.set(subject, metrics.set(metric, range))
      return undefined
    },
    [countersFile]: ({ key, used }: UsageCounterValue) => {
      counts.set(key, used)
      return undefined
    },
    [filesFile]: ({ key, sha256 }: { readonly key: string; readonly sha256: string }) => {
      wanted.push({ key, sha256 })
      return undefined
    },
  }
  // Deliveries name dispatches, so they come after them.
  const names = Object.keys(manifest.files).toSorted(
    (a, b) => Number(a === deliveriesFile) - Number(b === deliveriesFile),
  )
  for (const name of names) {
    const [look, listed] = [Object.hasOwn(looks, name) ? looks[name] : undefined, manifest.files[name]]
    if (!look || !listed)
      throw new CopyFailure(`The export has an unknown file ${name}. A newer Posthorn may have written it.`)
    await check(at(name), name, listed, look)
  }
  for (const { key, sha256 } of wanted) {
    const bytes = await images.get(key)
    if (!bytes || digestOf(bytes) !== sha256)
      throw new CopyFailure(
        `The export is damaged: files/${key} is ${bytes ? 'changed' : 'missing'}. Export the project again.`,
      )
  }

  const recordsOf = (kind: RepositoryName) => {
    const each = async function* (where: object) {
      if (!manifest.files[fileOf(kind)]) return
      for await (const value of valuesOf<StoredRecord>(at(fileOf(kind)))) if (fits(value, where)) yield value
    }
    return {
      each,
      get: async (where: object) => {
        for await (const value of each(where)) return value
        return undefined
      },
      /** For the number alone. */
      list: async ({ where }: { readonly where: object }) => {
        let count = 0
        for await (const _ of each(where)) count += 1
        return { items: [], count }
      },
    }
  }
  const slotsOf = async (range: Range | undefined) => {
    if (range) for await (const { slots } of valuesOf<Line>(at(figuresFile), range)) return slots
    return []
  }
  const source: CopySource = {
    repositories: Object.fromEntries(kinds.map((kind) => [kind, recordsOf(kind)])) as never,
    counters: { used: async (key) => counts.get(key) ?? 0 },
    deliveries: {
      each: (dispatchId: string, status: DeliveryStatus) =>
        valuesOf<Delivery>(at(deliveriesFile), deliveries.get(`${dispatchId} ${status}`) ?? { start: 0, end: 0 }),
      list: async () => ({ items: [], count: 0 }),
    },
    figures: {
      slots: (subject, metric) => slotsOf(figures.get(subject)?.get(metric)),
      totals: async (subject) => {
        const sums: Partial<Record<FigureMetric, number>> = {}
        for (const [metric, range] of figures.get(subject) ?? [])
          sums[metric] = (await slotsOf(range)).reduce((sum, { n }) => sum + n, 0)
        return sums
      },
    },
    files: { get: (key) => images.get(key), each: async function* () {} },
  }
  return { source, manifest }
}
