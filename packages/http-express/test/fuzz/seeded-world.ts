import { pathsOfRoute, type Route, routes } from '../../src/index.js'
import { aWorld } from '../world.js'
import { honestBody, type Known } from './honest-body.js'
import { rawClient } from './raw-request.js'

/** The part of a path that says what the parameter after it is about. */
const beforeParameter = /\/([\w-]+)\/\{(\w+)\}/g

/** Where the id of a field is found, by the path that made the record. */
const makers: Readonly<Record<string, string>> = {
  subscriberListId: 'subscriber-lists',
  segmentId: 'segments',
  transactionalId: 'transactional-emails',
  emailId: 'transactional-emails',
  triggeredId: 'triggered-emails',
}

/** What a row answered that added a record. */
type Made = { readonly _id?: string; readonly name?: string }

const bodyFor = (row: Route, known: Known) => {
  const { all, required } = honestBody(row, known)
  return Object.fromEntries(
    Object.entries(all).filter(([key]) => required.includes(key) || key in makers || key === 'document'),
  )
}

export type SeedOptions = {
  readonly raw: Pick<ReturnType<typeof rawClient>, 'ask'>
  readonly projectId: string
  readonly authorization: string
  /** Records that are there already, by the last part of the path that made them. */
  readonly there?: Readonly<Record<string, Made>>
}

/** Makes a record of every kind that a row adds to a project, found from the rows alone, and knows honest parameters of every row. */
export const seededProject = async ({ raw, projectId, authorization, there = {} }: SeedOptions) => {
  const made: Record<string, Made> = { ...there }
  const known = (): Known =>
    Object.fromEntries(Object.entries(makers).map(([field, path]) => [field, made[path]?._id ?? '']))

  const adding = routes.filter(
    ({ method, path }) => method === 'post' && /^\/v1\/projectId\/\{projectId\}\/[\w/-]+$/.test(path),
  )
  for (const row of adding) {
    const { status, text } = await raw.ask({
      method: 'POST',
      path: row.path.replace('{projectId}', projectId),
      headers: { authorization, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(bodyFor(row, known()))),
    })
    const { result } = JSON.parse(text) as { readonly result?: Made }
    if (status === row.success[0] && result?._id !== undefined) made[row.path.split('/').at(-1) ?? ''] = result
  }

  return {
    known: known(),
    /** What records there are, by the last part of the path that made them. */
    made: Object.keys(made),
    paramsOf: (row: Route): Known => {
      const found = [...row.path.matchAll(beforeParameter)].map(([, before = '', name = '']) => {
        const subject = made[before] ?? made.campaigns
        return [name, (name === 'name' ? subject?.name : subject?._id) ?? '']
      })
      return { ...Object.fromEntries(found), projectId, email: 'reader1@example.com' }
    },
    /** The row's path with the given texts, already as a URL has them, in place of its parameters. */
    pathOf: (row: Route, spelling: number, params: Known): string =>
      (pathsOfRoute(row)[spelling] ?? row.path).replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? ''),
  }
}

/** A world in memory whose project is seeded. */
export const seededWorld = async () => {
  const world = await aWorld()
  const { project, ports } = world
  await project.subscribe(1)
  const raw = rawClient(world.client.base)
  const authorization = `Bearer ${project.key}`
  const there = { 'subscriber-lists': project.list }
  const seeded = await seededProject({ raw, projectId: project.project._id, authorization, there })

  const collections = Object.values(ports.repositories) as unknown as readonly {
    readonly list: (query: object) => Promise<{ readonly count: number }>
  }[]
  const everything = { where: {}, sort: { by: '_id', order: 'asc' }, skip: 0, limit: 1 }

  return {
    ...world,
    ...seeded,
    raw,
    authorization,
    /** How many records there are of each kind. */
    counts: () => Promise.all(collections.map(async (one) => (await one.list(everything)).count)),
    close: async () => {
      raw.close()
      await world.client.close()
    },
  }
}
export type SeededWorld = Awaited<ReturnType<typeof seededWorld>>
