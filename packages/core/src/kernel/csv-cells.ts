/*
 * A formula begins with one of these signs, full-width ones included (OWASP, "CSV Injection"), at the beginning of a cell. That is also
 * behind each sign that may separate cells: a spreadsheet whose language separates by semicolons ignores the quotes of a cell in a row
 * that is separated by commas. Apostrophes in front keep a text from being a formula.
 */
const isFormula = /(?:^|[,;\t\r\n])'*[=+\-@\t\r\n＝＋－＠]/
const beforeFormula = /(?<=^|[,;\t\r\n])(?='*[=+\-@\t\r\n＝＋－＠])/g
const guardOfFormula = /(?<=^|[,;\t\r\n])'(?='*[=+\-@\t\r\n＝＋－＠])/g

/** A text that no spreadsheet runs as a formula, by apostrophes in front of all that begins like one. `unguarded` takes exactly these away. */
export const guarded = (text: string): string => (isFormula.test(text) ? text.replace(beforeFormula, "'") : text)

/** The text that was guarded; any other as it is. */
export const unguarded = (text: string): string => (text.includes("'") ? text.replace(guardOfFormula, '') : text)

/** A cell as CSV has it, in quotes where it needs them. */
const cell = (text: string): string => (/["\n\r,;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A row of CSV with its line end. */
export const csvRow = (cells: readonly string[], delimiter = ','): string => `${cells.map(cell).join(delimiter)}\n`
