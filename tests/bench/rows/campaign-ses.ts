import { measureCampaign } from '../bed/campaign.js'
import type { Row } from '../row.js'

/** A campaign of 11 kB mails through the SES adapter, to an endpoint on this machine. */
export const campaignSes: Row = {
  name: 'campaign-ses',
  run: async (bed) => [
    await measureCampaign(bed, 'campaign-ses', await bed.installation(bed.options.recipients), 'ses'),
  ],
}
