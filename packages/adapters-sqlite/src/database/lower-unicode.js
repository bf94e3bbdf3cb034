/**
 * Lower case of JavaScript; SQLite's `lower` handles only ASCII. Plain JavaScript, because the reader threads also use it.
 * @param {unknown} text
 * @returns {string | null}
 */
export const lowerUnicode = (text) => (typeof text === 'string' ? text.toLowerCase() : null)
