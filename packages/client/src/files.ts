/** Bytes without a name need one; `type` follows from the name if it is absent. */
export type FileInput =
  | File
  | {
      readonly name: string
      readonly content: Blob | Uint8Array | ArrayBuffer | string
      /** Such as `image/png`. */
      readonly type?: string | undefined
    }

/** Read it once: as a stream, a text or a Blob. */
export type DownloadedFile = {
  readonly filename: string
  readonly contentType: string
  /** For files of any size. */
  readonly stream: ReadableStream<Uint8Array>
  readonly text: () => Promise<string>
  readonly blob: () => Promise<Blob>
}

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  ndjson: 'application/x-ndjson',
  png: 'image/png',
}

const typeOf = (name: string): string => types[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? ''

const isFileInput = (value: unknown): value is FileInput =>
  value instanceof Blob || (typeof value === 'object' && value !== null && 'name' in value && 'content' in value)

/** A multipart form. Fields that are undefined are left out. */
export const formOf = (fields: object): FormData => {
  const form = new FormData()
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue
    if (!isFileInput(value)) form.append(key, String(value))
    else if (value instanceof Blob) form.append(key, value, value.name)
    else {
      const { name, content, type = typeOf(name) } = value
      form.append(
        key,
        new Blob([content as Blob], { type: type || (content instanceof Blob ? content.type : '') }),
        name,
      )
    }
  }
  return form
}

/** RFC 6266 and RFC 8187. */
const nameIn = (disposition: string): string => {
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(disposition) ?? []
  if (encoded !== undefined) return decodeURIComponent(encoded)
  return /filename="?([^";]*)/i.exec(disposition)?.[1] ?? ''
}

export const downloadedFile = async (response: Response): Promise<DownloadedFile> => ({
  filename: nameIn(response.headers.get('content-disposition') ?? ''),
  contentType: response.headers.get('content-type') ?? '',
  stream: response.body ?? new Blob([]).stream(),
  text: () => response.text(),
  blob: () => response.blob(),
})
