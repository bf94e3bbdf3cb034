import type { Core } from '@posthorn/core'
import {
  AcceptInvitation,
  ApiKeyFields,
  ApiKeyView,
  AuditPage,
  AuditQuery,
  BulkActionBatchResult,
  CampaignResults,
  CampaignResultsQuery,
  ContactBulkAction,
  CreatedApiKey,
  DocumentPreview,
  InvitationView,
  LiftSuppressionFields,
  MemberChanges,
  MemberView,
  NewInvitation,
  type OpenedSession,
  OwnProfileChanges,
  PasswordChange,
  PasswordConfirmation,
  PasswordResetAnswer,
  PasswordResetRequest,
  PeopleView,
  PersonView,
  ProviderSignInAnswer,
  ProviderSignInUrl,
  parsed,
  Reauthentication,
  RedeemLink,
  RedeemSetup,
  RenderedPreview,
  RepeatedRequestView,
  ResetPassword,
  SessionView,
  SignedIn,
  type SignedInPerson,
  SignIn,
  SignInOptions,
  Success,
  SuppressionView,
  TotpChange,
  TotpSetupAnswer,
} from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { type Route, route } from '../route.js'
import { routes } from '../routes/index.js'
import { type ConsoleRequest, withProvenPassword } from '../visit.js'
import { formConsoleRoutes } from './forms-rows.js'
import { homeRoutes } from './home-rows.js'
import { operatorRoutes } from './operator-rows.js'
import { reauthenticatedRoutes, settingsRoutes } from './settings-rows.js'
import { templateContentRoutes } from './templates-rows.js'
import { personalRoutes } from './view-rows.js'

const api = '/console/api'
const project = `${api}/projectId/{projectId}` as const
const done = { success: true } as const

/** The provider's URL for the browser to sign in; a cookie keeps the state until it returns. */
const sentToProvider = async ({ people }: Core, visit: ConsoleRequest, connecting?: OpenedSession) => {
  const { url, flow } = await people.visitProvider(visit.client, connecting)
  visit.leave(flow)
  return { url }
}

const signedIn = async ({ people }: Core, principal: SignedInPerson): Promise<SignedIn> => ({
  person: PersonView.parse(principal.person),
  embedded: principal.memberships !== undefined,
  projects: await people.projectsOf(principal),
})

const entered = async (core: Core, visit: ConsoleRequest, enter: (people: Core['people']) => Promise<OpenedSession>) =>
  signedIn(core, await visit.begin(() => enter(core.people)))

/** For pages without a session. `console`: any page of the console. */
const entryRows = [
  route('post', `${api}/session`, {
    id: 'signIn',
    auth: 'console',
    body: SignIn,
    success: [200, SignedIn],
    fails: ['blocked'],
    run: (core, { visit, body }) => entered(core, visit, (people) => people.signIn(body, visit.client)),
  }),
  route('delete', `${api}/session`, {
    id: 'signOut',
    auth: 'console',
    success: [200, Success],
    run: async (_core, { visit }) => {
      await visit.end()
      return done
    },
  }),
  route('post', `${api}/setup`, {
    id: 'setUp',
    auth: 'console',
    body: RedeemSetup,
    success: [200, SignedIn],
    fails: ['blocked'],
    run: (core, { visit, body }) => entered(core, visit, (people) => people.setUp(body, visit.client)),
  }),
  route('post', `${api}/link`, {
    id: 'followLink',
    auth: 'console',
    body: RedeemLink,
    success: [200, SignedIn],
    run: (core, { visit, body }) => entered(core, visit, (people) => people.followLink(body, visit.client)),
  }),
  route('post', `${api}/reset`, {
    id: 'resetPassword',
    auth: 'console',
    body: ResetPassword,
    success: [200, SignedIn],
    fails: ['blocked'],
    run: (core, { visit, body }) => entered(core, visit, (people) => people.resetPassword(body, visit.client)),
  }),
  route('post', `${api}/reset-request`, {
    id: 'requestPasswordReset',
    auth: 'console',
    body: PasswordResetRequest,
    success: [200, PasswordResetAnswer],
    fails: ['blocked'],
    run: async (core, { visit, body }) => {
      await core.people.requestReset(body, visit.client)
      return { mails: core.people.mailsLinks }
    },
  }),
  route('get', `${api}/sign-in`, {
    id: 'getSignInOptions',
    summary: 'How people sign in',
    auth: 'console',
    success: [200, SignInOptions],
    run: async ({ people: { passwords, providerName } }) => ({
      passwords,
      ...(providerName !== undefined && { provider: providerName }),
    }),
  }),
  route('post', `${api}/sign-in/provider`, {
    id: 'startProviderSignIn',
    summary: 'Begin to sign in by the identity provider',
    auth: 'console',
    success: [200, ProviderSignInUrl],
    fails: ['blocked'],
    run: (core, { visit }) => sentToProvider(core, visit),
  }),
  route('post', `${api}/sign-in/callback`, {
    id: 'finishProviderSignIn',
    summary: 'Sign in with the answer of the identity provider, or connect the person who went there',
    auth: 'console',
    body: ProviderSignInAnswer,
    success: [200, SignedIn],
    fails: ['blocked'],
    run: (core, { visit, body }) => {
      const flow = visit.comeBack()
      return entered(core, visit, (people) => people.signInByProvider(body, flow, visit.client, visit.session))
    },
  }),
  route('post', `${api}/invitations/accept`, {
    id: 'acceptInvitation',
    auth: 'console',
    body: AcceptInvitation,
    success: [200, SignedIn],
    fails: ['blocked'],
    run: (core, { visit, body }) => entered(core, visit, (people) => people.accept(body, visit.client)),
  }),
]

