import { campaignEnds, startCampaign } from '../bed/campaign.js'
import { apiOf } from '../bed/installation.js'
import { type Row, resultOf } from '../row.js'

/** Commands that go to MongoDB while a campaign is sent, for each 1,000 mails. */
export const commands: Row = {
  name: 'commands',
  skipped: ({ store }) => (store === 'mongodb' ? undefined : 'the store is not mongodb'),
  run: async (bed) => {
    const installation = await bed.installation(bed.options.recipients)
    const { contacts, projectId, listId } = installation
    return bed.serving(installation, async ({ server }) => {
      const api = apiOf(server.base, projectId)
      await bed.mongoCommands()
      await campaignEnds(api, await startCampaign(api, listId))
      const counts = (await bed.mongoCommands()) ?? {}
      const all = Object.values(counts).reduce((a, b) => a + b, 0)
      return [
        resultOf({
          name: 'commands',
          recipients: contacts,
          rate: (all * 1000) / contacts,
          unit: 'commands per 1,000 mails',
          more: counts,
        }),
      ]
    })
  },
}
