import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as othersTurn } from 'node:timers/promises'
import type { Request, Response } from 'express'
import { z } from 'zod'

type Scalar = string | number | boolean | bigint | symbol | null | undefined

type Fixed<T> = unknown extends T
  ? T
  : T extends Scalar
    ? T
    : T extends readonly (infer E)[]
      ? readonly Fixed<E>[]
      : { readonly [K in keyof T]: Fixed<T[K]> }

type Shown<V extends z.ZodType> = Fixed<z.output<V>>

type ItemOf<V extends z.ZodType> = Shown<V> extends { readonly items: readonly (infer E)[] } ? E : never

/** The view's output, or something streamed. Paginated lists omit `next`. */
export type RouteOutput<V extends z.ZodType, G extends boolean> = G extends true
  ? Omit<Shown<V>, 'next'> | StreamedList<ItemOf<V>>
  : Shown<V> | (z.output<V> extends Download ? StreamedFile : never)

type KeyOf<T> = T extends unknown ? keyof T : never
type At<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never
type ElementOf<T> = T extends readonly (infer E)[] ? E : never

/** Fields of `R`, at any depth, that `O` lacks. */
type Strange<R, O> = unknown extends O
  ? never
  : R extends Scalar
    ? never
    : R extends readonly (infer E)[]
      ? Strange<E, ElementOf<O>>
      : R extends AsyncIterable<unknown>
        ? never
        : { [K in keyof R]-?: K extends KeyOf<O> ? Strange<R[K], At<O, K>> : K }[keyof R]

/** Unsatisfiable if the response has fields that the view lacks. */
export type OnlyViewFields<R, O> = [Strange<R, O>] extends [never] ? unknown : { readonly unnamed: Strange<R, O> }

/** Characters. Longer texts become bytes once. */
const longText = 16 * 1024

/** Characters of a page that are written before others have their turn. */
const pageChunk = 256 * 1024

/** Writes a page of a list; a page of large documents in several steps of about a millisecond. */
export const pageWriter = (view: z.ZodType) => {
  const item = itemOf(view)
  const rest = (view as z.ZodObject).omit({ items: true })
  /** @returns a text, or the bytes of a long one */
  return async (status: number, { items, ...others }: Page): Promise<string | readonly Buffer[]> => {
    const chunks: Buffer[] = []
    let text = `{"status":${status},"result":{"items":[`
    for (const [place, one] of items.entries()) {
      text += `${place === 0 ? '' : ','}${JSON.stringify(item.parse(one))}`
      if (text.length < pageChunk) continue
      chunks.push(Buffer.from(text))
      text = ''
      await othersTurn()
    }
    text += `],${JSON.stringify(rest.parse(others)).slice(1)}}`
    return chunks.length === 0 && text.length < longText ? text : [...chunks, Buffer.from(text)]
  }
}

export const jsonText = (value: object): string | readonly Buffer[] => {
  const text = JSON.stringify(value)
  return text.length < longText ? text : [Buffer.from(text)]
}

/** Express's `json` without its checks. Returns the bytes; 0 below 16 KB. Only an answer of one part has an ETag. */
export const sendJson = (
  request: Request,
  response: Response,
  status: number,
  json: string | readonly Buffer[],
  /** Called with the bytes before sending 16 KB or more. */
  long: ((bytes: number) => void) | undefined,
): number => {
  const parts = typeof json === 'string' ? [json] : json
  const bytes = typeof json === 'string' ? 0 : json.reduce((sum, part) => sum + part.length, 0)
  if (bytes > 0) long?.(bytes)
  if (parts.length === 1 && (request.method === 'HEAD' || request.headers['if-none-match'] !== undefined)) {
    response.status(status).type('json').send(parts[0])
    return bytes
  }
  response.statusCode = status
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  if (parts.length > 1) {
    response.setHeader('Content-Length', bytes)
    for (const part of parts) response.write(part)
    response.end()
  } else response.end(parts[0])
  return bytes
}

export const Download = z.object({ filename: z.string(), content: z.string() })
export type Download = z.output<typeof Download>

export const exportContentTypes = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

export const downloadSchemaOf = (contentType: string, ...others: readonly string[]): typeof Download =>
  Download.meta({ contentTypes: [contentType, ...others] })

/** The default first; empty for JSON. */
export const downloadTypesOf = (view: z.ZodType): readonly string[] => {
  const contentTypes = view.meta()?.contentTypes
  return Array.isArray(contentTypes) ? contentTypes.map(String) : []
}

/** RFC 6266. */
export const sendDownload = (response: Response, contentType: string, { filename, content }: Download): void => {
  response.attachment(filename).type(contentType).send(Buffer.from(content))
}

export const readDownload = async (answer: globalThis.Response): Promise<Download> => ({
  filename: /filename="?([^";]*)/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? '',
  content: await answer.text(),
})

type StreamedFile = {
  readonly filename: string
  readonly contentType: string
  readonly chunks: AsyncIterable<string>
}

export const isStreamedFile = (result: unknown): result is StreamedFile =>
  typeof result === 'object' && result !== null && 'chunks' in result

/** A disconnect ends the generator. @throws what the chunks threw, and aborts the response */
export const sendStreamedFile = async (
  response: Response,
  { filename, contentType, chunks }: StreamedFile,
): Promise<void> => {
  response.attachment(filename).type(contentType)
  await pipeline(Readable.from(chunks, { highWaterMark: 1 }), response).catch((error) => {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}

type StreamedList<T = unknown> = { readonly streamed: AsyncIterable<T> }

export const isStreamedList = (result: unknown): result is StreamedList =>
  typeof result === 'object' && result !== null && 'streamed' in result

const chunkSize = 16 * 1024

/** `count` comes last, when it is known. */
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

type Page = { readonly items: readonly unknown[] }

const itemOf = (view: z.ZodType): z.ZodType => {
  const items = view instanceof z.ZodObject ? view.shape.items : undefined
  if (items instanceof z.ZodArray) return items.element as z.ZodType
  throw new Error('Only a list is streamed')
}

/** A disconnect ends the reading. @throws what the items threw, and aborts the response */
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

const ofConnections = new WeakMap<Socket, (() => void)[]>()

const endOf = (socket: Socket): (() => void)[] => {
  const known = ofConnections.get(socket)
  if (known) return known
  const waiting: (() => void)[] = []
  ofConnections.set(socket, waiting)
  socket.once('close', () => {
    for (const tell of [...waiting]) tell()
  })
  return waiting
}

/** Node does not report a disconnect to pipelined responses, so this also watches the connection. */
export const whenResponseEnds = (response: Response, tell: () => void): void => {
  const { socket } = response.req
  if (response.closed || response.destroyed || socket.destroyed) {
    tell()
    return
  }
  const waiting = endOf(socket)
  const once = () => {
    const place = waiting.indexOf(once)
    if (place < 0) return
    waiting.splice(place, 1)
    tell()
  }
  waiting.push(once)
  response.once('close', once)
}
