import { asTenant } from '../client.js'
import { rest, type Scene, type Stage, unless } from '../scene.js'
import { fileFor, type Tenant } from '../target.js'

const origin = { origin: 'https://shop.example' }

const segment = (operator: string, value: string) =>
  encodeURIComponent(JSON.stringify({ groups: [{ conditions: [{ property: 'city', operator, value }] }] }))

/** A segment that matches nobody, and takes some seconds on 200,000 contacts whose documents have to be read. */
const heavySegment = encodeURIComponent(
  JSON.stringify({
    groups: Array.from({ length: 4 }, (_, group) => ({
      conditions: [
        ...Array.from({ length: 49 }, (_, n) => ({
          property: 'name',
          operator: 'does-not-contain',
          value: `${group}x${n}`,
        })),
        { property: 'name', operator: 'equals', value: 'nobody' },
      ],
    })),
  }),
)

const imported = async ({ target }: Stage, { projectId }: Tenant, contacts: number): Promise<void> => {
  const rows = Array.from({ length: contacts }, (_, n) => `person${n}@example.com,Person ${n}`)
  const file = fileFor(target, `people-${projectId}.csv`, ['email,name', ...rows].join('\n'))
  await target.command('contacts', 'import', file, '--project', projectId)
}

/** Keeps searches of a project running until the end. */
const searching = async ({ client }: Stage, { projectId, key }: Tenant, isOver: () => boolean): Promise<void> => {
  const headers = { authorization: `Bearer ${key}` }
  const path = `/v1/projectId/${projectId}/contacts?sort=name&filter[segment]=${heavySegment}`
  while (!isOver()) {
    const { status } = await client.once('GET', path, { headers })
    if (status !== 200) await rest(100)
  }
}

/** Lists of contacts that take long, by keys and by a page without one. */
export const listScenes: readonly Scene[] = [
  {
    name: 'searches by heavy segments in two projects of one account and one of another, and somebody else’s list',
    run: async (stage) => {
      const { target, attacker, victim, client, size } = stage
      const [sister, other, third] = [
        await target.project(attacker.accountId, 'Sister'),
        await target.tenant('Other attacker'),
        await target.tenant('Third'),
      ]
      for (const one of [sister, other]) await imported(stage, one, size(200_000, 3_000))
      await imported(stage, third, 2_000)
      let isOver = false
      const heavy = [attacker, sister, other].flatMap((tenant) =>
        Array.from({ length: 4 }, () => searching(stage, tenant, () => isOver)),
      )
      await rest(size(3_000, 500))
      const waits: number[] = []
      const statuses = new Set<number>()
      const asThird = asTenant(client, third)
      for (let times = 0; times < size(20, 3); times += 1) {
        const begun = performance.now()
        const { status } = await asThird.get('/contacts?sort=name')
        statuses.add(status)
        waits.push(performance.now() - begun)
      }
      isOver = true
      const longest = Math.round(Math.max(...waits))
      // Their searches end by themselves, which nobody waits for here: the next ones have to be answered in time, too.
      void Promise.all(heavy)
      return [
        ...unless(statuses.size === 1 && statuses.has(200), `somebody else’s list: ${[...statuses].join(', ')}`),
        ...unless(longest < size(1_000, 30_000), `somebody else’s list took ${longest} ms`),
        ...unless((await asTenant(client, victim).get('')).status === 200, 'the victim got no answer'),
      ]
    },
  },
  {
    name: 'lists of contacts by field, list and segment, ten at once and without a key',
    run: async ({ client, asAttacker, attacker, listId }) => {
      await asAttacker.patch('', { whiteList: ['shop.example'] })
      const path = `/v1/projectId/${attacker.projectId}/contacts`
      const queries = [
        'sort=city',
        'sort=city&order=asc&skip=90000',
        'filter[city]=City%207',
        'sort=name',
        `filter[subscriberListId]=${listId}`,
        `filter[subscriberListId]=${listId}&filter[subscriberStatus]=active&sort=city`,
        `filter[segment]=${segment('contains', '7')}`,
        `filter[segment]=${segment('does-not-contain', 'x')}&sort=email`,
        'filter[name]=Reader%205',
        'filter[tags]=nobody',
      ]
      const answers = await Promise.all(
        queries.map((query) => client.ask('GET', `${path}?${query}`, { headers: origin })),
      )
      return answers.flatMap(({ status, text }, index) =>
        unless(status === 200 || status === 429, `${queries[index]}: ${status} ${text.slice(0, 100)}`),
      )
    },
  },
]
