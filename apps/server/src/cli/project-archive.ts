import { resolve } from 'node:path'
import { copyStore } from '../copying/copy-store.js'
import { exportProject, openArchive } from '../copying/project-archive.js'
import { CopyFailure } from '../copying/stores.js'
import type { CommandContext } from './command-context.js'
import type { CommandResult } from './commands.js'
import { CommandFailure } from './output.js'

const explained = (error: unknown): never => {
  throw error instanceof CopyFailure ? new CommandFailure(error.message) : error
}

const storeOf = ({ ports, repositories }: CommandContext) => {
  const { counters, deliveries, figures, files } = ports
  return { repositories, counters, deliveries, figures, files }
}

const secretNote =
  'Sealed keys, tokens and links in mails that were sent need the same POSTHORN_SECRET at the other installation.'

export const exportToDirectory = async (
  context: CommandContext,
  [projectId = '', directory = '']: readonly string[],
): Promise<CommandResult> => {
  const path = resolve(directory)
  const manifest = await exportProject(storeOf(context), projectId, path, context.ports.clock).catch(explained)
  const count = Object.values(manifest.files).reduce((sum, file) => sum + file.records, 0)
  return {
    value: { directory: path, ...manifest },
    text: `${count} records of the project ${manifest.project.name} are in ${path}, compared with the store.`,
    note: secretNote,
  }
}

export const importProjectFromDirectory = async (
  context: CommandContext,
  [directory = '']: readonly string[],
): Promise<CommandResult> => {
  const { source, manifest } = await openArchive(resolve(directory)).catch(explained)
  const { clock } = context.ports
  const [, project] = await copyStore({
    ...{ from: source, to: storeOf(context), projectId: manifest.project._id, clock },
    progress: () => {},
  }).catch(explained)
  const { _id, name } = manifest.project
  if (!project?.verified)
    throw new CommandFailure(`The project ${name} (${_id}) is there already; nothing was changed.`)
  return {
    value: project,
    text: `The project ${name} (${_id}) is imported, and compared with the export.`,
    note: secretNote,
  }
}
