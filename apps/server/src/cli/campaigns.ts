import { setTimeout as sleep } from 'node:timers/promises'
import type { CampaignProgress, CampaignView, Scope } from '@posthorn/core'
import { campaignStatuses, exclusionReasons } from '@posthorn/core/ports/storage'
import {
  type CampaignReport,
  type ReportLink,
  recipientFormats,
  recipientStatuses,
} from '@posthorn/core/ports/transport'
import { type Command, Option } from 'commander'
import type { CommandContext } from './command-context.js'
import { inContext } from './in-context.js'
import { CommandFailure, outputArgument, table } from './output.js'
import type { ProgressBar } from './progress-bar.js'
import type { RecipientFileOptions } from './recipients-export.js'
import { type Columns, cardOf, listVerb, pageText, tableOf } from './resource.js'
import { wholeNumber } from './whole-number.js'

/** A campaign's progress in one line. */
export const progressText = ({ status, errorMessage, waitsFor, deliveries, excluded }: CampaignProgress): string => {
  const reasons = Object.entries(excluded).map(([reason, n]) => `${n} ${reason}`)
  const left = reasons.length > 0 ? ` (${reasons.join(', ')})` : ''
  const why = errorMessage ?? waitsFor
  return `${status}${why ? `: ${why}` : ''}: ${deliveries.sent} sent, ${deliveries.queued + deliveries.sending + deliveries.uncertain} to go, ${deliveries.failed} failed, ${deliveries.excluded} left out${left}`
}

/** The share of finished recipients, from 0 to 1. */
export const progressShare = ({ status, deliveries }: CampaignProgress): number => {
  const { sent, failed, excluded, queued, sending, uncertain } = deliveries
  const done = sent + failed + excluded
  const all = done + queued + sending + uncertain
  if (status === 'scheduled') return 0
  return status === 'being-sent' ? done / Math.max(1, all) : 1
}

const watchEvery = 500

/** Shows the campaign's progress until its end; returns the last one. */
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
  none: ({ status }) => (status === undefined ? 'There is no campaign yet.' : `No campaign is ${status}.`),
  options: () => [new Option('--status <status>', 'only these').choices(campaignStatuses)],
  list: ({ core, scope }, page, { status }) =>
    core.campaigns.list(scope, { ...page, ...(status !== undefined && { filter: { status } }) }),
})

/** Schedules a campaign. A campaign that was sent needs an explicit time, so that a repeated command does not mail everyone twice. */
const scheduled = async ({ core, ports }: CommandContext, scope: Scope, id: string, at: string | undefined) => {
  const { status } = await core.campaigns.get(scope, id)
  if (status === 'sent' && at === undefined)
    throw new CommandFailure('The campaign was sent. To send it again, say when: --at <time>, or --at now.')
  const scheduledTo = at === undefined || at === 'now' ? ports.clock().toISOString() : at
  return core.campaigns.update(scope, id, { status: 'scheduled', scheduledTo })
}

type ExclusionOptions = { readonly reason?: string; readonly limit: number; readonly skip: number }

const rate = (n: number, of: number) => (of === 0 ? String(n) : `${n} (${((100 * n) / of).toFixed(1)} %)`)

/** Rows of reasons below a heading; empty without rows. */
const reasons = (heading: string, rows: readonly (readonly string[])[]): string =>
  rows.length === 0 ? '' : `\n\n${heading}\n${table(rows.map((row) => ['', ...row]))}`