/** For every signed-in person. */
const ownRows = [
  route('get', `${api}/session`, {
    id: 'getSession',
    success: [200, SignedIn],
    run: async (core, { visit }) => signedIn(core, await visit.principal()),
  }),
  route('get', `${api}/sessions`, {
    id: 'listSessions',
    success: [200, z.object({ items: z.array(SessionView) })],
    run: async (core, { visit }) => ({ items: await core.people.sessionsOf(await visit.session()) }),
  }),
  route('delete', `${api}/sessions/{id}`, {
    id: 'revokeSession',
    success: [200, Success],
    run: async (core, { visit, params }) => {
      await core.people.revoke(await visit.session(), params.id)
      return done
    },
  }),
  route('patch', `${api}/me`, {
    id: 'updateMe',
    body: OwnProfileChanges,
    success: [200, PersonView],
    run: async (core, { visit, body }) => core.people.changeMe(await visit.session(), body),
  }),
  route('post', `${api}/me/password`, {
    id: 'changePassword',
    body: PasswordChange,
    success: [200, Success],
    run: async (core, { visit, body }) => {
      await core.people.changePassword(await visit.session(), body, visit.client)
      return done
    },
  }),
  route('post', `${api}/me/totp`, {
    id: 'setUpTotp',
    summary: 'Start setting up a second factor, or confirm it with a code',
    body: TotpChange,
    success: [200, TotpSetupAnswer],
    fails: ['blocked'],
    run: async (core, { visit, body }) => core.people.setUpTotp(await visit.session(), body, visit.client),
  }),
  route('post', `${api}/me/provider`, {
    id: 'connectProvider',
    summary: 'Begin to connect the identity provider, which then signs the person in',
    success: [200, ProviderSignInUrl],
    fails: ['blocked'],
    run: async (core, { visit }) => sentToProvider(core, visit, await visit.session()),
  }),
  route('delete', `${api}/me/totp`, {
    id: 'removeTotp',
    body: PasswordConfirmation,
    success: [200, PersonView],
    run: async (core, { visit, body }) => core.people.removeTotp(await visit.session(), body, visit.client),
  }),
]

const teamRows = [
  route('get', `${project}/people`, {
    id: 'listPeople',
    permission: 'people.edit',
    success: [200, PeopleView],
    run: (core, { scope }) => core.people.list(scope),
  }),
  route('post', `${project}/people/invitations`, {
    id: 'invitePerson',
    permission: 'people.edit',
    body: NewInvitation.extend(Reauthentication.shape),
    success: [201, InvitationView],
    fails: ['blocked'],
    run: async (core, { scope, visit, body }) => core.people.invite(scope, await withProvenPassword(core, visit, body)),
  }),
  route('delete', `${project}/people/invitations/{id}`, {
    id: 'cancelInvitation',
    permission: 'people.edit',
    success: [200, InvitationView],
    run: (core, { scope, params }) => core.people.cancelInvitation(scope, params.id),
  }),
  route('patch', `${project}/people/{personId}`, {
    id: 'updateMember',
    permission: 'people.edit',
    body: MemberChanges.extend(Reauthentication.shape),
    success: [200, MemberView],
    fails: ['blocked'],
    run: async (core, { scope, visit, params, body }) =>
      core.people.changeMember(scope, params.personId, await withProvenPassword(core, visit, body)),
  }),
  route('delete', `${project}/people/{personId}`, {
    id: 'removeMember',
    permission: 'people.edit',
    body: Reauthentication,
    success: [200, PersonView],
    fails: ['blocked'],
    run: async (core, { scope, visit, params, body }) => {
      await withProvenPassword(core, visit, body)
      return core.people.removeMember(scope, params.personId)
    },
  }),
  route('get', `${project}/audit`, {
    id: 'listAuditEntries',
    permission: 'audit.read',
    query: AuditQuery,
    success: [200, AuditPage],
    weight: () => 5,
    run: (core, { scope, query }) => core.people.audit.list(scope, query),
  }),
]

const shownKey = ({ name, scope, lastFour }: ApiKeyView) => ({ name, scope, lastFour })

