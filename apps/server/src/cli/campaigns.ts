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
import { type CommandContext, inCommandContext } from './command-context.js'
import {
  itemsTextTable,
  itemTextTable,
  listVerb,
  operatorCommandVerb,
  type PagingCommandOptions,
  pagingCommandOptions,
  resourceCommands,
  type TextTableColumns,
  withSkipAndLimitHint,
} from './commands.js'
import type { RecipientFileOptions } from './exports.js'
import { CommandFailure, outputArgument, type ProgressBar, textTable, wholeNumberParser } from './output.js'

export const campaignProgressText = ({
  status,
  errorMessage,
  waitsFor,
  deliveries,
  excluded,
}: CampaignProgress): string => {
  const reasons = Object.entries(excluded).map(([reason, n]) => `${n} ${reason}`)
  const left = reasons.length > 0 ? ` (${reasons.join(', ')})` : ''
  const why = errorMessage ?? waitsFor
  return `${status}${why ? `: ${why}` : ''}: ${deliveries.sent} sent, ${deliveries.queued + deliveries.sending + deliveries.uncertain} to go, ${deliveries.failed} failed, ${deliveries.excluded} left out${left}`
}

export const progressShare = ({ status, deliveries }: CampaignProgress): number => {
  const { sent, failed, excluded, queued, sending, uncertain } = deliveries
  const done = sent + failed + excluded
  const all = done + queued + sending + uncertain
  if (status === 'scheduled') return 0
  return status === 'being-sent' ? done / Math.max(1, all) : 1
}

const watchEvery = 500

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

const columns: TextTableColumns<CampaignView> = {
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

/** Sent campaigns need an explicit time: a repeated command must not mail everyone twice. */
const scheduled = async ({ core, ports }: CommandContext, scope: Scope, id: string, at: string | undefined) => {
  const { status } = await core.campaigns.get(scope, id)
  if (status === 'sent' && at === undefined)
    throw new CommandFailure('The campaign was sent. To send it again, say when: --at <time>, or --at now.')
  const scheduledTo = at === undefined || at === 'now' ? ports.clock().toISOString() : at
  return core.campaigns.update(scope, id, { status: 'scheduled', scheduledTo })
}

type ExclusionOptions = PagingCommandOptions & { readonly reason?: string }

const rate = (n: number, of: number) => (of === 0 ? String(n) : `${n} (${((100 * n) / of).toFixed(1)} %)`)

const reasons = (heading: string, rows: readonly (readonly string[])[]): string =>
  rows.length === 0 ? '' : `\n\n${heading}\n${textTable(rows.map((row) => ['', ...row]))}`

const reportText = (report: CampaignReport, { url, expiresAt }: ReportLink): string => {
  const { sent, uniqueOpens, opens, uniqueClicks, clicks, bounced, complained, unsubscribed } = report
  const card = itemTextTable<CampaignReport>(
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
    `\n\npublic until ${expiresAt} for everyone with the link:\n${url}`,
  ].join('')
}

const ofCampaign = [['<campaign>', 'id of the campaign']] as const

export const campaignCommands = (program: Command): void => {
  resourceCommands('campaign', 'campaigns and their results', [
    listCampaigns,
    operatorCommandVerb<{ readonly at?: string }>({
      name: 'send',
      about: 'schedule a campaign: a server sends it, now unless another time is given',
      takes: ofCampaign,
      options: () => [
        new Option('--at <time>', 'when, as ISO 8601; in the campaign’s time zone if the time has no offset'),
      ],
      run: async (context, [id = ''], { at }) => {
        const planned = await scheduled(context, await scopeOf(context, id), id, at)
        const isLater = planned.status === 'scheduled'
        const text = isLater ? `is scheduled, to be sent at ${planned.scheduledTo}` : 'is being sent'
        return { value: planned, text: `${planned.name} ${text}` }
      },
    }),
    operatorCommandVerb<{ readonly days: number }>({
      name: 'report',
      about: 'recipients by outcome and reason, opens, clicks, and a link to the report',
      takes: ofCampaign,
      options: () => [
        new Option('--days <n>', 'for how long the link to the page works')
          .argParser(wholeNumberParser(1, 365))
          .default(30),
      ],
      run: async (context, [id = ''], { days }) => {
        const { core } = context
        const scope = await scopeOf(context, id)
        const report = await core.campaignReports.get(scope, id)
        const link = await core.campaignReports.link(scope, id, { days })
        return { value: { ...report, page: link }, text: reportText(report, link) }
      },
    }),
    operatorCommandVerb<ExclusionOptions>({
      name: 'exclusions',
      about: 'excluded recipients, with reasons',
      takes: ofCampaign,
      options: () => [
        new Option('--reason <reason>', 'only for that').choices(exclusionReasons),
        ...pagingCommandOptions(),
      ],
      run: async (context, [id = ''], { reason, limit, skip }) => {
        const asked = { limit, skip, sort: 'email', order: 'asc', ...(reason && { filter: { reason } }) } as const
        const page = await context.core.campaignReports.exclusions(await scopeOf(context, id), id, asked)
        const listed = itemsTextTable({ EMAIL: ({ email }) => email, REASON: (one) => one.reason }, page.items)
        const text = page.count === 0 ? 'Nobody was left out.' : withSkipAndLimitHint(listed, page, { limit, skip })
        return { value: page.items, text }
      },
    }),
    (campaign) =>
      campaign
        .command('recipients')
        .argument(...ofCampaign[0])
        .argument(...outputArgument)
        .addOption(new Option('--status <status>', 'only these').choices(recipientStatuses))
        .addOption(
          new Option('--format <format>', 'by the name of the file unless given, else CSV').choices(recipientFormats),
        )
        .description('export all recipients with the status of their mail, as CSV or JSON lines')
        .action(
          inCommandContext(async (context, id: string, file: string | undefined, options: RecipientFileOptions) => {
            const { exportRecipients } = await import('./exports.js')
            await exportRecipients(context, await scopeOf(context, id), id, file, options)
          }),
        ),
    operatorCommandVerb<{ readonly watch?: boolean }>({
      name: 'status',
      about: 'recipients by status, and the reasons of exclusions',
      takes: ofCampaign,
      options: () => [new Option('--watch', 'until it has ended')],
      run: async (context, [id = ''], { watch }) => {
        const scope = await scopeOf(context, id)
        const read = () => context.core.campaigns.progress(scope, id)
        const progress = watch ? await watchCampaign(read, context.output.progress('Sending')) : await read()
        return { value: progress, text: campaignProgressText(progress) }
      },
    }),
    operatorCommandVerb({
      name: 'retry-failed',
      about: 'send again to recipients whose mail failed; costs credit again',
      takes: ofCampaign,
      run: async (context, [id = '']) => {
        const again = await context.core.campaigns.retryFailed(await scopeOf(context, id), id)
        return { value: { again }, text: `${again} mails are sent again` }
      },
    }),
  ])(program)
}
