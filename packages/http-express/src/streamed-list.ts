import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import { z } from 'zod'

/** What `run` returns to send a whole list while it is read, so that memory stays bounded. */
export type StreamedList<T = unknown> = { readonly streamed: AsyncIterable<T> }

export const isStreamedList = (result: unknown): result is StreamedList =>
  typeof result === 'object' && result !== null && 'streamed' in result

const chunkSize = 16 * 1024

/** The spec's list response as text, in chunks. `count` comes last, when it is known. */
async function* listText(status: number, item: z.ZodType, items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let text = `{"status":${status},"result":{"items":[`
  let count = 0
  for await (const one of items) {
    text += `${count === 0 ? '' : ','}${JSON.stringify(item.parse(one))}`
    count += 1
    if (text.length < chunkSize) continue
    yield text
    text = ''
  }
  yield `${text}],"count":${count},"next":null}}`
}

/** The view of a list's items. */
const itemOf = (view: z.ZodType): z.ZodType => {
  const items = view instanceof z.ZodObject ? view.shape.items : undefined
  if (items instanceof z.ZodArray) return items.element as z.ZodType
  throw new Error('Only a list is streamed')
}

/**
 * Sends the list at the client's pace, each item through its view; a disconnect ends the reading.
 * @throws what the items threw, and aborts the response
 */
export const sendStreamedList = async (
  response: Response,
  status: number,
  view: z.ZodType,
  { streamed }: StreamedList,
): Promise<void> => {
  response.status(status).type('json')
  await pipeline(Readable.from(listText(status, itemOf(view), streamed)), response).catch((error) => {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}
