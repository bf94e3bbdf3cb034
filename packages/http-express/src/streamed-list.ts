import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'

/** What `run` answers where a whole list is sent while it is read, so that memory stays bounded. */
export type StreamedList = { readonly streamed: AsyncIterable<unknown> }

export const isStreamedList = (result: unknown): result is StreamedList =>
  typeof result === 'object' && result !== null && 'streamed' in result

const chunkSize = 16 * 1024

/** The spec's list answer as text, in chunks. The count is told last, when it is known. */
async function* listText(status: number, items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let text = `{"status":${status},"result":{"items":[`
  let count = 0
  for await (const item of items) {
    text += `${count === 0 ? '' : ','}${JSON.stringify(item)}`
    count += 1
    if (text.length < chunkSize) continue
    yield text
    text = ''
  }
  yield `${text}],"count":${count},"next":null}}`
}

/** Sends the list as fast as the client takes it; one that goes away ends the reading. @throws what the items threw, and breaks the answer off */
export const sendStreamedList = async (
  response: Response,
  status: number,
  { streamed }: StreamedList,
): Promise<void> => {
  response.status(status).type('json')
  await pipeline(Readable.from(listText(status, streamed)), response).catch((error) => {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}
