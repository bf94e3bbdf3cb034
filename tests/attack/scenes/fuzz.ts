import { routes } from '@posthorn/http-express'
import fc from 'fast-check'
import { honestBody } from '../../../packages/http-express/test/fuzz/honest-body.js'
import { hostilities } from '../../../packages/http-express/test/fuzz/hostile.js'
import { seededProject } from '../../../packages/http-express/test/fuzz/seeded-world.js'
import type { Scene } from '../scene.js'

const seed = 20_261_122

/** The hostile requests that the tests make in memory, made to the real server. */
export const fuzzScenes: readonly Scene[] = [
  {
    name: 'hostile requests to every endpoint',
    run: async ({ client, attacker, asAttacker, size }) => {
      const { authorization } = asAttacker.headers
      const raw = {
        ask: async ({
          method,
          path,
          headers,
          body,
        }: {
          method: string
          path: string
          headers: object
          body: unknown
        }) => client.ask(method, path, { headers: { ...headers }, body: body && Buffer.from(body as Uint8Array) }),
      }
      const project = await seededProject({ raw, projectId: attacker.projectId, authorization })
      const broken: string[] = []
      for (const row of routes) {
        const honest = { body: honestBody(row, project.known).all, params: project.paramsOf(row) }
        const attempts = fc.sample(hostilities(row, honest), { seed, numRuns: size(40, 3) })
        const answers = await Promise.all(
          attempts.map(({ spelling, params, query, headers, body }) =>
            raw.ask({
              method: row.method.toUpperCase(),
              path: `${project.pathOf(row, spelling, params)}${query}`,
              headers: { authorization, ...headers },
              body,
            }),
          ),
        )
        if (answers.some((answer) => answer.status === 0 || answer.status >= 500 || answer.headers['x-injected']))
          broken.push(`${row.id}: ${answers.map(({ status }) => status).join(' ')}`)
      }
      return broken
    },
  },
]
