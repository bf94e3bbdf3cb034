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
/** Why the operator restricts a project. */
export type RestrictionFields = z.input<typeof RestrictionFields>

const checkAgain = 'check-restriction'
/** By then a mail under way is counted as sent, nearly always; in milliseconds. */
const untilCounted = 3_000

/**
 * Who restricts a project, and who lifts it (spec, "Project"; gaps.md, "Restriction"). A restricted project sends nothing: new sends
 * are refused, and what waits to be sent is stopped. A project that sends through its own account is never restricted.
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
    /** Restricts the project where its rates ask for it. To be called after each bounce and complaint. */
    check,

    /** Does so in a moment, until that mail, or a later one of the project, is no longer being sent: for what was told before it is counted. */
    checkSoon,

    /**
     * The operator's: stops a project's sending, for a reason that it is told.
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
     * The operator's: lets the project send again. What it did until now restricts it no more; its reports still show it.
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
