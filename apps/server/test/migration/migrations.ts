import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CorePorts, createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { temporaryDirectory } from '../../../../tests/server-process.js'
import type { CommandContext } from '../../src/cli/command-context.js'
import { type MigrationOptions, type MigrationSystemName, migrateFrom } from '../../src/cli/migration.js'
import type { migrationReportJson } from '../../src/cli/migration-report.js'

export type Report = ReturnType<typeof migrationReportJson>

export const exportsDirectory = fileURLToPath(new URL('exports', import.meta.url))

/** A place for exports, which migrations write files beside. */
export const exportPlace = () => {
  const directory = temporaryDirectory()
  let count = 0
  const next = () => {
    count += 1
    return join(directory.path, String(count))
  }
  return {
    path: directory.path,
    remove: directory.remove,
    /** A copy of one of the kept exports. */
    copy: (name: string): string => {
      const path = join(next(), name)
      cpSync(join(exportsDirectory, name), path, { recursive: true })
      return path
    },
    /** A directory with these files. */
    write: (files: Readonly<Record<string, string | Buffer>>): string => {
      const path = next()
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true })
        writeFileSync(join(path, name), content)
      }
      return path
    },
  }
}

const withoutId = <T extends { readonly _id: string }>(one: T): Omit<T, '_id'> =>
  Object.fromEntries(Object.entries(one).filter(([key]) => key !== '_id')) as Omit<T, '_id'>

/** A project in memory, and migrations into it. */
export const startProject = async (change: (ports: CorePorts) => CorePorts = (ports) => ports) => {
  const { ports } = inMemoryPorts()
  const core = createCore({ ...change(ports), sleep: async () => {} })
  const { project, scope } = await sampleProject(core)
  const results: { readonly value: Report; readonly text: string }[] = []
  const notes: string[] = []
  const output = {
    json: false,
    result: (value: Report, text: string) => void results.push({ value, text }),
    note: (text: string) => void notes.push(text),
    progress: () => undefined,
  }
  const context = { core, ports, repositories: ports.repositories, output } as unknown as CommandContext
  const page = { skip: 0, limit: 1000 }
  return {
    core,
    scope,
    notes,
    migrate: async (system: MigrationSystemName, path: string, options: MigrationOptions = {}) => {
      await migrateFrom(context, system, path, { project: project._id, ...options })
      const last = results.at(-1)
      if (!last) throw new Error('The migration reported nothing')
      return last
    },
    contact: (email: string) => core.contacts.get(scope, email),
    /** By the name of the list. */
    subscriptions: async (email: string) => {
      const { items } = await core.subscriptions.list(scope, email, { skip: 0, limit: 30 })
      return Object.fromEntries(items.map(({ name, ...one }) => [name, withoutId(one)]))
    },
    suppressions: async () => {
      const { items } = await core.suppressions.list(scope, page)
      return Object.fromEntries(items.map(({ email, reason }) => [email, reason]))
    },
    lists: async () => (await core.subscriberLists.list(scope, page)).items.map(({ name }) => name).sort(),
    fields: async () => {
      const { items } = await core.customFields.list(scope)
      return Object.fromEntries(items.map(({ name, type }) => [name, type]))
    },
    contactCount: async () => (await core.contacts.list(scope, page)).count,
    transactional: async () => (await core.transactionalEmails.list(scope, page)).items,
    triggered: async () => (await core.triggeredEmails.list(scope, page)).items,
    campaigns: async () => (await core.campaigns.list(scope, page)).items,
  }
}
