export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'

  constructor(
    message: string,
    /** Then the server may have carried it out. */
    readonly written: boolean,
  ) {
    super(message)
  }
}

/** In bytes; the API's responses have some hundred. */
export const largestResponse = 1024 * 1024

/** HTTP/1.1 (RFC 9112). */
export type HttpResponse = {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
  /** In ms; 0 if the connection may not be reused, undefined if the response does not say. */
  readonly reusableFor: number | undefined
}

type Head = Pick<HttpResponse, 'status' | 'headers'> & { readonly isCurrent: boolean }

const largestHead = 16 * 1024
const largestChunkLine = 1024

const headOf = (text: string): Head => {
  const lines = text.split('\r\n')
  const first = lines[0] ?? ''
  const status = Number(first.slice(9, 12))
  if (!first.startsWith('HTTP/1.') || !(status >= 100 && status <= 999))
    throw new Error('The response is not HTTP/1.1.')
  const headers = new Map<string, string>()
  for (let i = 1; i < lines.length; i += 1) {
    const line = lines[i] ?? ''
    const colon = line.indexOf(':')
    if (colon < 1) throw new Error('The response has a header without a name.')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return { status, headers, isCurrent: first[7] !== '0' }
}

const sizeIn = (digits: string, form: RegExp, radix: number): number => {
  const size = form.test(digits) ? Number.parseInt(digits, radix) : Number.NaN
  if (Number.isNaN(size)) throw new Error('The response has no valid length.')
  return size
}

const lengthOf = ({ status, headers }: Head): number | 'chunks' | 'until-end' => {
  if (status === 204 || status === 304) return 0
  const coding = headers.get('transfer-encoding')?.toLowerCase()
  if (coding === 'chunked') return 'chunks'
  if (coding !== undefined) throw new Error(`The response has the unknown transfer encoding ${coding}.`)
  const length = headers.get('content-length')
  return length === undefined ? 'until-end' : sizeIn(length, /^\d{1,15}$/, 10)
}

/** `Keep-Alive: timeout=5`, less a second for requests on their way. */
const reuseOf = ({ headers, isCurrent }: Head): number | undefined => {
  const connection = headers.get('connection')?.toLowerCase()
  if (!isCurrent || connection?.includes('close')) return 0
  const [, timeout = ''] = headers.get('keep-alive')?.split('timeout=') ?? []
  const seconds = Number.parseInt(timeout, 10)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds - 1) * 1000
}

type Stage = 'head' | 'body' | 'until-end' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers'
const none = Buffer.alloc(0)

/** Parses the responses of one connection, with bounded memory; scans each byte once. */
export const httpResponseReader = () => {
  let stage: Stage = 'head'
  let head: Head | undefined
  let rest: Buffer = none
  let searched = 0
  let parts: Buffer[] = []
  let size = 0
  let left = 0

  const until = (separator: string, most: number): string | undefined => {
    const end = rest.indexOf(separator, searched, 'latin1')
    // Without a separator, the last bytes may be the beginning of one.
    if ((end < 0 ? rest.length - separator.length + 1 : end) > most)
      throw new Error(`The response has a line or a head of more than ${most} bytes.`)
    if (end < 0) {
      searched = Math.max(0, rest.length - separator.length + 1)
      return undefined
    }
    const text = rest.toString('latin1', 0, end)
    rest = rest.subarray(end + separator.length)
    searched = 0
    return text
  }

  const room = (more: number) => {
    if (size + more > largestResponse) throw new Error(`The response has more than ${largestResponse} bytes.`)
  }

  const keep = (bytes: Buffer) => {
    room(bytes.length)
    size += bytes.length
    if (bytes.length > 0) parts.push(bytes)
  }

  const taken = (): boolean => {
    const piece = rest.length <= left ? rest : rest.subarray(0, left)
    rest = rest.subarray(piece.length)
    left -= piece.length
    keep(piece)
    return left === 0
  }

  const whole = (reusableFor: number | undefined): HttpResponse => {
    const { status, headers } = head as Head
    const body = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    ;[stage, head, parts, size, left] = ['head', undefined, [], 0, 0]
    return { status, headers, body, reusableFor: rest.length > 0 ? 0 : reusableFor }
  }

  const beginBody = (of: Head): Stage => {
    const length = lengthOf(of)
    if (length === 'chunks') return 'chunk-size'
    if (length === 'until-end') return 'until-end'
    room(length)
    left = length
    return 'body'
  }

  const steps: Readonly<Record<Stage, () => Stage | 'done' | undefined>> = {
    head: () => {
      const text = until('\r\n\r\n', largestHead)
      if (text === undefined) return undefined
      head = headOf(text)
      if (head.status === 101) throw new Error('The response switches to another protocol.')
      return head.status < 200 ? 'head' : beginBody(head)
    },
    body: () => (taken() ? 'done' : undefined),
    'until-end': () => {
      keep(rest)
      rest = none
      return undefined
    },
    'chunk-size': () => {
      const line = until('\r\n', largestChunkLine)
      if (line === undefined) return undefined
      left = sizeIn(line.split(';')[0]?.trim() ?? '', /^[0-9a-f]{1,8}$/i, 16)
      room(left)
      return left === 0 ? 'trailers' : 'chunk'
    },
    chunk: () => (taken() ? 'chunk-end' : undefined),
    'chunk-end': () => {
      const line = until('\r\n', 0)
      return line === undefined ? undefined : 'chunk-size'
    },
    trailers: () => {
      const line = until('\r\n', largestHead)
      if (line === undefined) return undefined
      return line === '' ? 'done' : 'trailers'
    },
  }

  return {
    /** Undefined until complete. @throws Error if malformed or larger than 1 MiB */
    read: (bytes: Buffer): HttpResponse | undefined => {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      for (;;) {
        const next = steps[stage]()
        if (next === undefined) return undefined
        if (next === 'done') return whole(reuseOf(head as Head))
        stage = next
      }
    },
    /** A response that ends with its connection; undefined if it was cut off. */
    ended: (): HttpResponse | undefined => (stage === 'until-end' ? whole(0) : undefined),
  }
}
