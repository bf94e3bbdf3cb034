/** For texts up to this length, `String.prototype.includes` is fast enough. */
const shortText = 16

/** For each prefix of `what`, the length of its longest proper prefix that is also its suffix (Knuth, Morris, Pratt 1977). */
const borders = (what: string): Int32Array => {
  const table = new Int32Array(what.length)
  let matched = 0
  for (let i = 1; i < what.length; i += 1) {
    while (matched > 0 && what.charCodeAt(i) !== what.charCodeAt(matched)) matched = table[matched - 1] ?? 0
    if (what.charCodeAt(i) === what.charCodeAt(matched)) matched += 1
    table[i] = matched
  }
  return table
}

/** Whether `text` contains `what`, in linear time: `String.prototype.includes` is quadratic for repetitive texts. */
export const includesText = (text: string, what: string): boolean => {
  if (what.length <= shortText) return text.includes(what)
  if (what.length > text.length) return false
  const table = borders(what)
  let matched = 0
  for (let i = 0; i < text.length; i += 1) {
    while (matched > 0 && text.charCodeAt(i) !== what.charCodeAt(matched)) matched = table[matched - 1] ?? 0
    if (text.charCodeAt(i) === what.charCodeAt(matched)) matched += 1
    if (matched === what.length) return true
  }
  return false
}
