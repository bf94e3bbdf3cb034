import { type RequestHandler, Router } from 'express'

/** The resource of a path: its segment after the project, or after the version. Paths are told apart as Express tells them: whatever the case. */
const resourceIn = (path: string): string => {
  const [, , second = '', , fourth = ''] = path.toLowerCase().split('/', 5)
  return second === 'projectid' ? fourth : second
}

/**
 * A router for the paths of each resource: Express tries one path after the other, and of one resource there are a few where of all
 * there are more than a hundred.
 */
export const routersByResource = () => {
  const routers = new Map<string, Router>()
  return {
    /** The router of what is at that path, which it takes whole. */
    of: (path: string): Router => {
      const resource = resourceIn(path)
      if (/[:*{]/.test(resource)) throw new Error(`The resource of ${path} is not named by its path`)
      const router = routers.get(resource) ?? Router()
      routers.set(resource, router)
      return router
    },
    /** Hands each request to the router of its resource, and what nobody there answers to `otherwise`. */
    handler: (otherwise: RequestHandler): RequestHandler => {
      for (const router of routers.values()) router.use(otherwise)
      return (request, response, next) => (routers.get(resourceIn(request.path)) ?? otherwise)(request, response, next)
    },
  }
}
