/**
 * Cells that begin with such a sign are formulas (OWASP, "CSV Injection"). The sign may follow a separator, because
 * a spreadsheet that separates by semicolons ignores the quotes of comma-separated cells.
 */
const isFormula = /(?:^|[,;\t\r\n])['"]*[=+\-@\t\r\n＝＋－＠]/
const beforeFormula = /(?<=^|[,;\t\r\n])(?=['"]*[=+\-@\t\r\n＝＋－＠])/g
const guardOfFormula = /(?<=^|[,;\t\r\n])'(?=['"]*[=+\-@\t\r\n＝＋－＠])/g

/** Puts an apostrophe before formulas, so that no spreadsheet runs them. `unescapedFormulas` reverses this exactly. */
export const escapedFormulas = (text: string): string =>
  isFormula.test(text) ? text.replace(beforeFormula, "'") : text

export const unescapedFormulas = (text: string): string =>
  text.includes("'") ? text.replace(guardOfFormula, '') : text

const cell = (text: string): string => (/["\n\r,;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** In characters. */
const chunkSize = 32 * 1024

/** The texts of a file, about 32 KB each, after its header; each is built when it is read. */
export async function* exportTextChunks<T>(
  items: AsyncIterable<T>,
  textOf: (item: T) => string,
  header: string,
): AsyncGenerator<string> {
  let text = header
  for await (const one of items) {
    text += textOf(one)
    if (text.length < chunkSize) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

export const csvRow = (cells: readonly string[], delimiter = ','): string => `${cells.map(cell).join(delimiter)}\n`
