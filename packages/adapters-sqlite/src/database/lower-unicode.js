/**
 * Lower case as JavaScript has it; SQLite's own knows ASCII alone. Plain JavaScript, since the reader's thread needs it, too.
 * @param {unknown} text
 * @returns {string | null}
 */
export const lowerUnicode = (text) => (typeof text === 'string' ? text.toLowerCase() : null)
