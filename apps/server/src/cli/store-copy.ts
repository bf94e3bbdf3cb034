import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemClock } from '@posthorn/adapters-node'
import type { Command } from 'commander'
import { pinoLog } from '../adapters/pino-log.js'
import { type CopyResult, copyStore } from '../copying/copy-store.js'
import { CopyFailure } from '../copying/stores.js'
import { openDataDirectory } from '../data-directory.js'
import { openStore, type Store } from '../store.js'
import { CommandFailure, commandOutput, textTable } from './output.js'

export type CopyCommandOptions = { readonly from: string; readonly to: string; readonly project?: string }

const placeOf = (option: string, address: string) => {
  if (/^mongodb(\+srv)?:\/\//.test(address)) return { store: 'mongodb', url: address } as const
  const path = /^sqlite:(.+)$/.exec(address)?.[1]
  if (path === undefined)
    throw new CommandFailure(`${option}: expected sqlite:<data directory>, or a URL that begins with mongodb://`, 2)
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
  const [directory, database] = isFile ? [dirname(path), path] : [path, join(path, 'posthorn.db')]
  return { store: 'sqlite', directory, database, isFile } as const
}
type Place = ReturnType<typeof placeOf>

const locationOf = (place: Place) => (place.store === 'mongodb' ? place.url : place.database)

const open = (place: Place): Promise<Store> => {
  const nowhere = { database: '', files: '' }
  return place.store === 'mongodb'
    ? openStore({ store: 'mongodb', mongodbUrl: place.url }, nowhere, pinoLog('error'))
    : openStore(
        { store: 'sqlite', mongodbUrl: undefined },
        { database: place.database, files: join(place.directory, 'files') },
        pinoLog('error'),
      )
}

const rowOf = ({ of, id, name, verified }: CopyResult): readonly string[] => {
  if (!verified) return [of, id, name, 'there already', '']
  const records = verified.reduce((sum, { what, count }) => sum + (what === 'counters' ? 0 : count), 0)
  return [of, id, name, `${records} copied and compared`, verified.map(({ digest }) => digest.slice(0, 2)).join('')]
}

export const runStoreCopyCommand = async (
  { from, to, project }: CopyCommandOptions,
  command: Command,
): Promise<void> => {
  const [source, target] = [placeOf('--from', from), placeOf('--to', to)]
  if (source.store === 'sqlite' && !existsSync(source.database))
    throw new CommandFailure(`--from: there is no database ${source.database}`, 2)
  if (locationOf(source) === locationOf(target)) throw new CommandFailure('--from and --to are the same store', 2)
  const output = commandOutput(command)
  const stores: Store[] = []
  const bar = output.progress('Copying')
  try {
    // A database file's directory may be someone else's: leave it unchanged.
    if (target.store === 'sqlite' && !target.isFile) openDataDirectory(target.directory, pinoLog('error'))
    for (const place of [source, target]) stores.push(await open(place))
    const [one, other] = stores
    if (!one || !other) return
    const copied = await copyStore({
      from: one,
      to: other,
      projectId: project,
      clock: systemClock,
      progress: (done, total) => bar?.show(done / total, `${done} of ${total}`),
    })
    bar?.end()
    output.result(copied, textTable([['', 'ID', 'NAME', 'RESULT', 'CHECKSUM'], ...copied.map(rowOf)]))
    if (source.store === 'sqlite')
      output.note(
        `Links, tokens and sealed keys need the same secret: give every server of the new store what ${join(source.directory, 'secret')} holds, as POSTHORN_SECRET.`,
      )
  } catch (error) {
    bar?.end()
    if (error instanceof CopyFailure) throw new CommandFailure(error.message)
    throw error
  } finally {
    for (const { close } of stores) await close()
  }
}
