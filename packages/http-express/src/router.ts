import { blocked } from '@posthorn/core/ports/runtime'
import { type RequestHandler, type Response, Router } from 'express'
import { expressPath, pathsOf, type Route } from './route.js'

type Method = Route['method']

export type AtPath<T> = { readonly value: T; readonly params: Readonly<Record<string, string>> }

type Place<T> = { readonly parameters: readonly string[]; readonly byMethod: ReadonlyMap<string, T> }

type Node<T> = { readonly literals: Map<string, Node<T>>; parameter?: Node<T>; place?: Place<T> }

const newNode = <T>(): Node<T> => ({ literals: new Map() })

const isParameter = (segment: string) => segment.startsWith(':')

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

/** Undefined if the percent-encoding is broken. */
const decoded = (segment: string): string | undefined => {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** Express's rules: any case, optional trailing slash, decoded parameters. Express handles the rest. */
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

/** After the project, or else after the version. */
const resourceIn = (path: string): string => {
  const [, , second = '', , fourth = ''] = path.toLowerCase().split('/', 5)
  return second === 'projectid' ? fourth : second
}

/** Express tries routes one after the other, so each resource has a router. */
export const routersByResource = () => {
  const routers = new Map<string, Router>()
  return {
    /** @throws Error if a parameter stands for the resource */
    of: (path: string): Router => {
      const resource = resourceIn(path)
      if (/[:*{]/.test(resource)) throw new Error(`The resource of ${path} is not named by its path`)
      const router = routers.get(resource) ?? Router()
      routers.set(resource, router)
      return router
    },
    /** `otherwise` handles requests that match no route. */
    handler: (otherwise: RequestHandler): RequestHandler => {
      for (const router of routers.values()) router.use(otherwise)
      return (request, response, next) => (routers.get(resourceIn(request.path)) ?? otherwise)(request, response, next)
    },
  }
}

export type PathRows = { readonly path: string; readonly rows: readonly Route[] }

export const byPath = (rows: readonly Route[]): readonly PathRows[] => {
  const found = new Map<string, Route[]>()
  for (const row of rows) for (const path of pathsOf(row)) found.set(path, [...(found.get(path) ?? []), row])
  return [...found].map(([path, rows]) => ({ path, rows }))
}

/** GET also takes HEAD. */
const methodsOf = ({ rows }: PathRows): readonly string[] =>
  rows.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).sort()

const allowed = 'allow'

/** For `Allow` in every 405. */
export const knowMethods = (path: PathRows): ((response: Response) => void) => {
  const methods = methodsOf(path).join(', ')
  return (response) => {
    response.locals[allowed] = methods
  }
}

/** Undefined if no path matched. */
export const allowedMethods = (locals: Readonly<Record<string, unknown>>): string | undefined => {
  const methods = locals[allowed]
  return typeof methods === 'string' ? methods : undefined
}

/** RFC 9110, section 15.5.6. Must follow the path's rows. Skips OPTIONS. */
export const refuseOtherMethods = (path: PathRows): RequestHandler => {
  const methods = methodsOf(path).join(', ')
  return (request, _response, next) =>
    request.method === 'OPTIONS'
      ? next()
      : next(blocked(`This path does not support ${request.method}. It supports ${methods}.`))
}
