import { z } from 'zod'
import type { Account } from '../accounts/account.js'
import type { CustomFieldsOfProject } from '../contacts/custom-field.js'
import { collected } from '../kernel/listing.js'
import { merged, without } from '../kernel/merged.js'
import { type InputRule, parsed, parsedBy, partlyValidInput, schemaViolationsOf } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { invalid } from '../kernel/refusal.js'
import { getOrNotFound, orNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Id, Name, stamps } from '../kernel/shapes.js'
import { standaloneViolation, wrongFieldViolation } from '../kernel/violation.js'
import { conditionViolations } from '../segments/conditions.js'
import {
  type CloudConfigFields,
  changedCloudConfig,
  cloudCredentialsAfter,
  givesCloudCredentials,
  hasCloudCredentials,
  type StoredCloudConfig,
} from './cloud-config.js'
import {
  AutoRemoveFromList,
  BrowserAccessLevel,
  moveProjectStatus,
  type Project,
  ProjectChanges,
  ProjectView,
  standardUnengagedSegment,
} from './project.js'

type Deps = Pick<Runtime, 'secrets' | 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ accounts: Account; projects: Project }>
  readonly fieldsOf: CustomFieldsOfProject
  /** To a new project that is not stored yet. */
  readonly copyContent: (source: Project, project: Project) => Promise<void>
  readonly settings: { readonly browserAccess: BrowserAccessLevel }
  /** @throws Refusal `invalid` if the account cannot be accessed */
  readonly ownCloudViolations: (
    project: Pick<Project, '_id' | 'cloudExternalId'>,
    config: StoredCloudConfig,
  ) => Promise<readonly string[]>
}

const credentialsNeeded = 'byoCloudSes needs a roleArn, or an accessKeyId and secretAccessKey, in cloudConfig'

const NewProject = z.strictObject({ accountId: Id, name: Name, from: Id.optional() })
/** `from`: a project of the same account whose content is copied. */
type NewProject = z.input<typeof NewProject>

/** Null or an empty string removes it; absent leaves it. */
const optionalText = <K extends 'logoUrl' | 'customSubscriptionPreferencesUrl'>(
  project: Project,
  key: K,
  given: string | null | undefined,
): Project => {
  if (given === undefined) return project
  return given === '' || given === null ? without(project, key) : { ...project, [key]: given }
}

