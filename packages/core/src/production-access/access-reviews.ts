import { collected } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import { parsed } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { blocked } from '../kernel/refusal.js'
import { getOrNotFound, ifKeyTaken, orNotFound, type RepositoriesFor } from '../kernel/repository.js'
import { stamps } from '../kernel/shapes.js'
import { moveProjectStatus, type Project, ProjectView } from '../projects/project.js'
import {
  type AccessRequest,
  type AccessRequestMove,
  type AccessRequestStatus,
  AccessRequestView,
  ApprovalFields,
  accessRequestStatusAfter,
  DeclineFields,
  decideLimitIncrease,
  declinePendingIncrease,
  MonthlyLimitFields,
  pendingLimitIncrease,
} from './access-request.js'

const answered = (answer: string | undefined): { readonly answer?: string } => (answer ? { answer } : {})

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ projects: Project; accessRequests: AccessRequest }>
}

/** Changes the project first and the request last: repeating a review after a crash completes it. */
export const accessReviews = ({ repositories: { projects, accessRequests }, clock, newId }: Deps) => {
  const iso = () => clock().toISOString()

  const changeProject = async (projectId: string, decide: (project: Project) => Project): Promise<Project> =>
    orNotFound(projects, await projects.change({ _id: projectId }, decide))

  const statusOf = async (projectId: string): Promise<AccessRequestStatus> =>
    (await accessRequests.get({ projectId }))?.status ?? 'none'

  const changeRequest = async (projectId: string, decide: (request: AccessRequest) => AccessRequest) =>
    AccessRequestView.parse(
      await accessRequests.change({ projectId }, (request) => ({ ...decide(request), updatedAt: iso() })),
    )

  /** An earlier answer is of an earlier decision. */
  const moveRequest = (projectId: string, move: Exclude<AccessRequestMove, 'apply'>, answer?: string) =>
    changeRequest(projectId, (request) => ({
      ...without(request, 'answer'),
      ...answered(answer),
      status: accessRequestStatusAfter(request.status, move),
      limitIncreases: declinePendingIncrease(request.limitIncreases),
    }))

  /** A concurrent application is approved. */
  const approveWithoutRequest = async (projectId: string, answer: string | undefined): Promise<AccessRequestView> => {
    const request: AccessRequest = {
      _id: newId(),
      projectId,
      status: accessRequestStatusAfter('none', 'approve'),
      ...answered(answer),
      limitIncreases: [],
      ...stamps(iso()),
    }
    return accessRequests.add(request).then(
      () => AccessRequestView.parse(request),
      ifKeyTaken(() => moveRequest(projectId, 'approve', answer)),
    )
  }

  /** Does not affect projects that send through their own account. */
  const withdraw = async (
    projectId: string,
    move: 'decline' | 'revoke',
    input: DeclineFields,
  ): Promise<AccessRequestView> => {
    const { answer } = parsed(DeclineFields, input)
    accessRequestStatusAfter(await statusOf(projectId), move)
    await changeProject(projectId, (project) =>
      project.status === 'production'
        ? { ...moveProjectStatus(project, 'revokeProduction', iso()), monthlyLimit: 0 }
        : project,
    )
    return moveRequest(projectId, move, answer)
  }

  const waiting = async (projectId: string) => {
    const request = await accessRequests.get({ projectId })
    const increase = request && pendingLimitIncrease(request.limitIncreases)
    if (!increase) throw blocked('There is no limit increase to review.')
    return increase
  }

  return {
    /** In the order of first application. */
    list: async (status?: AccessRequestStatus): Promise<readonly AccessRequestView[]> =>
      (await collected(accessRequests.each(status ? { status } : {}))).map((request) =>
        AccessRequestView.parse(request),
      ),

    /** @throws Refusal `not-found` */
    get: async (projectId: string): Promise<AccessRequestView> =>
      AccessRequestView.parse(await getOrNotFound(accessRequests, { projectId })),

    /**
     * The monthly limit is the given one, else the application's, else none.
     * @throws Refusal `invalid`, `not-found`, `blocked` if approved already or byoCloudSes
     */
    approve: async (projectId: string, input: ApprovalFields = {}): Promise<AccessRequestView> => {
      const { monthlyLimit, answer } = parsed(ApprovalFields, input)
      const request = await accessRequests.get({ projectId })
      accessRequestStatusAfter(request?.status ?? 'none', 'approve')
      await changeProject(projectId, (project) => ({
        ...(project.status === 'production' ? project : moveProjectStatus(project, 'approveProduction', iso())),
        monthlyLimit: monthlyLimit ?? request?.application?.volume ?? 0,
      }))
      return request ? moveRequest(projectId, 'approve', answer) : approveWithoutRequest(projectId, answer)
    },

    /** The project may apply again. @throws Refusal `invalid`, `blocked` unless a request is pending */
    decline: (projectId: string, input: DeclineFields = {}): Promise<AccessRequestView> =>
      withdraw(projectId, 'decline', input),

    /**
     * The sandbox's caps apply from the next send, its rate at once.
     * @throws Refusal `invalid`, `blocked` unless the access is approved
     */
    revoke: (projectId: string, input: DeclineFields = {}): Promise<AccessRequestView> =>
      withdraw(projectId, 'revoke', input),

    /** Of a project in production, without a request. @throws Refusal `invalid`, `not-found`, `blocked` for other projects */
    setLimit: async (projectId: string, input: MonthlyLimitFields): Promise<ProjectView> => {
      const { monthlyLimit } = parsed(MonthlyLimitFields, input)
      const project = await changeProject(projectId, (current) => {
        if (current.status !== 'production') throw blocked('Only projects in production have a monthly limit.')
        return { ...current, monthlyLimit, updatedAt: iso() }
      })
      return ProjectView.parse(project)
    },

    /**
     * From the own account to the shared service. The cloud configuration stays.
     * @throws Refusal `not-found`, `blocked` for a project that uses the shared service already
     */
    share: async (projectId: string): Promise<ProjectView> => {
      const isApproved = (await statusOf(projectId)) === 'approved'
      const project = await changeProject(projectId, (current) => {
        if (current.status !== 'byoCloudSes')
          throw blocked(`The project sends through the shared service already, in ${current.status}.`)
        const shared = moveProjectStatus(current, 'leaveOwnCloud', iso())
        return isApproved ? moveProjectStatus(shared, 'approveProduction', iso()) : shared
      })
      return ProjectView.parse(project)
    },

    /** @throws Refusal `invalid`, `blocked` unless an increase is pending */
    approveLimit: async (projectId: string, input: ApprovalFields = {}): Promise<AccessRequestView> => {
      const { monthlyLimit, answer } = parsed(ApprovalFields, input)
      const { requestedLimit } = await waiting(projectId)
      const approved = monthlyLimit ?? requestedLimit
      await changeProject(projectId, (project) => ({ ...project, monthlyLimit: approved, updatedAt: iso() }))
      return changeRequest(projectId, (request) => ({
        ...request,
        limitIncreases: decideLimitIncrease(request.limitIncreases, 'approve', {
          approvedLimit: approved,
          ...answered(answer),
        }),
      }))
    },

    /** @throws Refusal `invalid`, `blocked` unless an increase is pending */
    declineLimit: async (projectId: string, input: DeclineFields = {}): Promise<AccessRequestView> => {
      const { answer } = parsed(DeclineFields, input)
      await waiting(projectId)
      return changeRequest(projectId, (request) => ({
        ...request,
        limitIncreases: decideLimitIncrease(request.limitIncreases, 'decline', answered(answer)),
      }))
    },
  }
}
