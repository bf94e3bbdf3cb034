import { createWriteStream, rmSync, statSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { CommandFailure } from './output.js'
import type { Terminal } from './terminal.js'

/** The file to import. */
export type ImportSource = {
  /** A file that can be read several times. */
  readonly file: string
  /** The journal's name derives from it. */
  readonly name: string
  /** Removes temporary files. */
  readonly close: () => void
}

/** Copies standard input to a file for its owner alone, because an import reads its file more than once. */
const copied = async (input: AsyncIterable<Uint8Array>): Promise<ImportSource> => {
  const directory = await mkdtemp(join(tmpdir(), 'posthorn-import-'))
  const close = () => rmSync(directory, { recursive: true, force: true })
  const file = join(directory, 'stdin')
  try {
    await pipeline(input, createWriteStream(file, { mode: 0o600 }))
    return { file, name: 'stdin', close }
  } catch (error) {
    close()
    throw error
  }
}

/**
 * The file of this name, or standard input for `-`.
 * @throws CommandFailure if it does not exist
 */
export const importSource = async (name: string, { stdin }: Pick<Terminal, 'stdin'>): Promise<ImportSource> => {
  if (name === '-') {
    if (!stdin) throw new CommandFailure('There is no standard input to read.', 2)
    return copied(stdin)
  }
  if (!statSync(name, { throwIfNoEntry: false })?.isFile()) throw new CommandFailure(`There is no file ${name}.`, 2)
  return { file: name, name, close: () => {} }
}
