import type { Core, Scope } from '@posthorn/core'
import {
  AccessRequestView,
  AccessReviewsQuery,
  ApprovalFields,
  CreditFields,
  DeclineFields,
  MonthlyLimitFields,
  OperatedAccount,
  OperatedAccountPage,
  OperatedProjectPage,
  OperatedServer,
  OperatorAccountsQuery,
  OperatorProjectsQuery,
  OperatorReadOnlyView,
  ProjectView,
  parsed,
  ReadOnlyViewFields,
  Reauthentication,
  RestrictionFields,
  ReviewedProject,
  ReviewedProjectPage,
  ServerChecks,
  Success,
} from '@posthorn/core/ports/transport'
import { route } from '../route.js'
import { withProvenPassword } from '../visit.js'

const operator = '/console/api/operator' as const
const ofProject = `${operator}/projects/{id}` as const

type Recorded = { readonly action: string; readonly before?: object; readonly after?: object }

const record = async ({ people: { audit } }: Core, scope: Scope, of: object, change: Recorded): Promise<void> => {
  const author = audit.authorOf(scope)
  if (author) await audit.record(author, { ...of, ...change })
}

/** Of a project, as its audit log shows a change. */
const shown = async ({ operator: { project } }: Core, id: string) => {
  const { status, monthlyLimit, restricted, restrictedReason, request } = await project(id)
  const { answer, limitIncreases } = request ?? {}
  const increase = limitIncreases?.at(-1)
  return {
    ...{ status, monthlyLimit, restricted, restrictedReason, request: request?.status, answer },
    ...(increase && { limitIncrease: increase.status, limitAnswer: increase.answer }),
  }
}

const changed = async <R>(
  core: Core,
  scope: Scope,
  [action, projectId]: readonly [action: string, projectId: string],
  change: () => Promise<R>,
): Promise<R> => {
  const before = await shown(core, projectId)
  const result = await change()
  await record(core, scope, { projectId, record: projectId }, { action, before, after: await shown(core, projectId) })
  return result
}

const readingRows = [
  route('get', `${operator}/reviews`, {
    id: 'listReviews',
    auth: 'operator',
    query: AccessReviewsQuery,
    success: [200, ReviewedProjectPage],
    weight: () => 5,
    run: (core, { query }) => core.operator.reviews(query),
  }),
  route('get', `${operator}/projects`, {
    id: 'listOperatedProjects',
    auth: 'operator',
    query: OperatorProjectsQuery,
    success: [200, OperatedProjectPage],
    weight: () => 5,
    run: (core, { query }) => core.operator.projects(query),
  }),
  route('get', ofProject, {
    id: 'getOperatedProject',
    auth: 'operator',
    success: [200, ReviewedProject],
    run: (core, { params }) => core.operator.project(params.id),
  }),
  route('get', `${operator}/accounts`, {
    id: 'listAccounts',
    auth: 'operator',
    query: OperatorAccountsQuery,
    success: [200, OperatedAccountPage],
    weight: () => 5,
    run: (core, { query }) => core.operator.accounts(query),
  }),
  route('get', `${operator}/accounts/{id}`, {
    id: 'getAccount',
    auth: 'operator',
    success: [200, OperatedAccount],
    run: (core, { params }) => core.operator.account(params.id),
  }),
  route('get', `${operator}/server`, {
    id: 'getServerState',
    auth: 'operator',
    success: [200, OperatedServer],
    weight: () => 5,
    run: (core) => core.operator.server(),
  }),
  route('get', `${operator}/server/checks`, {
    id: 'runServerChecks',
    auth: 'operator',
    success: [200, ServerChecks],
    fails: ['not-found'],
    weight: () => 20,
    run: (core) => core.operator.checks(),
  }),
]