/** A campaign's report: recipients, their reactions, and those who got no mail with the reason. */
const reportText = (report: CampaignReport, { url, expiresAt }: ReportLink): string => {
  const { sent, uniqueOpens, opens, uniqueClicks, clicks, bounced, complained, unsubscribed } = report
  const card = cardOf<CampaignReport>(
    {
      Campaign: ({ name }) => name,
      Status: ({ status, errorMessage }) => (errorMessage ? `${status}: ${errorMessage}` : status),
      Recipients: ({ recipients }) => String(recipients),
      Sent: () => rate(sent, report.recipients),
      'To go': ({ waiting }) => String(waiting),
      Failed: ({ failed, recipients }) => rate(failed, recipients),
      'Left out': ({ excluded, recipients }) => rate(excluded, recipients),
      Bounced: () => rate(bounced, sent),
      Complained: () => rate(complained, sent),
      Opened: () => `${rate(uniqueOpens, sent)}, ${opens} times`,
      Clicked: () => `${rate(uniqueClicks, sent)}, ${clicks} times`,
      Unsubscribed: () => rate(unsubscribed, sent),
    },
    report,
  )
  const links = report.links.map(({ link, clicks: n, uniqueClicks: mails, blockName = '' }) => [
    ...[String(n), String(mails)],
    ...[link, blockName],
  ])
  const others =
    report.otherClicks > 0 ? [[String(report.otherClicks), String(report.otherUniqueClicks), 'other links', '']] : []
  return [
    card,
    reasons(
      'failed, because',
      report.failures.map(({ name, message, count }) => [String(count), name, message]),
    ),
    reasons(
      'left out, because',
      report.exclusions.map(({ reason, count }) => [String(count), reason]),
    ),
    reasons('clicks by link, and mails that they were made in', [...links, ...others]),
    `\n\nto look at until ${expiresAt}, for whoever has the link:\n${url}`,
  ].join('')
}

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
        context.output.result(
          planned,
          planned.status === 'scheduled'
            ? `${planned.name} is scheduled, to be sent at ${planned.scheduledTo}`
            : `${planned.name} is being sent`,
        )
      }),
    )
  campaign
    .command('report')
    .argument('<campaign>', 'id of the campaign')
    .addOption(
      new Option('--days <n>', 'how long the link to the page is good').argParser(wholeNumber(1, 365)).default(30),
    )
    .description('who got it, who did not and why, what they did with it, and a link to look at it')
    .action(
      inContext(async (context, id: string, { days }: { days: number }) => {
        const { core, output } = context
        const scope = await scopeOf(context, id)
        const report = await core.campaignReports.get(scope, id)
        const link = await core.campaignReports.link(scope, id, { days })
        output.result({ ...report, page: link }, reportText(report, link))
      }),
    )
  campaign
    .command('exclusions')
    .argument('<campaign>', 'id of the campaign')
    .addOption(new Option('--reason <reason>', 'only for that').choices(exclusionReasons))
    .addOption(new Option('--limit <n>', 'how many at most').argParser(wholeNumber(1, 100_000)).default(100))
    .addOption(new Option('--skip <n>', 'how many to pass over').argParser(wholeNumber(0, 1_000_000_000)).default(0))
    .description('who was left out, and why')
    .action(
      inContext(async (context, id: string, { reason, limit, skip }: ExclusionOptions) => {
        const asked = { limit, skip, sort: 'email', order: 'asc', ...(reason && { filter: { reason } }) } as const
        const page = await context.core.campaignReports.exclusions(await scopeOf(context, id), id, asked)
        const listed = tableOf({ EMAIL: ({ email }) => email, REASON: (one) => one.reason }, page.items)
        const text = page.count === 0 ? 'Nobody was left out.' : pageText(listed, page, { limit, skip })
        context.output.result(page.items, text)
      }),
    )
  campaign
    .command('recipients')
    .argument('<campaign>', 'id of the campaign')
    .argument(...outputArgument)
    .addOption(new Option('--status <status>', 'only these').choices(recipientStatuses))
    .addOption(
      new Option('--format <format>', 'by the name of the file unless given, else CSV').choices(recipientFormats),
    )
    .description('write out everybody whom it means, with what became of the mail, as CSV or JSON lines')
    .action(
      inContext(async (context, id: string, file: string | undefined, options: RecipientFileOptions) =>
        (await import('./recipients-export.js')).exportRecipients(
          context,
          await scopeOf(context, id),
          id,
          file,
          options,
        ),
      ),
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
