import { apiOf } from '../bed/installation.js'
import { sendRequests } from '../bed/requests.js'
import { costs, percentiles, type Row, resultOf } from '../row.js'

const connections = 32

/** Contacts created one by one over HTTP, durable before it is answered. */
export const contacts: Row = {
  name: 'contacts',
  run: async (bed) => {
    const installation = await bed.installation(bed.options.recipients)
    return bed.serving(installation, async ({ server, metered }) => {
      const requests = Math.min(20_000, bed.options.recipients)
      const api = apiOf(server.base, installation.projectId)
      const { value, used } = await metered(() =>
        sendRequests(server, {
          connections,
          requests,
          method: 'POST',
          path: `/v1/projectId/${installation.projectId}/contacts`,
          headers: api.authorization,
          body: '{"email":"created{n}@example.com","name":"Created {n}","city":"City {n}","plan":"pro"}',
        }),
      )
      return [
        resultOf({
          name: 'contacts',
          recipients: installation.contacts,
          rate: (requests * 1000) / value.milliseconds,
          unit: 'requests',
          ...percentiles(value.took),
          ...costs(used, requests),
          more: { requests, connections },
        }),
      ]
    })
  },
}
