const linksIn = (root) => {
  const found = []
  const waiting = [root]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.name === 'a' && next.attribs?.href) found.push(next)
    for (let index = (next.children?.length ?? 0) - 1; index >= 0; index -= 1) waiting.push(next.children[index])
  }
  return found
}

const rootOf = (element) => {
  let at = element
  while (at.parent) at = at.parent
  return at
}

const altIn = (link) => {
  const waiting = [link]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const alt = next.name === 'img' ? next.attribs?.alt?.trim() : ''
    if (alt) return alt
    for (let index = (next.children?.length ?? 0) - 1; index >= 0; index -= 1) waiting.push(next.children[index])
  }
  return ''
}

const saysNothing = ({ children = [] }) =>
  children.every((child) => (child.type === 'text' ? child.data.trim() === '' : saysNothing(child)))

/**
 * `text (url)`, or only the address if it equals the text. A link around an image has the `alt` text, unless the neighbouring link has the
 * same target.
 */
export const linkFormatters = () => {
  let links
  let places

  const isSaidBeside = (link) => {
    links ??= linksIn(rootOf(link))
    places ??= new Map(links.map((one, index) => [one, index]))
    const at = places.get(link)
    const leadsThere = (other) => other?.attribs.href === link.attribs.href
    return (leadsThere(links[at + 1]) && !saysNothing(links[at + 1])) || leadsThere(links[at - 1])
  }

  return {
    link: (link, walk, builder, options) => {
      const formatLink = builder.options.formatters.anchor
      if (!link.attribs?.href || !saysNothing(link)) return formatLink(link, walk, builder, options)
      if (isSaidBeside(link)) return
      const alt = altIn(link)
      const said = alt === '' ? link : { ...link, children: [{ type: 'text', data: alt }] }
      formatLink(said, walk, builder, options)
    },
  }
}
