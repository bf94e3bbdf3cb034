import { setTimeout as sleep } from 'node:timers/promises'
import type { CampaignProgress, CampaignView, Scope } from '@posthorn/core'
import { campaignStatuses, EmailTotals } from '@posthorn/core/ports'
import { type Command, Option } from 'commander'
import type { z } from 'zod'
import { type CommandContext, inContext } from './command-context.js'
import { CommandFailure } from './output.js'
import type { ProgressBar } from './progress-bar.js'
import { type Columns, cardOf, listVerb } from './resource.js'

/** What a campaign's run comes to, in one line. */
export const progressText = ({ status, errorMessage, waitsFor, deliveries, excluded }: CampaignProgress): string => {
  const reasons = Object.entries(excluded).map(([reason, n]) => `${n} ${reason}`)
  const left = reasons.length > 0 ? ` (${reasons.join(', ')})` : ''
  const why = errorMessage ?? waitsFor
  return `${status}${why ? `: ${why}` : ''}: ${deliveries.sent} sent, ${deliveries.queued + deliveries.sending + deliveries.uncertain} to go, ${deliveries.failed} failed, ${deliveries.excluded} left out${left}`
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
  bar: ProgressBar | undefined,
): Promise<CampaignProgress> => {
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

const scopeOf = async ({ repositories }: CommandContext, id: string): Promise<Scope> => {
  const campaign = await repositories.campaigns.get({ _id: id })
  if (!campaign) throw new CommandFailure(`There is no campaign ${id}.`)
  return { projectId: campaign.projectId, caller: 'operator' }
}

const columns: Columns<CampaignView> = {
  ID: ({ _id }) => _id,
  NAME: ({ name }) => name,
  STATUS: ({ status }) => status,
  'SCHEDULED TO': ({ scheduledTo }) => scheduledTo ?? '',
  CREATED: ({ createdAt }) => createdAt,
}

const listCampaigns = listVerb<CampaignView, { readonly status?: string }>({
  about: 'campaigns of the project, the newest first',
  columns,
  none: 'There is no campaign yet.',
  options: () => [new Option('--status <status>', 'only these').choices(campaignStatuses)],
  list: ({ core, scope }, page, { status }) =>
    core.campaigns.list(scope, { ...page, ...(status !== undefined && { filter: { status } }) }),
})

/** A campaign that was sent takes a time of its own, so that no repeated command mails everybody twice. */
const scheduled = async ({ core, ports }: CommandContext, scope: Scope, id: string, at: string | undefined) => {
  const { status } = await core.campaigns.get(scope, id)
  if (status === 'sent' && at === undefined)
    throw new CommandFailure('The campaign was sent. To send it again, say when: --at <time>, or --at now.')
  const scheduledTo = at === undefined || at === 'now' ? ports.clock().toISOString() : at
  return core.campaigns.update(scope, id, { status: 'scheduled', scheduledTo })
}

const rate = (n: number, of: number) => (of === 0 ? String(n) : `${n} (${((100 * n) / of).toFixed(1)} %)`)

/** What a campaign came to: its recipients, and what they did. */
const reportText = (name: string, progress: CampaignProgress, totals: z.output<typeof EmailTotals>) =>
  cardOf<typeof totals>(
    {
      Campaign: () => name,
      Recipients: () => progressText(progress),
      Opened: ({ uniqueOpens, sent }) => rate(uniqueOpens, sent),
      Clicked: ({ uniqueClicks, sent }) => rate(uniqueClicks, sent),
      Bounced: ({ bounce, sent }) => rate(bounce, sent),
      Complained: ({ complaint, sent }) => rate(complaint, sent),
    },
    totals,
  )

/** `posthorn campaign …`. */
export const campaignCommands = (program: Command): void => {
  const campaign = program.command('campaign').description('campaigns and how they went')
  listCampaigns(campaign)
  campaign
    .command('send')
    .argument('<campaign>', 'id of the campaign')
    .option('--at <time>', 'when, as ISO 8601; the campaign’s time zone reads it where it names no offset')
    .description('schedule a campaign: a server sends it, now unless another time is given')
    .action(
      inContext(async (context, id: string, { at }: { at?: string }) => {
        const planned = await scheduled(context, await scopeOf(context, id), id, at)
        context.output.result(planned, `${planned.name} is ${planned.status}, to be sent at ${planned.scheduledTo}`)
      }),
    )
  campaign
    .command('report')
    .argument('<campaign>', 'id of the campaign')
    .description('who got it, and what they did with it')
    .action(
      inContext(async (context, id: string, _options: object) => {
        const { core, output } = context
        const scope = await scopeOf(context, id)
        const { name } = await core.campaigns.get(scope, id)
        const progress = await core.campaigns.progress(scope, id)
        const totals = EmailTotals.parse(await core.statistics.ofEmail(scope, 'campaigns', id, { timeZone: 'UTC' }))
        output.result({ ...progress, statistics: totals }, reportText(name, progress, totals))
      }),
    )
  campaign
    .command('status')
    .argument('<campaign>', 'id of the campaign')
    .option('--watch', 'until it has ended')
    .description('who has got it, who has not, and why')
    .action(
      inContext(async (context, id: string, { watch }: { watch?: boolean }) => {
        const scope = await scopeOf(context, id)
        const read = () => context.core.campaigns.progress(scope, id)
        const progress = watch ? await watchCampaign(read, context.output.progress('Sending')) : await read()
        context.output.result(progress, progressText(progress))
      }),
    )
  campaign
    .command('retry-failed')
    .argument('<campaign>', 'id of the campaign')
    .description('send again to those whose mail failed, for new credit')
    .action(
      inContext(async (context, id: string, _options: object) => {
        const again = await context.core.campaigns.retryFailed(await scopeOf(context, id), id)
        context.output.result({ again }, `${again} mails are sent again`)
      }),
    )
}
