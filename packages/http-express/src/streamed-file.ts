import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'

/** What `run` returns to send a file while it is generated, so that memory stays bounded. */
export type StreamedFile = {
  readonly filename: string
  /** One of the content types of the row's success. */
  readonly contentType: string
  readonly chunks: AsyncIterable<string>
}

export const isStreamedFile = (result: unknown): result is StreamedFile =>
  typeof result === 'object' && result !== null && 'chunks' in result

/**
 * Sends the file as an attachment at the client's pace; a disconnect ends the generator.
 * @throws what the chunks threw, and aborts the response
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