/** `get` and `update` serve the API, the rest the operator. */
export const projectUseCases = (deps: Deps) => {
  const { repositories, secrets, clock, newId, settings } = deps
  const { accounts, projects } = repositories

  const standards = {
    unengagedContactSegment: standardUnengagedSegment,
    autoRemoveFromList: AutoRemoveFromList.parse({}),
    whiteList: [],
    browserAccess: settings.browserAccess,
  }
  /** Restored by null. */
  const standard = (field: string): unknown =>
    Object.hasOwn(standards, field) ? standards[field as keyof typeof standards] : null

  const view = (project: Project | undefined): ProjectView => ProjectView.parse(orNotFound(projects, project))

  const conditionsFit =
    ({ projectId }: Scope): InputRule<z.output<typeof ProjectChanges>> =>
    async ({ unengagedContactSegment }) => {
      const groups = unengagedContactSegment?.groups
      return groups ? conditionViolations(groups, await deps.fieldsOf(projectId), 'unengagedContactSegment.groups') : []
    }

  const completeCredentialsRule =
    ({ projectId }: Scope): InputRule<z.output<typeof ProjectChanges>> =>
    async ({ cloudConfig, status }) => {
      const current = await projects.get({ _id: projectId })
      const isUsed = current?.status === 'byoCloudSes' || status === 'byoCloudSes'
      if (cloudConfig === null)
        return isUsed ? [wrongFieldViolation('cloudConfig', 'the project sends by these credentials: give others')] : []
      const { next, problem } = cloudCredentialsAfter(current?.cloudConfig, cloudConfig ?? {})
      if (cloudConfig && problem) {
        const missing = next.accessKeyId ? 'secretAccessKey' : 'accessKeyId'
        return [standaloneViolation(next.roleArn ? 'cloudConfig' : `cloudConfig.${missing}`, `cloudConfig: ${problem}`)]
      }
      if (current?.status === 'byoCloudSes' && cloudConfig && !hasCloudCredentials(next))
        return [wrongFieldViolation('cloudConfig', 'the project sends by these credentials: give others')]
      return status === 'byoCloudSes' && !hasCloudCredentials(next)
        ? [wrongFieldViolation('status', credentialsNeeded)]
        : []
    }

  /** @throws Refusal `invalid` with all reasons why the project could not send */
  const assertSends = async (projectId: string, cloudConfig: CloudConfigFields | null | undefined): Promise<void> => {
    const project = await getOrNotFound(projects, { _id: projectId })
    const violations = await deps.ownCloudViolations(
      project,
      changedCloudConfig(project.cloudConfig, cloudConfig ?? {}, secrets),
    )
    if (violations.length > 0) throw invalid(...violations)
  }

  const rules = (scope: Scope) => [conditionsFit(scope), completeCredentialsRule(scope)] as const

  /** Random after the time: counted ids could be derived from those in mails. */
  const projectId = () => newId().slice(0, 8) + secrets.digest(secrets.random(16)).slice(0, 16)

  return {
    /**
     * Creates it in sandbox.
     * @throws Refusal `invalid`, `not-found` for the account, or for a project of another account
     */
    create: async (input: NewProject): Promise<ProjectView> => {
      const { accountId, name, from } = parsed(NewProject, input)
      await getOrNotFound(accounts, { _id: accountId })
      const source = from === undefined ? undefined : await getOrNotFound(projects, { _id: from, accountId })
      const project: Project = {
        _id: projectId(),
        accountId,
        name,
        designSystemId: newId(),
        status: 'sandbox',
        restricted: false,
        monthlyLimit: 0,
        ...standards,
        ...stamps(clock().toISOString()),
      }
      if (source) await deps.copyContent(source, project)
      await projects.add(project)
      return view(project)
    },

    all: async (): Promise<readonly ProjectView[]> => (await collected(projects.each({}))).map(view),

    get: async ({ projectId }: Scope): Promise<ProjectView> => view(await projects.get({ _id: projectId })),

    /** @throws Refusal `not-found` */
    owners: async ({ projectId }: Scope): Promise<{ readonly accountId: string; readonly projectId: string }> => {
      const project = await getOrNotFound(projects, { _id: projectId })
      return { accountId: project.accountId, projectId }
    },

    violations: (scope: Scope, input: unknown) => schemaViolationsOf(ProjectChanges, input, ...rules(scope)),

    /**
     * Whether somebody else may get what outlasts a session: browsers on more hosts or with more calls, the owner of
     * another page for recipients, or of another cloud account, through which the mail goes.
     * @throws Refusal `not-found`
     */
    givesLastingAccess: async ({ projectId }: Scope, input: unknown): Promise<boolean> => {
      const current = await getOrNotFound(projects, { _id: projectId })
      const given = partlyValidInput(ProjectChanges, input) ?? {}
      const { whiteList, browserAccess, customSubscriptionPreferencesUrl: page, cloudConfig } = given
      const openness = (level: BrowserAccessLevel) => -BrowserAccessLevel.options.indexOf(level)
      const next = browserAccess === null ? standards.browserAccess : (browserAccess ?? current.browserAccess)
      return (
        openness(next) > openness(current.browserAccess) ||
        (whiteList ?? []).some((host) => host !== undefined && !current.whiteList.includes(host)) ||
        (Boolean(page) && page !== current.customSubscriptionPreferencesUrl) ||
        givesCloudCredentials(cloudConfig ?? {})
      )
    },

    /**
     * Null restores the default. Only the status byoCloudSes is accepted, if the account can send; it lifts a
     * restriction.
     * @throws Refusal `invalid`, `not-found`
     */
    update: async (scope: Scope, input: ProjectChanges): Promise<ProjectView> => {
      const { projectId } = scope
      const read = await parsedBy(ProjectChanges, input, ...rules(scope))
      const { logoUrl, customSubscriptionPreferencesUrl, cloudConfig, status, tracking, ...plain } = read
      if (status === 'byoCloudSes') await assertSends(projectId, cloudConfig)
      const now = clock().toISOString()
      const given = Object.fromEntries(
        Object.entries(plain).map(([field, value]) => [field, value === null ? standard(field) : value]),
      )
      return view(
        await projects.change({ _id: projectId }, (current) => {
          let next: Project = { ...merged<Project>(current, given), updatedAt: now }
          if (cloudConfig === null) next = without(next, 'cloudConfig')
          if (tracking !== undefined)
            next = { ...next, tracking: tracking === null ? {} : { ...current.tracking, ...tracking } }
          next = optionalText(next, 'logoUrl', logoUrl)
          next = optionalText(next, 'customSubscriptionPreferencesUrl', customSubscriptionPreferencesUrl)
          if (cloudConfig)
            next = { ...next, cloudConfig: changedCloudConfig(current.cloudConfig, cloudConfig, secrets) }
          if (status !== 'byoCloudSes') return next
          if (!hasCloudCredentials(next.cloudConfig)) throw invalid(`status: ${credentialsNeeded}`)
          return {
            ...without(moveProjectStatus(next, 'useOwnCloud', now), 'restrictedReason'),
            restricted: false,
          }
        }),
      )
    },
  }
}
