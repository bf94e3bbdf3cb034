import type { z } from 'zod'
import { countRecords, type ListQuery, listRecordsPage } from '../../kernel/listing.js'
import { parsed } from '../../kernel/parsed.js'
import type { Runtime } from '../../kernel/ports.js'
import { projectResource } from '../../kernel/project-resource.js'
import { blocked, invalid, isBusyRefusal, Refusal } from '../../kernel/refusal.js'
import { getOrNotFound, type Page, RecordLimitReached, type RepositoriesFor } from '../../kernel/repository.js'
import { assertMay, type Scope } from '../../kernel/scope.js'
import type { SubscriberList } from '../../lists/subscriber-list.js'
import { columnTypeGuesser, csvFieldFinder } from '../csv/csv-columns.js'
import { assertText, detectEncoding } from '../csv/csv-encoding.js'
import {
  type CustomFieldFields,
  type CustomFieldsOfProject,
  type CustomFieldView,
  fieldApiName,
} from '../custom-field.js'
import {
  addedColumns,
  failedRowsHeader,
  firstFailedRows,
  type ImportFailedRows,
  isFileOfFailedRows,
} from './failed-rows.js'
import { surveyImportFile } from './file-rows.js'
import {
  type Import,
  ImportFields,
  ImportPreview,
  ImportPreviewQuery,
  ImportStart,
  type ImportStateMove,
  ImportView,
  importView,
  isStoredImportFile,
  moveImport,
  newImport,
  type StoredImportFile,
} from './import.js'
import { importFileStorage } from './import-files.js'
import { type ImportRowsInBatches, importRun } from './import-run.js'

type Deps = Pick<Runtime, 'files' | 'jobs' | 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ imports: Import; subscriberLists: SubscriberList }>
  readonly fieldsOf: CustomFieldsOfProject
  readonly createField: (scope: Scope, input: CustomFieldFields) => Promise<CustomFieldView>
  readonly importBatches: ImportRowsInBatches
}

/** Uploaded or running, per project. */
const mostOpen = 10
const openStates = ['uploaded', 'running'] as const

const [shownRows, shownCharacters] = [5, 100]

const [day, hour, minute] = [86_400_000, 3_600_000, 60_000]
/** In ms: uploads that nobody starts, and failed rows. */
const [keptUploads, keptErrors] = [day, 30 * day]

const importJob = 'import-contacts'

