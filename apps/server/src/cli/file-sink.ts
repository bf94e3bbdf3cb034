import { once } from 'node:events'
import { createWriteStream, rmSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import { CommandFailure } from './output.js'

/** Takes texts as fast as whoever reads them. */
type Sink = { readonly write: (text: string) => Promise<void>; readonly end: () => Promise<void> }

/** A file for its owner alone, as it holds addresses; none where it breaks off. @throws CommandFailure where there is one already */
export const fileSink = async (file: string): Promise<Sink & { readonly abandon: () => void }> => {
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  await once(stream, 'open').catch(({ code, message }: NodeJS.ErrnoException) => {
    throw new CommandFailure(
      code === 'EEXIST' ? `There is a file ${file} already.` : `${file} cannot be written (${message}).`,
      2,
    )
  })
  return {
    write: async (text) => {
      if (!stream.write(text)) await once(stream, 'drain')
    },
    end: async () => {
      stream.end()
      await finished(stream)
    },
    abandon: () => {
      stream.destroy()
      rmSync(file, { force: true })
    },
  }
}
