import { type RequestHandler, Router } from 'express'

/** The resource of a path: its segment after the project, or else after the version. Ignores case, as Express does. */
const resourceIn = (path: string): string => {
  const [, , second = '', , fourth = ''] = path.toLowerCase().split('/', 5)
  return second === 'projectid' ? fourth : second
}

/** One router per resource: Express tries routes one after the other, and a resource has a few where the API has more than a hundred. */
export const routersByResource = () => {
  const routers = new Map<string, Router>()
  return {
    /** The router for a path; routes are added to it with their whole path. @throws Error if a parameter stands for the resource */
    of: (path: string): Router => {
      const resource = resourceIn(path)
      if (/[:*{]/.test(resource)) throw new Error(`The resource of ${path} is not named by its path`)
      const router = routers.get(resource) ?? Router()
      routers.set(resource, router)
      return router
    },
    /** Passes each request to the router of its resource; `otherwise` handles requests that match no route. */
    handler: (otherwise: RequestHandler): RequestHandler => {
      for (const router of routers.values()) router.use(otherwise)
      return (request, response, next) => (routers.get(resourceIn(request.path)) ?? otherwise)(request, response, next)
    },
  }
}
