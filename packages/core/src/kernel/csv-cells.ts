/**
 * Cells that begin with such a sign are formulas (OWASP, "CSV Injection"). The sign may follow a separator, because
 * a spreadsheet that separates by semicolons ignores the quotes of comma-separated cells.
 */
const isFormula = /(?:^|[,;\t\r\n])'*[=+\-@\t\r\n＝＋－＠]/
const beforeFormula = /(?<=^|[,;\t\r\n])(?='*[=+\-@\t\r\n＝＋－＠])/g
const guardOfFormula = /(?<=^|[,;\t\r\n])'(?='*[=+\-@\t\r\n＝＋－＠])/g

/** Puts an apostrophe before formulas, so that no spreadsheet runs them. `unguarded` reverses this exactly. */
export const escapedFormulas = (text: string): string =>
  isFormula.test(text) ? text.replace(beforeFormula, "'") : text

export const unescapedFormulas = (text: string): string =>
  text.includes("'") ? text.replace(guardOfFormula, '') : text

const cell = (text: string): string => (/["\n\r,;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export const csvRow = (cells: readonly string[], delimiter = ','): string => `${cells.map(cell).join(delimiter)}\n`
