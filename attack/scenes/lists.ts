import { type Scene, unless } from '../scene.js'

const origin = { origin: 'https://shop.example' }

const segment = (operator: string, value: string) =>
  encodeURIComponent(JSON.stringify({ groups: [{ conditions: [{ property: 'city', operator, value }] }] }))

/** Lists of contacts, asked for by a page that has no key. */
export const listScenes: readonly Scene[] = [
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