const repeatedRows = [
  route('get', `${project}/repeated-requests`, {
    id: 'listRepeatedRequests',
    permission: 'settings.edit',
    success: [200, z.object({ items: z.array(RepeatedRequestView) })],
    run: async ({ idempotency }, { scope }) => ({ items: [...(await idempotency.repeated(scope))] }),
  }),
]

/** A key opens no more than those who have `settings.edit` may do. */
const keyRows = [
  route('get', `${project}/api-keys`, {
    id: 'listApiKeys',
    permission: 'settings.edit',
    success: [200, z.object({ items: z.array(ApiKeyView) })],
    run: async ({ apiKeys }, { scope }) => ({ items: [...(await apiKeys.list(scope.projectId))] }),
  }),
  route('post', `${project}/api-keys`, {
    id: 'createApiKey',
    permission: 'settings.edit',
    body: ApiKeyFields.extend(Reauthentication.shape),
    success: [201, CreatedApiKey],
    run: async (core, { scope, visit, body }) => {
      const fields = await withProvenPassword(core, visit, body)
      const created = await core.apiKeys.create(scope.projectId, parsed(ApiKeyFields, fields))
      const { apiKey } = created
      await core.people.audit.note(scope, { action: 'createApiKey', record: apiKey._id, after: shownKey(apiKey) })
      return created
    },
  }),
  route('delete', `${project}/api-keys/{id}`, {
    id: 'revokeApiKey',
    permission: 'settings.edit',
    success: [200, ApiKeyView],
    run: async (core, { scope, params }) => {
      const revoked = await core.apiKeys.revoke(scope.projectId, params.id)
      await core.people.audit.note(scope, { action: 'revokeApiKey', record: revoked._id, before: shownKey(revoked) })
      return revoked
    },
  }),
]

/** As the audit log calls what changes one contact. */
const actions = {
  delete: 'deleteContacts',
  suppress: 'createSuppression',
  'add-tags': 'updateContacts',
  'remove-tags': 'updateContacts',
  'add-to-list': 'bulkSubscribe',
} as const

const recordRows = [
  route('post', `${project}/contacts/act`, {
    id: 'actOnContacts',
    permission: 'contacts.edit',
    body: ContactBulkAction,
    success: [200, BulkActionBatchResult],
    fails: ['not-found'],
    weight: () => 5,
    run: async (core, { scope, body }) => {
      const batch = await core.contacts.act(scope, body)
      const { kind, ...choices } = body.act
      if (batch.done > 0)
        await core.people.audit.note(scope, { action: actions[kind], after: { contacts: batch.done, ...choices } })
      return batch
    },
  }),
  route('post', `${project}/suppression-list/{id}/lift`, {
    id: 'liftSuppression',
    permission: 'suppressions.edit',
    body: LiftSuppressionFields,
    success: [200, SuppressionView],
    run: async (core, { scope, params, body }) => {
      const { reason } = parsed(LiftSuppressionFields, body)
      const lifted = await core.suppressions.remove(scope, params.id)
      await core.people.audit.note(scope, { action: 'liftSuppression', record: params.id, after: { reason } })
      return lifted
    },
  }),
  route('get', `${project}/campaign-results`, {
    id: 'listCampaignResults',
    permission: 'figures.read',
    query: CampaignResultsQuery,
    success: [200, CampaignResults],
    weight: () => 5,
    run: (core, { scope, query }) => core.campaignReports.results(scope, query),
  }),
  route('post', `${project}/document-preview/{id}`, {
    id: 'previewDocument',
    permission: 'addresses.read',
    body: DocumentPreview,
    success: [200, RenderedPreview],
    fails: ['blocked'],
    weight: () => 5,
    run: (core, { scope, params, body }) => core.sends.previewDocument(scope, params.id, body),
  }),
]

export const consoleOnlyRoutes = [
  ...entryRows,
  ...ownRows,
  ...teamRows,
  ...keyRows,
  ...repeatedRows,
  ...recordRows,
  ...operatorRoutes,
  ...homeRoutes,
  ...templateContentRoutes,
  ...formConsoleRoutes,
  ...personalRoutes,
  ...settingsRoutes,
]

/** Any of these rows, with the types of its path, query, body and view. */
export type ConsoleEndpoint = (typeof consoleOnlyRoutes)[number]

const isMounted = ({ path }: Pick<Route, 'path'>): boolean => path.startsWith('/v1/projectId/{projectId}')

/** Rows of the API that only a person's session opens. */
const mountedRoutes: readonly Route[] = routes.filter(isMounted).map((row): Route => {
  const { alsoAt: _, preferences: __, browserAccess: ___, ...rest } = row
  return { ...rest, ...reauthenticatedRoutes[row.id], path: `${api}${row.path.slice('/v1'.length)}`, auth: 'person' }
})

/** Everything below `/console/api`. */
export const consoleApiRoutes: readonly Route[] = [...consoleOnlyRoutes, ...mountedRoutes]