/** Imports of uploaded files: a job imports them in batches, and continues after a killed process. */
export const importUseCases = (deps: Deps) => {
  const { repositories, jobs, clock, newId, fieldsOf, createField } = deps
  const { imports, subscriberLists } = repositories
  const files = importFileStorage(deps.files)
  const resource = projectResource(imports, ImportView)
  const iso = () => clock().toISOString()

  const plan = (importId: string) =>
    jobs.at(clock(), `${importJob}:${importId}`, { name: importJob, data: { importId } })

  const run = importRun({ ...deps, files, again: plan })

  const move = async (one: Pick<Import, '_id'>, how: ImportStateMove, more: Partial<Import> = {}) => {
    let isMoved = false
    const after = await imports.change({ _id: one._id }, (current) => {
      const moved = moveImport(current, how, iso())
      isMoved = moved !== current
      return isMoved ? { ...moved, ...more } : current
    })
    return isMoved ? after : undefined
  }

  /** A refusal ends the import; other errors let the job run again. */
  jobs.handle(importJob, async ({ importId = '' }) => {
    try {
      if (!(await run(importId))) return
      await move({ _id: importId }, 'finish')
    } catch (error) {
      if (!(error instanceof Refusal) || isBusyRefusal(error)) throw error
      await move({ _id: importId }, 'fail', { errorMessage: error.message })
    }
    await files.removeFile(importId)
  })

  const uploaded = async (scope: Scope, id: string): Promise<Import> => {
    const one = await resource.stored(scope, id)
    if (one.state !== 'uploaded') throw blocked('The import was started or cancelled already.')
    return one
  }

  const tooMany = () => blocked(`The project has ${mostOpen} imports that are not done. Start, cancel or await one.`)

  const open = ({ projectId }: Scope) => ({ projectId, state: [...openStates] })

  /** Fields and types by column. @throws Refusal `invalid`, with every wrong column */
  const columnsOf = async (
    { projectId }: Scope,
    { columns }: z.output<typeof ImportStart>,
    headings: readonly string[],
  ): Promise<{ readonly fields: readonly (string | null)[]; readonly created: readonly CustomFieldFields[] }> => {
    if (columns.length !== headings.length)
      throw invalid(`columns: the file has ${headings.length} columns, got ${columns.length}`)
    const known = new Set(['email', 'name', 'tags', ...(await fieldsOf(projectId)).map(({ name }) => name)])
    const created: CustomFieldFields[] = []
    const fields = columns.map(({ field, type }) => {
      if (field === null || known.has(field) || type === undefined) return field
      const name = fieldApiName(field)
      created.push({ name, type })
      return name
    })
    const named = fields.filter((field) => field !== null)
    const isKnown = (field: string) => known.has(field) || created.some(({ name }) => name === field)
    const wrong = [
      ...(named.includes('email') ? [] : ['columns: no column has the field email']),
      ...named.filter((field) => !isKnown(field)).map((field) => `columns: the project has no field ${field}`),
      ...new Set(
        named.filter((field, index) => named.indexOf(field) < index).map((field) => `columns: ${field} is named twice`),
      ),
    ]
    if (wrong.length > 0) throw invalid(...wrong)
    return { fields, created }
  }

  const gone = () => blocked('The list of failed rows is deleted after 30 days.')

  /** The first page of failed rows. @throws Refusal `blocked` if it was deleted */
  const firstErrors = async ({ _id, errorPages }: Import): Promise<string> => {
    const first = errorPages === 0 ? '' : await files.readErrors(_id, 0)
    if (first === undefined) throw gone()
    return first
  }

  let nextPrune = clock().getTime() + hour

  return {
    /** @throws Refusal `blocked` if too many imports are open, and errors of the source */
    receive: async (scope: Scope, fileName: string, bytes: AsyncIterable<Uint8Array>): Promise<StoredImportFile> => {
      if ((await countRecords(imports, open(scope))) >= mostOpen) throw tooMany()
      const importId = newId()
      return { importId, fileName: fileName.slice(0, 200), size: await files.write(importId, bytes) }
    },

    discard: ({ importId }: Pick<StoredImportFile, 'importId'>): Promise<void> => files.removeAll(importId),

    /** @throws Refusal `invalid`, `blocked` if too many imports are open */
    create: async (scope: Scope, input: z.input<typeof ImportFields>): Promise<ImportView> => {
      const { projectId, person, requestId } = scope
      try {
        const { importId: _id, fileName, size } = parsed(ImportFields, input).file
        if (size === 0) throw invalid('The file is empty.')
        await assertText(files.read({ _id, size }))
        const one = newImport({ _id, projectId, fileName, size, uploadedBy: person?.name, requestId }, iso())
        await imports.add(one, { where: open(scope), limit: mostOpen })
        return importView(one)
      } catch (error) {
        if (isStoredImportFile(input.file)) await files.removeAll(input.file.importId)
        throw error instanceof RecordLimitReached ? tooMany() : error
      }
    },

    /** What an earlier attempt of the upload created. */
    made: async ({ projectId, requestId }: Scope): Promise<ImportView | undefined> => {
      const one = requestId === undefined ? undefined : await imports.get({ projectId, requestId })
      return one && importView(one)
    },

    /** Newest first. */
    list: async ({ projectId }: Scope, query: ListQuery): Promise<Page<ImportView>> => {
      const { items, count } = await listRecordsPage(imports, { projectId }, ImportView, query)
      return { items: items.map(importView), count }
    },

    /** @throws Refusal `not-found` */
    get: async (scope: Scope, id: string): Promise<ImportView> => importView(await resource.stored(scope, id)),

    /** The columns, and the fields that their headings name. @throws Refusal `invalid`, `not-found`, `blocked` */
    preview: async (scope: Scope, id: string, query: z.input<typeof ImportPreviewQuery>): Promise<ImportPreview> => {
      const chosen = parsed(ImportPreviewQuery, query).encoding
      const read = files.read(await uploaded(scope, id))
      const seen = await detectEncoding(read)
      const encoding = chosen ?? seen.encoding
      const { headings, rows } = await surveyImportFile(read, encoding)
      const find = csvFieldFinder(
        (await fieldsOf(scope.projectId)).map(({ name }) => name),
        headings,
      )
      const ignored = isFileOfFailedRows(headings) ? addedColumns.length : 0
      const typeOf = (index: number) => {
        const guess = columnTypeGuesser()
        for (const cells of rows) guess.see(cells[index] ?? '')
        return guess.type()
      }
      return ImportPreview.parse({
        encoding,
        ...(seen.damage && { damage: seen.damage }),
        columns: headings.map((heading, index) => ({
          heading,
          field: (heading === '' ? undefined : find(heading)) ?? null,
          newField: index < ignored ? '' : fieldApiName(heading),
          type: typeOf(index),
        })),
        rows: rows.slice(0, shownRows).map((cells) => cells.map((cell) => cell.slice(0, shownCharacters))),
      })
    },

    /** Creates the new fields first. @throws Refusal `invalid`, `not-found`, `blocked`, `forbidden` for new fields */
    start: async (scope: Scope, id: string, input: ImportStart): Promise<ImportView> => {
      const given = parsed(ImportStart, input)
      const { projectId } = scope
      const { subscriberListId, status, consent } = given
      const one = await uploaded(scope, id)
      if (subscriberListId !== undefined) await getOrNotFound(subscriberLists, { _id: subscriberListId, projectId })
      const read = files.read(one)
      const seen = await detectEncoding(read)
      if (seen.damage && given.encoding === undefined)
        throw invalid(
          `encoding: the file is UTF-8 except for ${seen.damage.places} places, the first in line ${seen.damage.firstLine}. Choose an encoding.`,
        )
      const encoding = given.encoding ?? seen.encoding
      const { headings, isNdjson } = await surveyImportFile(read, encoding)
      const { fields, created } = await columnsOf(scope, given, headings)
      if (created.length > 0) assertMay(scope, 'content.edit')
      for (const field of created) await createField(scope, field)
      const started = await move(one, 'start', {
        plan: {
          columns: fields,
          ...(isNdjson && { keys: headings }),
          headings,
          encoding,
          ...(subscriberListId !== undefined && { subscriberListId }),
          status,
          consent,
        },
      })
      if (!started) throw blocked('The import was started or cancelled already.')
      await plan(id)
      return importView(started)
    },

    /** Imported rows stay. @throws Refusal `not-found`, `blocked` if it has ended */
    cancel: async (scope: Scope, id: string): Promise<ImportView> => {
      const cancelled = await move(await resource.stored(scope, id), 'cancel')
      if (!cancelled) throw blocked('The import has ended already.')
      await jobs.cancel(`${importJob}:${id}`)
      await files.removeFile(id)
      return importView(cancelled)
    },

    /** Undefined unless an earlier attempt made the move. @throws Refusal `not-found` */
    moved: async (scope: Scope, id: string, move: 'start' | 'cancel'): Promise<ImportView | undefined> => {
      const one = await resource.stored(scope, id)
      return (move === 'start' ? one.plan : one.state === 'cancelled') ? importView(one) : undefined
    },

    /** The first ones. @throws Refusal `not-found`, `blocked` if they were deleted */
    failedRows: async (scope: Scope, id: string): Promise<ImportFailedRows> => {
      const one = await resource.stored(scope, id)
      return firstFailedRows(one.plan, await firstErrors(one))
    },

    /**
     * CSV of the failed rows: line, reason, and the cells under the headings of the file, to be mended and imported again.
     * @throws Refusal `not-found`, `blocked` if it was deleted
     */
    errors: async (scope: Scope, id: string): Promise<AsyncIterable<string>> => {
      const one = await resource.stored(scope, id)
      const { _id, errorPages, plan } = one
      const first = await firstErrors(one)
      return (async function* () {
        yield failedRowsHeader(plan)
        yield first
        for (let page = 1; page < errorPages; page += 1) {
          const text = await files.readErrors(_id, page)
          if (text === undefined) throw gone()
          yield text
        }
      })()
    },

    /** Plans jobs that a killed process left unplanned; removes expired files. */
    sweep: async (): Promise<void> => {
      const now = clock().getTime()
      const since = (age: number) => new Date(now - age).toISOString()
      for await (const { _id, updatedAt } of imports.each({ state: 'running' }))
        if (updatedAt < since(minute)) await plan(_id)
      for await (const one of imports.each({ state: 'uploaded' }))
        if (one.createdAt < since(keptUploads) && (await move(one, 'cancel'))) await files.removeFile(one._id)
      if (now < nextPrune) return
      nextPrune = now + day
      await files.prune(new Date(now - keptErrors))
    },
  }
}
