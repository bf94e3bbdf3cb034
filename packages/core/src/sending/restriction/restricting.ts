import { z } from 'zod'
import { type Figures, slotEndOf } from '../../figures/figure.js'
import { found } from '../../kernel/found.js'
import { without } from '../../kernel/merged.js'
import { parsed } from '../../kernel/parsed.js'
import type { Clock, Jobs, Log } from '../../kernel/ports.js'
import { blocked } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { type Project, ProjectView } from '../../projects/project.js'
import type { Deliveries } from '../ledger/deliveries.js'
import { type RestrictionThresholds, restrictionOf } from './restriction.js'
import { sendingWindows } from './windows.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ projects: Project }>
  readonly figures: Pick<Figures, 'totals'>
  readonly deliveries: Pick<Deliveries, 'get'>
  readonly jobs: Pick<Jobs, 'at' | 'handle'>
  readonly clock: Clock
  readonly log: Log
  readonly settings: { readonly restriction: RestrictionThresholds }
}

const RestrictionFields = z.strictObject({ reason: z.string().trim().min(1).max(1000) })
export type RestrictionFields = z.input<typeof RestrictionFields>

const checkAgain = 'check-restriction'
/** Delay in ms after which a mail in flight is almost always counted as sent. */
const untilCounted = 3_000

/**
 * Restricts and unrestricts projects (spec, "Project"; gaps.md, "Restriction"). A restricted project sends nothing: new sends are refused,
 * and queued mails are stopped. A project that sends through its own account is never restricted.
 */
export const restricting = ({ repositories: { projects }, figures, deliveries, jobs, clock, log, settings }: Deps) => {
  const windowsOf = sendingWindows({ figures, clock })

  const changed = async (projectId: string, decide: (project: Project) => Project): Promise<ProjectView> => {
    const project = found(projects, await projects.change({ _id: projectId }, decide))
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
    const windows = await windowsOf(projectId, liftedAt && slotEndOf(liftedAt))
    const reason = restrictionOf(windows, settings.restriction)
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
    /** Restricts the project if its rates exceed the thresholds. Call it after each bounce and complaint. */
    check,

    /** Checks after 3 s, repeatedly while the delivery is still `sending`: its bounce or complaint may arrive before it counts as sent. */
    checkSoon,

    /**
     * For the operator: stops a project's sending, with a reason that the project sees.
     * @throws Refusal `invalid`, `not-found`, `blocked` for a project that sends through its own account
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
     * For the operator: lets the project send again. Earlier bounces and complaints no longer restrict it; its reports still show them.
     * @throws Refusal `not-found`, `blocked` unless it is restricted
     */
    unrestrict: (projectId: string): Promise<ProjectView> =>
      changed(projectId, (project) => {
        if (!project.restricted) throw blocked('The project is not restricted.')
        const now = clock().toISOString()
        const free: Project = { ...project, restricted: false, restrictionLiftedAt: now, updatedAt: now }
        return without(free, 'restrictedReason') as Project
      }),
  }
}
