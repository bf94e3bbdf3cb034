import { setTimeout as sleep } from 'node:timers/promises'
import type { CampaignProgress, Scope } from '@posthorn/core'
import type { Command } from 'commander'
import { CommandFailure } from './output.js'
import { progressBar } from './progress-bar.js'
import { inWorkshop, type Workshop } from './workshop.js'

/** What a campaign's run comes to, in one line. */
export const progressText = ({ status, errorMessage, deliveries, excluded }: CampaignProgress): string => {
  const reasons = Object.entries(excluded).map(([reason, n]) => `${n} ${reason}`)
  const left = reasons.length > 0 ? ` (${reasons.join(', ')})` : ''
  return `${status}${errorMessage ? `: ${errorMessage}` : ''}: ${deliveries.sent} sent, ${deliveries.queued + deliveries.sending + deliveries.uncertain} to go, ${deliveries.failed} failed, ${deliveries.excluded} left out${left}`
}

/** The share of the recipients that is done with. */
export const progressShare = ({ status, deliveries }: CampaignProgress): number => {
  const { sent, failed, excluded, queued, sending, uncertain } = deliveries
  const done = sent + failed + excluded
  const all = done + queued + sending + uncertain
  if (status === 'scheduled') return 0
  return status === 'being-sent' ? done / Math.max(1, all) : 1
}

const watchEvery = 500

/** Shows the campaign's progress until it has ended; answers the last of it. */
export const watchCampaign = async (
  read: () => Promise<CampaignProgress>,
  quiet: boolean,
): Promise<CampaignProgress> => {
  const bar = quiet ? undefined : progressBar('Sending')
  for (;;) {
    const progress = await read()
    bar?.show(progressShare(progress), `${progress.deliveries.sent} sent`)
    if (progress.status !== 'being-sent' && progress.status !== 'scheduled') {
      bar?.end()
      return progress
    }
    await sleep(watchEvery)
  }
}

const scopeOf = async ({ repositories }: Workshop, id: string): Promise<Scope> => {
  const campaign = await repositories.campaigns.get({ _id: id })
  if (!campaign) throw new CommandFailure(`There is no campaign ${id}.`)
  return { projectId: campaign.projectId, via: 'operator' }
}

/** `posthorn campaign …`. */
export const campaignCommands = (program: Command): void => {
  const campaign = program.command('campaign').description('campaigns and how they went')
  campaign
    .command('status')
    .argument('<campaign>', 'id of the campaign')
    .option('--watch', 'until it has ended')
    .description('who has got it, who has not, and why')
    .action(
      inWorkshop(async (workshop, id: string, { watch }: { watch?: boolean }) => {
        const scope = await scopeOf(workshop, id)
        const read = () => workshop.core.campaigns.progress(scope, id)
        const progress = watch ? await watchCampaign(read, workshop.output.json) : await read()
        workshop.output.result(progress, progressText(progress))
      }),
    )
  campaign
    .command('retry-failed')
    .argument('<campaign>', 'id of the campaign')
    .description('send again to those whose mail failed, for new credit')
    .action(
      inWorkshop(async (workshop, id: string, _options: object) => {
        const again = await workshop.core.campaigns.retryFailed(await scopeOf(workshop, id), id)
        workshop.output.result({ again }, `${again} mails are sent again`)
      }),
    )
}