const changingRows = [
  route('post', `${ofProject}/access/approve`, {
    id: 'approveProductionAccess',
    auth: 'operator',
    body: ApprovalFields,
    success: [200, AccessRequestView],
    fails: ['blocked'],
    run: (core, { scope, params: { id }, body }) =>
      changed(core, scope, ['approveProductionAccess', id], () => core.accessReviews.approve(id, body)),
  }),
  route('post', `${ofProject}/access/decline`, {
    id: 'declineProductionAccess',
    auth: 'operator',
    body: DeclineFields,
    success: [200, AccessRequestView],
    fails: ['blocked'],
    run: (core, { scope, params: { id }, body }) =>
      changed(core, scope, ['declineProductionAccess', id], () => core.accessReviews.decline(id, body)),
  }),
  route('post', `${ofProject}/access/revoke`, {
    id: 'revokeProductionAccess',
    auth: 'operator',
    body: DeclineFields,
    success: [200, AccessRequestView],
    fails: ['blocked'],
    run: (core, { scope, params: { id }, body }) =>
      changed(core, scope, ['revokeProductionAccess', id], () => core.accessReviews.revoke(id, body)),
  }),
  route('post', `${ofProject}/limit/approve`, {
    id: 'approveLimitIncrease',
    auth: 'operator',
    body: ApprovalFields,
    success: [200, AccessRequestView],
    fails: ['blocked'],
    run: (core, { scope, params: { id }, body }) =>
      changed(core, scope, ['approveLimitIncrease', id], () => core.accessReviews.approveLimit(id, body)),
  }),
  route('post', `${ofProject}/limit/decline`, {
    id: 'declineLimitIncrease',
    auth: 'operator',
    body: DeclineFields,
    success: [200, AccessRequestView],
    fails: ['blocked'],
    run: (core, { scope, params: { id }, body }) =>
      changed(core, scope, ['declineLimitIncrease', id], () => core.accessReviews.declineLimit(id, body)),
  }),
  route('post', `${ofProject}/limit`, {
    id: 'setMonthlyLimit',
    auth: 'operator',
    body: MonthlyLimitFields,
    success: [200, ProjectView],
    fails: ['blocked'],
    run: (core, { scope, params: { id }, body }) =>
      changed(core, scope, ['setMonthlyLimit', id], () => core.accessReviews.setLimit(id, body)),
  }),
  route('post', `${ofProject}/restrict`, {
    id: 'restrictProject',
    auth: 'operator',
    body: RestrictionFields,
    success: [200, ProjectView],
    fails: ['blocked'],
    run: (core, { scope, params: { id }, body }) =>
      changed(core, scope, ['restrictProject', id], () => core.restriction.restrict(id, body)),
  }),
  route('post', `${ofProject}/unrestrict`, {
    id: 'unrestrictProject',
    auth: 'operator',
    success: [200, ProjectView],
    fails: ['blocked'],
    run: (core, { scope, params: { id } }) =>
      changed(core, scope, ['unrestrictProject', id], () => core.restriction.unrestrict(id)),
  }),
  route('post', `${ofProject}/view`, {
    id: 'beginReadOnlyView',
    auth: 'operator',
    body: ReadOnlyViewFields.extend(Reauthentication.shape),
    success: [201, OperatorReadOnlyView],
    fails: ['blocked'],
    run: async (core, { visit, params, body }) =>
      core.people.beginView(await visit.session(), params.id, await withProvenPassword(core, visit, body)),
  }),
  route('delete', `${operator}/view`, {
    id: 'endReadOnlyView',
    auth: 'operator',
    success: [200, Success],
    fails: ['blocked'],
    run: async (core, { visit }) => {
      await core.people.endView(await visit.session())
      return { success: true } as const
    },
  }),
  route('post', `${operator}/accounts/{id}/credit`, {
    id: 'addCredit',
    auth: 'operator',
    body: CreditFields,
    success: [200, OperatedAccount],
    run: async (core, { scope, params: { id }, body }) => {
      const { credits } = parsed(CreditFields, body)
      const { credits: after } = await core.accounts.addCredit(id, credits)
      const change = { action: 'addCredit', after: { added: credits, credits: after } }
      const projects = await core.operator.projectIds(id)
      const logs = projects.length === 0 ? [{}] : projects.map((projectId) => ({ projectId }))
      for (const log of logs) await record(core, scope, { record: id, ...log }, change)
      return core.operator.account(id)
    },
  }),
]

/** Only for persons who bear the mark `operator`. None has a project in its path. */
export const operatorRoutes = [...readingRows, ...changingRows]
