/** What a spreadsheet takes for the beginning of a formula, behind apostrophes that keep it from being one. */
const formula = /^'*[=+\-@\t\r]/

/**
 * A text that no spreadsheet runs as a formula: where it begins like one, with an apostrophe in front. `unguarded` takes exactly that
 * one away again.
 */
export const guarded = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** The text that was guarded; any other as it is. */
export const unguarded = (text: string): string => (text.startsWith("'") && formula.test(text) ? text.slice(1) : text)

/** A cell as CSV has it, in quotes where it needs them. */
const cell = (text: string): string => (/["\n\r,;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A row of CSV with its line end. */
export const csvRow = (cells: readonly string[], delimiter = ','): string => `${cells.map(cell).join(delimiter)}\n`
