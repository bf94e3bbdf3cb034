import { measureCampaign } from '../bed/campaign.js'
import { trackedNewsletter } from '../bed/content.js'
import type { Row } from '../row.js'

/** As `campaign-smtp`, of mails with three links that tell who follows them. */
export const campaignSmtpTracked: Row = {
  name: 'campaign-smtp-tracked',
  skipped: ({ mailer, only }) => (mailer === 'ses' && only === undefined ? 'the mailer is ses' : undefined),
  run: async (bed) => [
    await measureCampaign(
      bed,
      'campaign-smtp-tracked',
      await bed.installation(bed.options.recipients),
      'smtp',
      trackedNewsletter,
    ),
  ],
}
