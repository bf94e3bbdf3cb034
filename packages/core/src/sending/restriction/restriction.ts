import { z } from 'zod'
import { without } from '../../kernel/merged.js'
import { parsed } from '../../kernel/parsed.js'
import type { Clock, Jobs, Runtime } from '../../kernel/ports.js'
import { blocked } from '../../kernel/refusal.js'
import { orNotFound, type RepositoriesFor } from '../../kernel/repository.js'
import { instantDaysBefore } from '../../kernel/zoned-time.js'
import { type Project, ProjectView } from '../../projects/project.js'
import { type Figures, figureSubject, quarterHourEnd } from '../../reporting/figures/figure.js'
import type { Deliveries } from '../ledger/deliveries.js'

/** Rates are percent of mails sent (gaps.md, "Restriction"). */
export type RestrictionThresholds = {
  /** Smaller windows are ignored. */
  readonly minimumSent: number
  /** Restricts with this many bounces and a rate above `bounceRate`. */
  readonly bounces: number
  readonly bounceRate: number
  /** Likewise for complaints. */
  readonly complaints: number
  readonly complaintRate: number
}

export const standardRestrictionLimits: RestrictionThresholds = {
  minimumSent: 200,
  bounces: 10,
  bounceRate: 2.5,
  complaints: 3,
  complaintRate: 0.05,
}

/** In days. */
export const sendingWindowDays = [7, 30, 90] as const

export type SendingWindowFigures = {
  readonly days: (typeof sendingWindowDays)[number]
  readonly sent: number
  readonly bounces: number
  readonly complaints: number
}

export const sendingWindowLabel = ({ days }: Pick<SendingWindowFigures, 'days'>) => `last ${days} days` as const

/** 0 if none was sent. */
export const percentOf = (n: number, sent: number): number => (sent === 0 ? 0 : (100 * n) / sent)

const shown = (percent: number) => `${Number(percent.toPrecision(3))} %`

/** The reason; undefined if these windows do not restrict. */
export const restrictionReason = (
  windows: readonly SendingWindowFigures[],
  { minimumSent, bounces, bounceRate, complaints, complaintRate }: RestrictionThresholds,
): string | undefined => {
  for (const window of windows.filter(({ sent }) => sent >= minimumSent)) {
    const exceeded = (
      [
        ['bounce', window.bounces, bounces, bounceRate],
        ['complaint', window.complaints, complaints, complaintRate],
      ] as const
    ).find(([, n, least, rate]) => n >= least && percentOf(n, window.sent) > rate)
    if (!exceeded) continue
    const [kind, n, , rate] = exceeded
    return `${kind} rate of ${shown(percentOf(n, window.sent))} over the ${sendingWindowLabel(window)} (${n} of ${window.sent} mails), above ${rate} %`
  }
  return undefined
}

export const restrictionMessage = ({ restrictedReason }: Pick<Project, 'restrictedReason'>) =>
  `Sending is restricted: ${restrictedReason ?? 'by the operator'}`

export const longestSendingWindowDays = Math.max(...sendingWindowDays)

/** Not before `since`. Accurate to a quarter of an hour. */
export const sendingWindowFigures =
  ({ figures, clock }: { readonly figures: Pick<Figures, 'totals'>; readonly clock: Clock }) =>
  async (projectId: string, since = ''): Promise<readonly SendingWindowFigures[]> =>
    Promise.all(
      sendingWindowDays.map(async (days) => {
        const begin = instantDaysBefore(clock(), days)
        const from = since > begin ? since : begin
        const {
          sent = 0,
          bounces = 0,
          complaints = 0,
        } = await figures.totals(figureSubject.project(projectId), { from })
        return { days, sent, bounces, complaints }
      }),
    )

type Deps = Pick<Runtime, 'clock' | 'log'> & {
  readonly repositories: RepositoriesFor<{ projects: Project }>
  readonly figures: Pick<Figures, 'totals'>
  readonly deliveries: Pick<Deliveries, 'get'>
  readonly jobs: Pick<Jobs, 'at' | 'handle'>
  readonly settings: { readonly restriction: RestrictionThresholds }
}

export const RestrictionFields = z.strictObject({ reason: z.string().trim().min(1).max(1000) })
export type RestrictionFields = z.input<typeof RestrictionFields>

const checkAgain = 'check-restriction'
/** In ms: by then, mails in flight almost always count as sent. */
const untilCounted = 3_000

/** Restricted projects cannot send; queued mails stop (gaps.md, "Restriction"). Never restricts own accounts. */
export const restrictions = ({ repositories: { projects }, figures, deliveries, jobs, clock, log, settings }: Deps) => {
  const windowsOf = sendingWindowFigures({ figures, clock })

  const changed = async (projectId: string, decide: (project: Project) => Project): Promise<ProjectView> => {
    const project = orNotFound(projects, await projects.change({ _id: projectId }, decide))
    return ProjectView.parse(project)
  }

  const restricted = (project: Project, restrictedReason: string): Project => ({
    ...project,
    restricted: true,
    restrictedReason,
    updatedAt: clock().toISOString(),
  })

  const check = async (projectId: string): Promise<void> => {
    const project = await projects.get({ _id: projectId })
    if (!project || project.restricted || project.status === 'byoCloudSes') return
    const { restrictionLiftedAt: liftedAt } = project
    const windows = await windowsOf(projectId, liftedAt && quarterHourEnd(liftedAt))
    const reason = restrictionReason(windows, settings.restriction)
    if (!reason) return
    await projects.change({ _id: projectId }, (current) =>
      current.restricted || current.status === 'byoCloudSes' || current.restrictionLiftedAt !== liftedAt
        ? current
        : restricted(current, reason),
    )
    log('warn', 'A project was restricted', { projectId, reason })
  }

  const checkSoon = (projectId: string, deliveryId: string): Promise<void> =>
    jobs.at(new Date(clock().getTime() + untilCounted), `${checkAgain}:${projectId}`, {
      name: checkAgain,
      data: { projectId, deliveryId },
    })
  jobs.handle(checkAgain, async ({ projectId = '', deliveryId = '' }) => {
    const delivery = await deliveries.get(deliveryId)
    await check(projectId)
    if (delivery?.status === 'sending') await checkSoon(projectId, deliveryId)
  })

  return {
    /** Call after each bounce and complaint. */
    check,

    /** After 3 s, and again while the delivery is `sending`: its bounce may precede its count. */
    checkSoon,

    /**
     * The project sees the reason.
     * @throws Refusal `invalid`, `not-found`, `blocked` for a project with its own account
     */
    restrict: async (projectId: string, input: RestrictionFields): Promise<ProjectView> => {
      const { reason } = parsed(RestrictionFields, input)
      return changed(projectId, (project) => {
        if (project.status === 'byoCloudSes')
          throw blocked('A project that sends through its own account cannot be restricted.')
        return restricted(project, reason)
      })
    },

    /**
     * Earlier bounces and complaints no longer restrict.
     * @throws Refusal `not-found`, `blocked` unless restricted
     */
    unrestrict: (projectId: string): Promise<ProjectView> =>
      changed(projectId, (project) => {
        if (!project.restricted) throw blocked('The project is not restricted.')
        const now = clock().toISOString()
        const free: Project = { ...project, restricted: false, restrictionLiftedAt: now, updatedAt: now }
        return without(free, 'restrictedReason')
      }),
  }
}
