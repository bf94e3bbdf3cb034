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
/** The monthly limit that the operator grants; if absent, the requested one. */
export type Approved = z.input<typeof Approved>

/**
 * The operator's side of production access (spec: "reviewed manually outside the API"). A review changes the project first, because the
 * project decides what is sent, and the request last. After a crash in between, the request looks unreviewed, and repeating the review
 * completes it.
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

  /** Records the approval of a project without a request; if it applied at the same time, that request is approved. */
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

  /** Takes production access away. A project that sends through its own account is not affected. */
  const withdraw = async (projectId: string, move: 'decline' | 'revoke'): Promise<AccessRequestView> => {
    movedRequest(await statusOf(projectId), move)
    await changeProject(projectId, (project) =>
      project.status === 'production'
        ? { ...moveProject(project, 'revokeProduction', iso()), monthlyLimit: 0 }
        : project,
    )
    return moveRequest(projectId, move)
  }

  /** The project's pending increase. @throws Refusal `blocked` if there is none */
  const waiting = async (projectId: string) => {
    const request = await accessRequests.get({ projectId })
    const increase = request && pendingIncrease(request.limitIncreases)
    if (!increase) throw blocked('There is no limit increase to review.')
    return increase
  }

  return {
    /** The requests in that status, or all, in the order of their first application. */
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
     * Lifts the sandbox's caps. The monthly limit is the given one, else the volume in the application, else none.
     * @throws Refusal `invalid`, `not-found` for the project, `blocked` if it is approved already or sends through its own account
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

    /** The project stays in the sandbox, and may apply again. @throws Refusal `blocked` unless a request is pending */
    decline: (projectId: string): Promise<AccessRequestView> => withdraw(projectId, 'decline'),

    /**
     * Puts the project back in the sandbox: its caps apply from the next send on, its rate limit at once. It may apply again.
     * @throws Refusal `blocked` unless the access is approved
     */
    revoke: (projectId: string): Promise<AccessRequestView> => withdraw(projectId, 'revoke'),

    /**
     * Moves a project from its own account to the shared service: to production if that is approved, else to the sandbox. Its cloud
     * configuration stays.
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

    /** Sets the given limit, else the requested one. @throws Refusal `invalid`, `blocked` unless an increase is pending */
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

    /** Keeps the current limit. @throws Refusal `blocked` unless an increase is pending */
    declineLimit: async (projectId: string): Promise<AccessRequestView> => {
      await waiting(projectId)
      return changeRequest(projectId, (request) => ({
        ...request,
        limitIncreases: movedIncreases(request.limitIncreases, 'decline'),
      }))
    },
  }
}
