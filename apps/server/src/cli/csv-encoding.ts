import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** What one reading of a whole file tells. */
export type Examined = {
  /** SHA-256 in hexadecimal: whether it is the file that it was. */
  readonly digest: string
  /** As TextDecoder names it. */
  readonly encoding: string
}

/** UTF-16 by its byte order mark or, as a table begins with a heading, by where the zeros of its first letter are. */
const utf16Of = ([first, second]: Buffer): string | undefined => {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : undefined
}

/**
 * Reads the file once, all of it, as one Windows-1252 letter at its very end decides: what is not valid UTF-8 is that, unless it is
 * UTF-16.
 */
export const examined = async (path: string): Promise<Examined> => {
  const hash = createHash('sha256')
  const strict = new TextDecoder('utf-8', { fatal: true })
  let utf16: string | undefined
  let begun = false
  let isUtf8 = true
  const decodes = (chunk?: Buffer) => {
    try {
      strict.decode(chunk, { stream: chunk !== undefined })
      return true
    } catch {
      return false
    }
  }
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    if (!begun) utf16 = utf16Of(chunk)
    begun = true
    isUtf8 &&= decodes(chunk)
  }
  isUtf8 &&= decodes()
  return { digest: hash.digest('hex'), encoding: utf16 ?? (isUtf8 ? 'utf-8' : 'windows-1252') }
}
