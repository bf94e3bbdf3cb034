import { measureCampaign } from '../bed/campaign.js'
import type { Row } from '../row.js'

/** A campaign of 11 kB mails, personalised, each recipient in the ledger, to an SMTP sink. */
export const campaignSmtp: Row = {
  name: 'campaign-smtp',
  skipped: ({ mailer, only }) => (mailer === 'ses' && only === undefined ? 'the mailer is ses' : undefined),
  run: async (bed) => [
    await measureCampaign(bed, 'campaign-smtp', await bed.installation(bed.options.recipients), 'smtp'),
  ],
}
