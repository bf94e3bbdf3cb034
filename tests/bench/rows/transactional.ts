import { campaignEnds, startCampaign } from '../bed/campaign.js'
import { apiOf } from '../bed/installation.js'
import { sendRequests } from '../bed/requests.js'
import { costs, percentiles, type Row, resultOf } from '../row.js'

const connections = 50

/** Waits until the campaign is being sent. */
const sends = async (mails: () => Promise<number>): Promise<void> => {
  while ((await mails()) === 0) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** send-transactional, durable before it is answered, while a campaign to everybody is being sent. */
export const transactional: Row = {
  name: 'transactional',
  skipped: ({ mailer }) => (mailer === 'ses' ? 'arrivals are watched at the SMTP sink' : undefined),
  run: async (bed) => {
    const installation = await bed.installation(bed.options.recipients)
    return bed.serving(installation, async ({ server, sink, metered }) => {
      const requests = Math.min(20_000, bed.options.recipients)
      const api = apiOf(server.base, installation.projectId)
      const transactionalId = await api.made('/transactional-emails', {
        name: 'Receipt',
        subject: 'Receipt {{n}}',
        type: 'html',
        document: '<p>Thank you for order {{n}}.</p>',
      })
      const campaign = await startCampaign(api, installation.listId)
      await sends(async () => (await sink.report()).mails)
      const { value, used } = await metered(async () => {
        const load = await sendRequests(server, {
          connections,
          requests,
          method: 'POST',
          path: `/v1/projectId/${installation.projectId}/send-transactional`,
          headers: api.authorization,
          body: `{"transactionalId":"${transactionalId}","email":"watched{n}@example.com","data":{"n":{n}}}`,
        })
        const { status } = await api.get(`/campaigns/${campaign}`)
        const { mails } = await sink.report()
        return { load, mails, meanwhile: String(status) }
      })
      await campaignEnds(api, campaign)
      while ((await sink.report()).arrivals.length < requests) await new Promise((resolve) => setTimeout(resolve, 50))
      const { arrivals } = await sink.report()
      const delivered = percentiles(arrivals.map(([n, at]) => at - (value.load.begun[n] ?? at)))
      return [
        resultOf({
          name: 'transactional',
          recipients: installation.contacts,
          rate: (requests * 1000) / value.load.milliseconds,
          unit: 'requests',
          ...percentiles(value.load.took),
          ...costs(used, requests),
          more: {
            requests,
            connections,
            deliveredP50Ms: Math.round(delivered.p50 ?? 0),
            deliveredP99Ms: Math.round(delivered.p99 ?? 0),
            campaignAtTheEnd: value.meanwhile,
            mailsMeanwhile: value.mails,
          },
        }),
      ]
    })
  },
}
