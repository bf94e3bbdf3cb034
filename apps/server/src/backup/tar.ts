/** POSIX.1-2001 ("pax"), which every tar program reads. */

export const tarBlockSize = 512

/** The most that a header's name and size fields hold. */
const [longestName, largestSize] = [100, 8 ** 11 - 1]
/** In bytes; our pax headers have one or two lines. */
export const mostPaxHeaderBytes = 64 * 1024

export const tarPaddingOf = (size: number): number => (tarBlockSize - (size % tarBlockSize)) % tarBlockSize

const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`

const block = (name: string, size: number, seconds: number, type: '0' | 'x'): Buffer => {
  const header = Buffer.alloc(tarBlockSize)
  header.write(name, 0, longestName)
  header.write(octal(0o600, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(Math.min(size, largestSize), 12), 124)
  header.write(octal(Math.max(0, seconds), 12), 136)
  header.write(' '.repeat(8), 148)
  header.write(type, 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** The length in front counts itself. */
const paxLine = (keyword: string, value: string): string => {
  const rest = ` ${keyword}=${value}\n`
  const length = Buffer.byteLength(rest)
  const digits = String(length + String(length).length).length
  return `${length + digits}${rest}`
}

/** @param seconds when the file was changed, since 1970 */
export const tarHeaderBytes = (name: string, size: number, seconds: number): Buffer => {
  if (Buffer.byteLength(name) <= longestName && size <= largestSize) return block(name, size, seconds, '0')
  const pax = Buffer.from(paxLine('path', name) + paxLine('size', String(size)))
  const padded = Buffer.concat([pax, Buffer.alloc(tarPaddingOf(pax.length))])
  return Buffer.concat([block('pax', pax.length, seconds, 'x'), padded, block('file', size, seconds, '0')])
}

export const endOfArchive = Buffer.alloc(2 * tarBlockSize)

export type TarHeader = {
  readonly name: string
  readonly size: number
  readonly seconds: number
  readonly type: string
}

const textIn = (header: Buffer, from: number, length: number): string => {
  const field = header.subarray(from, from + length)
  const end = field.indexOf(0)
  return field.subarray(0, end < 0 ? length : end).toString('utf8')
}

const numberIn = (header: Buffer, from: number, length: number): number => {
  const text = textIn(header, from, length).trim()
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN
}

/** `end` for a block of zeros; undefined for what is no header. */
export const readTarHeader = (header: Buffer): TarHeader | 'end' | undefined => {
  if (header.every((byte) => byte === 0)) return 'end'
  const blank = Buffer.from(header)
  blank.write(' '.repeat(8), 148)
  const sum = blank.reduce((total, byte) => total + byte, 0)
  const size = numberIn(header, 124, 12)
  if (numberIn(header, 148, 8) !== sum || !Number.isSafeInteger(size)) return undefined
  const prefix = textIn(header, 257, 6) === 'ustar' ? textIn(header, 345, 155) : ''
  const name = textIn(header, 0, 100)
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size,
    seconds: numberIn(header, 136, 12) || 0,
    type: textIn(header, 156, 1) || '0',
  }
}

export const paxIn = (bytes: Buffer): { readonly path?: string; readonly size?: number } => {
  const values = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(' ', at)
    const length = Number(bytes.subarray(at, blank).toString('latin1'))
    if (blank < 0 || !Number.isInteger(length) || length < 5) break
    const [keyword = '', ...rest] = bytes
      .subarray(blank + 1, at + length - 1)
      .toString('utf8')
      .split('=')
    values.set(keyword, rest.join('='))
    at += length
  }
  const [path, size] = [values.get('path'), values.get('size')]
  return {
    ...(path !== undefined && { path }),
    ...(size !== undefined && /^\d{1,15}$/.test(size) && { size: Number(size) }),
  }
}
