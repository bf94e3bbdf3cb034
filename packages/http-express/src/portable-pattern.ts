/** ECMAScript's escapes for character classes, each with the characters that every dialect knows. */
const classes: Readonly<Record<string, string>> = {
  d: '0-9',
  w: 'A-Za-z0-9_',
  s: ' \\t\\n\\r\\f\\v',
  'p{Cc}': '\\x00-\\x1f\\x7f-\\x9f',
  '0': '\\x00',
}

const token = /\\P\{Cc\}|\\p\{Cc\}|\\[\s\S]|[\s\S]/g

/**
 * Rewrites a pattern so that ECMAScript, Python, Rust and Java read it alike: spells out character classes, and removes a lookahead for the
 * length, which `maxLength` states.
 */
export const portablePattern = (pattern: string): string => {
  let inClass = false
  return (pattern.replace(/^\^\(\?=\.\{1,\d+\}\$\)/, '^').match(token) ?? [])
    .map((one) => {
      if (one === '\\P{Cc}') return '[^\\x00-\\x1f\\x7f-\\x9f]'
      if (one === '[' && !inClass) inClass = true
      else if (one === ']') inClass = false
      const spelled = one.startsWith('\\') ? classes[one.slice(1)] : undefined
      if (spelled === undefined) return one === '\\/' ? '/' : one
      return inClass || one === '\\0' ? spelled : `[${spelled}]`
    })
    .join('')
}
