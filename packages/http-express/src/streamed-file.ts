import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'

/** What `run` answers where a file is sent while it is made, so that memory stays bounded. */
export type StreamedFile = {
  readonly filename: string
  /** One of those that the row's success names. */
  readonly contentType: string
  readonly chunks: AsyncIterable<string>
}

export const isStreamedFile = (result: unknown): result is StreamedFile =>
  typeof result === 'object' && result !== null && 'chunks' in result

/**
 * Sends the file as an attachment as fast as the client takes it; one that goes away ends the making.
 * @throws what the chunks threw, and breaks the answer off
 */
export const sendStreamedFile = async (
  response: Response,
  { filename, contentType, chunks }: StreamedFile,
): Promise<void> => {
  response.attachment(filename).type(contentType)
  await pipeline(Readable.from(chunks, { highWaterMark: 1 }), response).catch((error) => {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}
