import { componentOf } from './components.js'
import { isNode, type MjmlNode } from './document.js'
import { escapedQuotes, tokensOf } from './markup.js'

const hasContent = (tagName: string) => componentOf(tagName)?.hasContent ?? false

/** Closing tag of the element that opened before `from`. */
const closeOf = (source: string, name: string, from: number): { readonly start: number; readonly end: number } => {
  const pattern = new RegExp(`<(/?)${name}(?=[\\s/>])[^>]*>`, 'gi')
  pattern.lastIndex = from
  let depth = 1
  for (let found = pattern.exec(source); found; found = pattern.exec(source)) {
    if (!found[0].endsWith('/>')) depth += found[1] === '/' ? -1 : 1
    if (depth === 0) return { start: found.index, end: pattern.lastIndex }
  }
  throw new MjmlProblem(name)
}

/** An element is not closed, or there is no `<mjml>`. */
export class MjmlProblem extends Error {
  constructor(readonly element: string) {
    super(`<${element}>`)
  }
}

type Open = { readonly tagName: string; readonly attributes: MjmlNode['attributes']; readonly children: MjmlNode[] }

/**
 * Values stay escaped, as MJML prints them. Comments become `mj-raw`, as in MJML's own parser; the renderer leaves out file includes.
 * @throws MjmlProblem
 */
export const fromMjml = (source: string): MjmlNode => {
  const top: Open = { tagName: '', attributes: {}, children: [] }
  const open: Open[] = [top]
  const inner = () => open.at(-1) as Open
  let tokens = tokensOf(source)
  for (let next = tokens.next(); !next.done; next = tokens.next()) {
    const token = next.value
    if (token.kind === 'comment' && open.length > 1) inner().children.push({ tagName: 'mj-raw', content: token.text })
    if (token.kind === 'text' && token.text.trim() !== '' && open.length > 1)
      inner().children.push({ tagName: 'mj-raw', content: token.text.trim() })
    if (token.kind === 'open') {
      const { attributes, name: tagName } = token
      if (token.isEmpty) inner().children.push({ tagName, attributes })
      else if (hasContent(tagName)) {
        const { start, end } = closeOf(source, tagName, token.end)
        inner().children.push({ tagName, attributes, content: source.slice(token.end, start).trim() })
        tokens = tokensOf(source, end)
      } else open.push({ tagName, attributes, children: [] })
    }
    if (token.kind === 'close') {
      const { tagName, attributes, children } = open.pop() ?? top
      if (tagName !== token.name || open.length === 0) throw new MjmlProblem(token.name)
      inner().children.push({ tagName, ...(attributes && { attributes }), children })
    }
  }
  if (open.length > 1) throw new MjmlProblem(inner().tagName)
  const root = top.children.find(({ tagName }) => tagName === 'mjml')
  if (!root) throw new MjmlProblem('mjml')
  return root
}

export const toMjml = (node: MjmlNode, depth = 0): string => {
  if (!isNode(node)) return ''
  const indent = '  '.repeat(depth)
  const { tagName, attributes = {}, children = [], content = '' } = node
  const head = `${tagName}${Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapedQuotes(String(value))}"`)
    .join('')}`
  if (hasContent(tagName)) return `${indent}<${head}>${content}</${tagName}>\n`
  if (children.length === 0) return `${indent}<${head}></${tagName}>\n`
  return `${indent}<${head}>\n${children.map((child) => toMjml(child, depth + 1)).join('')}${indent}</${tagName}>\n`
}

const between = (source: string, tag: string): string | undefined => {
  const found = new RegExp(`<${tag}\\b[^>]*>`, 'i').exec(source)
  if (!found) return undefined
  const from = found.index + found[0].length
  const to = source.toLowerCase().indexOf(`</${tag}`, from)
  return source.slice(from, to === -1 ? undefined : to)
}

/** HTML becomes one unchanged block; its styles go to the head. */
export const fromHtml = (source: string): MjmlNode => {
  const style = between(source, 'style')
  return {
    tagName: 'mjml',
    attributes: {},
    children: [
      ...(style === undefined
        ? []
        : [
            { tagName: 'mj-head', attributes: {}, children: [{ tagName: 'mj-style', attributes: {}, content: style }] },
          ]),
      {
        tagName: 'mj-body',
        attributes: {},
        children: [{ tagName: 'mj-raw', attributes: {}, content: (between(source, 'body') ?? source).trim() }],
      },
    ],
  }
}
