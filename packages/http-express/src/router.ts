export type RouteMatch<T> = { readonly value: T; readonly params: Readonly<Record<string, string>> }

/** `parameters` has a name for each segment that is one, else ''. */
type Place<T> = { readonly parameters: readonly string[]; readonly value: T }

type Node<T> = { readonly literals: Map<string, Node<T>>; parameter?: Node<T>; place?: Place<T> }

const newNode = <T>(): Node<T> => ({ literals: new Map() })

/** Ignores one trailing slash, as Express does. */
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

const decoded = (segment: string): string | undefined => {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** By segments, where Express tries one route after the other. By its rules: any case, optional trailing slash, decoded parameters. */
export const pathTable = <T>(newValue: () => T) => {
  const root = newNode<T>()
  return {
    /** The value at a path such as `/lists/{id}`. */
    at: (path: string): T => {
      const segments = segmentsOf(path)
      const parameters = segments.map((segment) => /^\{(\w+)\}$/.exec(segment)?.[1] ?? '')
      let node = root
      for (const [index, segment] of segments.entries()) {
        if (parameters[index]) {
          node.parameter ??= newNode<T>()
          node = node.parameter
          continue
        }
        const name = segment.toLowerCase()
        const next = node.literals.get(name) ?? newNode<T>()
        node.literals.set(name, next)
        node = next
      }
      node.place ??= { parameters, value: newValue() }
      return node.place.value
    },

    /** Undefined also if the percent-encoding of a parameter is broken. */
    find: (path: string): RouteMatch<T> | undefined => {
      const place = found(root, segmentsOf(path.toLowerCase()), 0)
      if (!place) return undefined
      const segments = segmentsOf(path)
      const params: Record<string, string> = {}
      for (const [index, name] of place.parameters.entries()) {
        if (name === '') continue
        const text = decoded(segments[index] ?? '')
        if (text === undefined) return undefined
        params[name] = text
      }
      return { value: place.value, params }
    },
  }
}
