/** What a class of characters is called in ECMAScript, and which characters every other dialect knows it by. */
const classes: Readonly<Record<string, string>> = {
  d: '0-9',
  w: 'A-Za-z0-9_',
  s: ' \\t\\n\\r\\f\\v',
  'p{Cc}': '\\x00-\\x1f\\x7f-\\x9f',
  '0': '\\x00',
}

const token = /\\P\{Cc\}|\\p\{Cc\}|\\[\s\S]|[\s\S]/g

/**
 * The pattern in what ECMAScript, Python, Rust and Java read alike: character classes are spelled out, and a look ahead at the length
 * is left to `maxLength`.
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
