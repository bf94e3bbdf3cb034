/** A part of HTML other than text: a tag, or a hidden part (a comment, or an element that is not displayed). */
export type HtmlConstruct = { readonly start: number; readonly end: number; readonly hidden: boolean }

/** The end of the tag; a `>` in a quoted value does not end it. */
const tagEnd = (html: string, from: number): number => {
  for (let at = from; at < html.length; at += 1) {
    const character = html[at]
    if (character === '>') return at + 1
    if (character !== '=') continue
    while (/\s/.test(html[at + 1] ?? '')) at += 1
    const quote = html[at + 1]
    if (quote !== '"' && quote !== "'") continue
    const end = html.indexOf(quote, at + 2)
    if (end === -1) return html.length
    at = end
  }
  return html.length
}

const endTags = new Map<string, RegExp>(
  ['head', 'style', 'script', 'title'].map((name) => [name, new RegExp(`</${name}(?=[\\s/>])`, 'gi')]),
)
const tagName = /[a-z][a-z0-9]*/iy

const nameAt = (html: string, at: number): string => {
  tagName.lastIndex = at
  return tagName.exec(html)?.[0].toLowerCase() ?? ''
}

/** The tags and hidden parts of an HTML text, in order, in one pass. */
export const htmlConstructs = (html: string): readonly HtmlConstruct[] => {
  const found: HtmlConstruct[] = []
  const endless = new Set<string>()

  /** The end of the hidden element whose start tag ends at `from`; undefined if the tag starts no hidden element. */
  const hiddenEnd = (name: string, from: number): number | undefined => {
    const pattern = endTags.get(name)
    if (!pattern || endless.has(name)) return undefined
    pattern.lastIndex = from
    const end = pattern.exec(html)
    if (end) return tagEnd(html, end.index + 2)
    endless.add(name)
    return name === 'head' ? undefined : html.length
  }

  const constructAt = (start: number): HtmlConstruct | undefined => {
    if (html.startsWith('<!--', start)) {
      const end = html.indexOf('-->', start + 4)
      return { start, end: end === -1 ? html.length : end + 3, hidden: true }
    }
    if (!/[a-z/!?]/i.test(html[start + 1] ?? '')) return undefined
    const end = tagEnd(html, start + 1)
    const hidden = hiddenEnd(nameAt(html, start + 1), end)
    return { start, end: hidden ?? end, hidden: hidden !== undefined }
  }

  for (let start = html.indexOf('<'); start !== -1; ) {
    const construct = constructAt(start)
    if (construct) found.push(construct)
    start = html.indexOf('<', construct?.end ?? start + 1)
  }
  return found
}
