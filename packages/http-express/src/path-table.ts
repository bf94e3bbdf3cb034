import { expressPath, type Route } from './route.js'

type Method = Route['method']

/** The entry that matches a request. */
export type AtPath<T> = { readonly value: T; readonly params: Readonly<Record<string, string>> }

type Place<T> = { readonly parameters: readonly string[]; readonly byMethod: ReadonlyMap<string, T> }

type Node<T> = { readonly literals: Map<string, Node<T>>; parameter?: Node<T>; place?: Place<T> }

const newNode = <T>(): Node<T> => ({ literals: new Map() })

const isParameter = (segment: string) => segment.startsWith(':')

/** Like Express, ignores one trailing slash. */
const segmentsOf = (path: string): readonly string[] =>
  (path.length > 1 && path.endsWith('/') ? path.slice(1, -1) : path.slice(1)).split('/')

const found = <T>(node: Node<T>, segments: readonly string[], at: number): Place<T> | undefined => {
  const segment = segments[at]
  if (segment === undefined) return node.place
  const literal = node.literals.get(segment)
  const place = literal && found(literal, segments, at + 1)
  if (place || segment === '' || !node.parameter) return place
  return found(node.parameter, segments, at + 1)
}

/** Undefined if the percent-encoding is broken. */
const decoded = (segment: string): string | undefined => {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/**
 * Finds the entry of a path in a tree of its segments, where Express would try one pattern after the other. Matches as Express does: in any
 * case, with or without a trailing slash, with decoded parameters. Express handles what the table does not find: other methods, preflights,
 * HEAD requests and undecodable paths.
 */
export const pathTable = <T>() => {
  const root = newNode<T>()

  const nodeAt = (segments: readonly string[]): Node<T> => {
    let node = root
    for (const segment of segments) {
      if (isParameter(segment)) {
        node.parameter ??= newNode<T>()
        node = node.parameter
        continue
      }
      const name = segment.toLowerCase()
      const next = node.literals.get(name) ?? newNode<T>()
      node.literals.set(name, next)
      node = next
    }
    return node
  }

  return {
    /** Adds the values of a path, by method. */
    add: (path: string, values: ReadonlyMap<Method, T>): void => {
      const segments = segmentsOf(expressPath(path))
      const parameters = segments.map((segment) => (isParameter(segment) ? segment.slice(1) : ''))
      const byMethod = new Map([...values].map(([method, value]) => [method.toUpperCase(), value] as const))
      nodeAt(segments).place = { parameters, byMethod }
    },

    find: (method: string, path: string): AtPath<T> | undefined => {
      const segments = segmentsOf(path)
      const place = found(root, segmentsOf(path.toLowerCase()), 0)
      const value = place?.byMethod.get(method)
      if (!place || value === undefined) return undefined
      const params: Record<string, string> = {}
      for (const [index, name] of place.parameters.entries()) {
        if (name === '') continue
        const text = decoded(segments[index] ?? '')
        if (text === undefined) return undefined
        params[name] = text
      }
      return { value, params }
    },
  }
}
export type PathTable<T> = ReturnType<typeof pathTable<T>>
