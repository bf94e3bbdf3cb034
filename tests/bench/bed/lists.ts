import { type Bed, costs, percentiles, type Result, resultOf } from '../row.js'
import { type Api, apiOf, type Installation } from './installation.js'
import { sendRequests } from './requests.js'

const requests = 20

/** Three conditions, one of them of engagement; some tenth of the audience fits. */
export const segment = {
  name: 'City 7, pro, not opened',
  groups: [
    {
      conditions: [
        { property: 'city', operator: 'contains', value: '7' },
        { property: 'plan', operator: 'equals', value: 'pro' },
        { category: 'engagement', operator: 'not-opened', value: 30 },
      ],
    },
  ],
}

/** Lists of contacts, one after the other: a page of `limit`, and the count of all that fit. */
export const measureLists = (
  { serving }: Pick<Bed, 'serving'>,
  installation: Installation,
  name: string,
  limit: number,
  filter: (api: Api) => Promise<string>,
): Promise<Result> =>
  serving(installation, async ({ server, metered }) => {
    const api = apiOf(server.base, installation.projectId)
    const query = `?limit=${limit}&${await filter(api)}`
    const { count } = await api.get(`/contacts${query}`)
    const { value, used } = await metered(() =>
      sendRequests(server, {
        connections: 1,
        requests,
        method: 'GET',
        path: `/v1/projectId/${installation.projectId}/contacts${query}`,
        headers: api.authorization,
      }),
    )
    return resultOf({
      name,
      recipients: installation.contacts,
      rate: (requests * 1000) / value.milliseconds,
      unit: 'requests',
      ...percentiles(value.took),
      ...costs(used, requests),
      more: { counted: Number(count) },
    })
  })
