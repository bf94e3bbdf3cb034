/** The server’s sentence, for files that are not sent to it at all. */
export const notText =
  'The file is not text: it may be a spreadsheet or an image. Open it in its program, save it as CSV (UTF-8), and choose that file.'

/** In bytes, as the server looks at. */
const firstBytes = 512

/** By the byte order mark, or the zero byte of the first letter. */
const encodingOf = ([first, second]: Uint8Array): string => {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : 'windows-1252'
}

/** See `assertText` of the core. */
export const isTextFile = async (file: Blob): Promise<boolean> => {
  const bytes = new Uint8Array(await file.slice(0, firstBytes).arrayBuffer())
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes)
  return !text.includes('\0') && !text.startsWith('%PDF-')
}
