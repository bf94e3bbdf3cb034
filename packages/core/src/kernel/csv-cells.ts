/*
 * A cell that begins with one of these signs, full-width ones included, is a formula (OWASP, "CSV Injection"). The sign may also follow a
 * character that can separate cells: a spreadsheet whose locale separates by semicolons ignores the quotes of a cell in a comma-separated
 * row. Leading apostrophes keep a text from being a formula.
 */
const isFormula = /(?:^|[,;\t\r\n])'*[=+\-@\t\r\n＝＋－＠]/
const beforeFormula = /(?<=^|[,;\t\r\n])(?='*[=+\-@\t\r\n＝＋－＠])/g
const guardOfFormula = /(?<=^|[,;\t\r\n])'(?='*[=+\-@\t\r\n＝＋－＠])/g

/** Puts an apostrophe before everything that begins like a formula, so that no spreadsheet runs it. `unguarded` reverses this exactly. */
export const guarded = (text: string): string => (isFormula.test(text) ? text.replace(beforeFormula, "'") : text)

/** Removes the apostrophes that `guarded` added; leaves any other text unchanged. */
export const unguarded = (text: string): string => (text.includes("'") ? text.replace(guardOfFormula, '') : text)

/** Quotes a cell if CSV requires it. */
const cell = (text: string): string => (/["\n\r,;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A CSV row with its line end. */
export const csvRow = (cells: readonly string[], delimiter = ','): string => `${cells.map(cell).join(delimiter)}\n`
