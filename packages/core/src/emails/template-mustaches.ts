import { type Budget, step } from './template-budget.js'
import { callRead, isPath, literalName, nameOf, pathRead } from './template-expressions.js'
import type { Scope, Write } from './template-frame.js'
import { elementText, inlineHelpers } from './template-helpers.js'

/** A value as printed text; charges the work first. */
const printed = (spent: Budget, given: unknown): string => {
  const value = elementText(given)
  if (typeof value === 'string') return value
  if (value === null || value === undefined || typeof value === 'function') return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (!Array.isArray(value)) return '[object Object]'
  spent.work(step * value.length)
  const parts = value.map((one) => printed(spent, one))
  spent.work(parts.reduce((sum, part) => sum + part.length + 1, 0))
  return parts.join(',')
}

/** The entities of Handlebars' escaping, by character code. */
const entities: readonly (string | undefined)[] = Array.from({ length: 128 }, (_, code) =>
  new Map([
    ['&', '&amp;'],
    ['<', '&lt;'],
    ['>', '&gt;'],
    ['"', '&quot;'],
    ["'", '&#x27;'],
    ['`', '&#x60;'],
    ['=', '&#x3D;'],
  ]).get(String.fromCharCode(code)),
)
const escapable = /[&<>"'`=]/

const escaped = ({ work }: Budget, text: string): string => {
  work(text.length)
  const first = text.search(escapable)
  if (first < 0) return text
  let out = ''
  let from = 0
  for (let i = first; i < text.length; i += 1) {
    const entity = entities[text.charCodeAt(i)]
    if (entity === undefined) continue
    work(step)
    out += text.slice(from, i) + entity
    from = i + 1
  }
  return out + text.slice(from)
}

/** Compiles `{{…}}` and `{{{…}}}`: writes a helper's result or a variable, escaped if both the format and the braces require it. */
export const mustache = (node: hbs.AST.MustacheStatement, scope: Scope): Write => {
  const { path } = node
  const called = Object.hasOwn(inlineHelpers, nameOf(node)) && !(isPath(path) && path.data)
  const read = called ? callRead(node, scope) : isPath(path) ? pathRead(path, scope) : literalName(nameOf(node))
  if (scope.format === 'text' || !node.escaped)
    return (spent, frame) => {
      const text = printed(spent, read(spent, frame))
      spent.work(text.length)
      spent.write(text)
    }
  return (spent, frame) => spent.write(escaped(spent, printed(spent, read(spent, frame))))
}
