import type { GalleryFolderView } from '@posthorn/core'
import type { Command } from 'commander'
import { inContext } from './in-context.js'
import { table } from './output.js'

const lines = (folders: readonly GalleryFolderView[]) =>
  folders.length === 0
    ? 'The account shares no folder yet.'
    : table([
        ['ID', 'NAME', 'BELOW'],
        ...folders.map(({ _id, name, parentFolderId }) => [_id, name, parentFolderId ?? '']),
      ])

/** `posthorn shared-folder …`: gallery folders that belong to no project. */
export const sharedFolderCommands = (program: Command): void => {
  const folder = program
    .command('shared-folder')
    .description('folders of the gallery that all projects of an account see and may put something into')
  folder
    .command('create')
    .argument('<account>', 'id of the account')
    .argument('<name>')
    .option('--below <folder>', 'id of a shared folder that it lies in')
    .description('share a folder')
    .action(
      inContext(async ({ core, output }, accountId: string, name: string, { below }: { below?: string }) => {
        const made = await core.sharedFolders.create(accountId, { name, ...(below && { parentFolderId: below }) })
        output.result(made, `Folder ${made._id} (${made.name}) is shared`)
      }),
    )
  folder
    .command('list')
    .argument('<account>', 'id of the account')
    .description('all folders that the account’s projects share')
    .action(
      inContext(async ({ core, output }, accountId: string, _options: object) => {
        const all = await core.sharedFolders.list(accountId)
        output.result(all, lines(all))
      }),
    )
  folder
    .command('remove')
    .argument('<account>', 'id of the account')
    .argument('<folder>', 'id of the folder')
    .description('remove a shared folder for good, with all folders and images in it, whoever added them')
    .action(
      inContext(async ({ core, output }, accountId: string, id: string, _options: object) => {
        const removed = await core.sharedFolders.remove(accountId, id)
        output.result(removed, `Folder ${removed._id} (${removed.name}) is gone, with all that was in it`)
      }),
    )
}
