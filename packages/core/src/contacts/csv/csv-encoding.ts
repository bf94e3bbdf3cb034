import { invalid } from '../../kernel/refusal.js'

export type ReadFileFromStart = () => AsyncIterable<Uint8Array>

export type DetectedEncoding = {
  readonly encoding: string
  /** Invalid UTF-8 although most of the text is valid. */
  readonly damage?: Damage
}

type Damage = { readonly places: number; readonly firstLine: number }

/** By the byte order mark, or the zero byte of the first letter. */
const utf16Of = ([first, second]: Uint8Array): string | undefined => {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : undefined
}

/** In bytes. Every format of binary files has a zero byte there, but for PDF. */
const firstBytes = 512

const isBinary = (bytes: Uint8Array): boolean => {
  const text = new TextDecoder(utf16Of(bytes) ?? 'windows-1252').decode(bytes)
  return text.includes('\0') || text.startsWith('%PDF-')
}

/** @throws Refusal `invalid` for a spreadsheet, an image and other binary files, by their first bytes */
export const assertText = async (read: ReadFileFromStart): Promise<void> => {
  const start = new Uint8Array(firstBytes)
  let length = 0
  for await (const chunk of read()) {
    start.set(chunk.subarray(0, firstBytes - length), length)
    length += Math.min(chunk.length, firstBytes - length)
    if (length === firstBytes) break
  }
  if (isBinary(start.subarray(0, length)))
    throw invalid(
      'The file is not text: it may be a spreadsheet or an image. Open it in its program, save it as CSV (UTF-8), and choose that file.',
    )
}

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

/** Undefined if invalid bytes outnumber letters: the file has another encoding. */
const damageIn = async (read: ReadFileFromStart): Promise<Damage | undefined> => {
  const lenient = new TextDecoder('utf-8')
  let [places, letters, lines, firstLine] = [0, 0, 1, 0]
  for await (const chunk of read()) {
    const text = lenient.decode(chunk, { stream: true })
    const first = places === 0 ? text.indexOf('\ufffd') : -1
    if (first >= 0) firstLine = lines + countOf(text.slice(0, first), /\n/g)
    places += countOf(text, /\ufffd/g)
    letters += countOf(text, /[\u0080-\ufffc]/g)
    lines += countOf(text, /\n/g)
  }
  return letters > places ? { places, firstLine } : undefined
}

/** Reads the whole file: one letter at its end can decide. Neither UTF-8 nor UTF-16 means Windows-1252. */
export const detectEncoding = async (read: ReadFileFromStart): Promise<DetectedEncoding> => {
  const strict = new TextDecoder('utf-8', { fatal: true })
  let utf16: string | undefined
  let begun = false
  let isUtf8 = true
  const decodes = (chunk?: Uint8Array) => {
    try {
      strict.decode(chunk, { stream: chunk !== undefined })
      return true
    } catch {
      return false
    }
  }
  for await (const chunk of read()) {
    if (!begun) utf16 = utf16Of(chunk)
    begun = true
    isUtf8 &&= decodes(chunk)
  }
  isUtf8 &&= decodes()
  if (utf16 !== undefined || isUtf8) return { encoding: utf16 ?? 'utf-8' }
  const damage = await damageIn(read)
  return { encoding: 'windows-1252', ...(damage && { damage }) }
}
