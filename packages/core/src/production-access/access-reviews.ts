import { z } from 'zod'
import { collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { blocked } from '../kernel/refusal.js'
import { found, foundIn, KeyTaken, type RepositoriesFor } from '../kernel/repository.js'
import { stamps } from '../kernel/shapes.js'
import { moveProject, type Project, ProjectView } from '../projects/project.js'
import {
  type AccessRequest,
  AccessRequestView,
  movedIncreases,
  movedRequest,
  pendingIncrease,
  type RequestMove,
  type RequestStatus,
  settledIncreases,
} from './access-request.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ projects: Project; accessRequests: AccessRequest }>
  readonly clock: Clock
  readonly newId: NewId
}

const Approved = z.strictObject({ monthlyLimit: z.int().min(0).optional() })
/** By default the requested limit. */
export type Approved = z.input<typeof Approved>

/**
 * The operator's side. Changes the project first and the request last: repeating a review after a crash completes
 * it.
 */
export const accessReviews = ({ repositories: { projects, accessRequests }, clock, newId }: Deps) => {
  const iso = () => clock().toISOString()

  const changeProject = async (projectId: string, decide: (project: Project) => Project): Promise<Project> => {
    const project = found(projects, await projects.change({ _id: projectId }, decide))
    return project
  }

  const statusOf = async (projectId: string): Promise<RequestStatus> =>
    (await accessRequests.get({ projectId }))?.status ?? 'none'

  const changeRequest = async (projectId: string, decide: (request: AccessRequest) => AccessRequest) =>
    AccessRequestView.parse(
      await accessRequests.change({ projectId }, (request) => ({ ...decide(request), updatedAt: iso() })),
    )

  const moveRequest = (projectId: string, move: Exclude<RequestMove, 'apply'>) =>
    changeRequest(projectId, (request) => ({
      ...request,
      status: movedRequest(request.status, move),
      limitIncreases: settledIncreases(request.limitIncreases),
    }))

  /** A concurrent application is approved. */
  const approveWithoutRequest = async (projectId: string): Promise<AccessRequestView> => {
    const now = iso()
    const request: AccessRequest = {
      _id: newId(),
      projectId,
      status: movedRequest('none', 'approve'),
      limitIncreases: [],
      ...stamps(now),
    }
    try {
      await accessRequests.add(request)
      return AccessRequestView.parse(request)
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error
      return moveRequest(projectId, 'approve')
    }
  }

  /** Does not affect projects that send through their own account. */
  const withdraw = async (projectId: string, move: 'decline' | 'revoke'): Promise<AccessRequestView> => {
    movedRequest(await statusOf(projectId), move)
    await changeProject(projectId, (project) =>
      project.status === 'production'
        ? { ...moveProject(project, 'revokeProduction', iso()), monthlyLimit: 0 }
        : project,
    )
    return moveRequest(projectId, move)
  }

  /** @throws Refusal `blocked` if there is none */
  const waiting = async (projectId: string) => {
    const request = await accessRequests.get({ projectId })
    const increase = request && pendingIncrease(request.limitIncreases)
    if (!increase) throw blocked('There is no limit increase to review.')
    return increase
  }

  return {
    /** In the order of first application. */
    list: async (status?: RequestStatus): Promise<readonly AccessRequestView[]> =>
      (await collected(accessRequests.each(status ? { status } : {}))).map((request) =>
        AccessRequestView.parse(request),
      ),

    /** @throws Refusal `not-found` */
    get: async (projectId: string): Promise<AccessRequestView> => {
      const request = await foundIn(accessRequests, { projectId })
      return AccessRequestView.parse(request)
    },

    /**
     * The monthly limit is the given one, else the application's, else none.
     * @throws Refusal `invalid`, `not-found`, `blocked` if approved already or byoCloudSes
     */
    approve: async (projectId: string, input: Approved = {}): Promise<AccessRequestView> => {
      const { monthlyLimit } = parsed(Approved, input)
      const request = await accessRequests.get({ projectId })
      movedRequest(request?.status ?? 'none', 'approve')
      await changeProject(projectId, (project) => ({
        ...(project.status === 'production' ? project : moveProject(project, 'approveProduction', iso())),
        monthlyLimit: monthlyLimit ?? request?.application?.volume ?? 0,
      }))
      return request ? moveRequest(projectId, 'approve') : approveWithoutRequest(projectId)
    },

    /** The project may apply again. @throws Refusal `blocked` unless a request is pending */
    decline: (projectId: string): Promise<AccessRequestView> => withdraw(projectId, 'decline'),

    /**
     * The sandbox's caps apply from the next send, its rate at once.
     * @throws Refusal `blocked` unless the access is approved
     */
    revoke: (projectId: string): Promise<AccessRequestView> => withdraw(projectId, 'revoke'),

    /**
     * From the own account to the shared service. The cloud configuration stays.
     * @throws Refusal `not-found`, `blocked` for a project that uses the shared service already
     */
    share: async (projectId: string): Promise<ProjectView> => {
      const isApproved = (await statusOf(projectId)) === 'approved'
      const project = await changeProject(projectId, (current) => {
        if (current.status !== 'byoCloudSes')
          throw blocked(`The project sends through the shared service already, in ${current.status}.`)
        const shared = moveProject(current, 'leaveOwnCloud', iso())
        return isApproved ? moveProject(shared, 'approveProduction', iso()) : shared
      })
      return ProjectView.parse(project)
    },

    /** @throws Refusal `invalid`, `blocked` unless an increase is pending */
    approveLimit: async (projectId: string, input: Approved = {}): Promise<AccessRequestView> => {
      const { monthlyLimit } = parsed(Approved, input)
      const { requestedLimit } = await waiting(projectId)
      const approved = monthlyLimit ?? requestedLimit
      await changeProject(projectId, (project) => ({ ...project, monthlyLimit: approved, updatedAt: iso() }))
      return changeRequest(projectId, (request) => ({
        ...request,
        limitIncreases: movedIncreases(request.limitIncreases, 'approve', approved),
      }))
    },

    /** @throws Refusal `blocked` unless an increase is pending */
    declineLimit: async (projectId: string): Promise<AccessRequestView> => {
      await waiting(projectId)
      return changeRequest(projectId, (request) => ({
        ...request,
        limitIncreases: movedIncreases(request.limitIncreases, 'decline'),
      }))
    },
  }
}
