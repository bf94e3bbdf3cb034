import { apiOf } from '../bed/installation.js'
import { sendRequests } from '../bed/requests.js'
import { costs, percentiles, type Row, resultOf } from '../row.js'

const connections = 2
const rowsPerRequest = 5_000
/** Bytes of a mail of the bare loop, as in `campaign-smtp`. */
const mailBytes = 11_000

/** Contacts in bulk requests, durable before they are answered. The bare loop is that of the campaigns: it says how fast the machine is. */
export const contactsBulk: Row = {
  name: 'contacts-bulk',
  run: async (bed) => {
    const installation = await bed.installation(bed.options.recipients)
    return bed.serving(installation, async ({ server, sink, metered }) => {
      const each = Math.min(rowsPerRequest, bed.options.recipients)
      const requests = Math.max(2, Math.round(bed.options.recipients / each))
      const rows = Array.from(
        { length: each },
        (_, row) => `{"email":"bulk{n}x${row}@example.com","name":"Created ${row}","city":"City {n}","plan":"pro"}`,
      )
      const { value, used } = await metered(() =>
        sendRequests(server, {
          connections,
          requests,
          method: 'POST',
          path: `/v1/projectId/${installation.projectId}/contacts/bulk`,
          headers: apiOf(server.base, installation.projectId).authorization,
          body: `{"contacts":[${rows.join(',')}]}`,
        }),
      )
      const bareRate = await sink.bareRate(Math.min(100_000, bed.options.recipients), mailBytes)
      return [
        resultOf({
          name: 'contacts-bulk',
          recipients: installation.contacts,
          rate: (requests * each * 1000) / value.milliseconds,
          unit: 'rows',
          bareRate,
          ...percentiles(value.took),
          ...costs(used, requests * each),
          more: { requests, connections, rowsPerRequest: each },
        }),
      ]
    })
  },
}
