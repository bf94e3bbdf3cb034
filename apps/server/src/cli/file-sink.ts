import { once } from 'node:events'
import { createWriteStream, rmSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import { CommandFailure } from './output.js'

/** Writes texts with backpressure. */
type Sink = { readonly write: (text: string) => Promise<void>; readonly end: () => Promise<void> }

/**
 * A new file readable by its owner alone, because it contains addresses; removed if abandoned.
 * @throws CommandFailure if the file exists
 */
export const fileSink = async (file: string): Promise<Sink & { readonly abandon: () => void }> => {
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  await once(stream, 'open').catch(({ code, message }: NodeJS.ErrnoException) => {
    throw new CommandFailure(
      code === 'EEXIST' ? `There is a file ${file} already.` : `${file} cannot be written (${message}).`,
      2,
    )
  })
  // The disk may fill up between two writes: without a listener, the error would end the process with a stack trace.
  let failure: Error | undefined
  stream.on('error', (error) => {
    failure = error
  })
  const orFailure = async (work: Promise<unknown>): Promise<void> => {
    await work.catch((error: Error) => {
      failure ??= error
    })
    if (failure) throw new CommandFailure(`${file} cannot be written (${failure.message}); nothing of it is kept.`)
  }
  return {
    write: async (text) => {
      const isTaken = failure !== undefined || stream.write(text)
      await orFailure(isTaken ? Promise.resolve() : once(stream, 'drain'))
    },
    end: async () => {
      if (!failure) stream.end()
      await orFailure(failure ? Promise.resolve() : finished(stream))
    },
    abandon: () => {
      stream.destroy()
      rmSync(file, { force: true })
    },
  }
}
