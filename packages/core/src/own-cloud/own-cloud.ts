import { z } from 'zod'
import { collected } from '../kernel/listing.js'
import { parsedBy } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { invalid } from '../kernel/refusal.js'
import { getOrNotFound, orNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { StoredCloudConfig } from '../projects/cloud-config.js'
import type { Project } from '../projects/project.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import {
  type CloudAccount,
  CloudCheckFields,
  type CloudFindings,
  CloudWarning,
  cloudConfigToCheck,
  cloudCredentialsRule,
  decryptCloudConfig,
  ownCloudFindings,
} from './cloud-check.js'

/** Configuration set and SNS topic: identifies the project of events. */
export const ownCloudEventsName = (projectId: string): string => `posthorn-own-${projectId}`

export type OwnCloudServerSettings = {
  /** The account of this server's credentials; the role trusts it. */
  readonly accountId?: string | undefined
  /**
   * In S3, with the parameters `ExternalId`, `AccountId`, `ConfigurationSet` and `EventsUrl`. Without it, the link
   * opens the IAM console.
   */
  readonly templateUrl?: string | undefined
  /** Receives mail events by https; without it, the template creates no event publishing. */
  readonly eventsUrl?: string | undefined
}

const awsConsole = 'https://console.aws.amazon.com'

const query = (values: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(values)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`]))
    .join('&')

/** Creates the role: a quick-create link of CloudFormation, or of IAM. */
const cloudSetupLink = (
  { accountId, templateUrl, eventsUrl }: OwnCloudServerSettings,
  region: string,
  externalId: string,
  configurationSet: string,
): string =>
  templateUrl === undefined
    ? `${awsConsole}/iam/home#/roles/create?${query({
        step: 'type',
        trustedEntityType: 'AWS_ACCOUNT',
        awsAccount: accountId,
        isThirdParty: 'true',
        externalId,
        policies: 'arn:aws:iam::aws:policy/AmazonSESFullAccess',
      })}`
    : `${awsConsole}/cloudformation/home?${query({ region })}#/stacks/quickcreate?${query({
        templateURL: templateUrl,
        stackName: 'posthorn-sending',
        param_AccountId: accountId,
        param_ExternalId: externalId,
        param_ConfigurationSet: eventsUrl && configurationSet,
        param_EventsUrl: eventsUrl,
      })}`

type Deps = Pick<Runtime, 'secrets' | 'log'> & {
  readonly repositories: RepositoriesFor<{ projects: Project; senderIdentities: SenderIdentity }>
  readonly cloudAccount?: CloudAccount | undefined
  readonly settings: { readonly regions: readonly string[]; readonly cloudSetup?: OwnCloudServerSettings | undefined }
}

export const SetupLink = z
  .object({
    link: z.string().describe('Page on which the owner of a cloud account creates the role for sending'),
    externalId: z
      .string()
      .describe('The condition sts:ExternalId that the role’s trust policy must have; the link fills it in'),
  })
  .meta({ id: 'SetupLink' })
export type SetupLink = z.output<typeof SetupLink>

export const CloudChecked = z
  .object({
    success: z.literal(true).describe('Whether mails can be sent by the account'),
    warnings: z
      .array(z.string())
      .optional()
      .describe(
        'What does not keep the account from sending: that its bounces are not heard of. Absent while all is well',
      ),
    warningDetails: z.array(CloudWarning).optional().describe('The warnings, in the same order, for programs'),
  })
  .meta({ id: 'CloudChecked' })
export type CloudChecked = z.output<typeof CloudChecked>

const externalIdBytes = 24

/** Spec, "Own-cloud-account sending". */
export const ownCloudUseCases = ({ repositories, cloudAccount, secrets, log, settings }: Deps) => {
  const { projects, senderIdentities } = repositories

  /** @throws Refusal `invalid` if the account cannot be accessed */
  const findingsOf = async (
    { _id: projectId, cloudExternalId }: Pick<Project, '_id' | 'cloudExternalId'>,
    config: StoredCloudConfig,
    given?: z.output<typeof CloudCheckFields>['senderIdentities'],
  ): Promise<CloudFindings> => {
    const access = decryptCloudConfig(config, cloudExternalId, secrets)
    if (!cloudAccount)
      throw invalid('cloudConfig: this server sends without Amazon SES and cannot look at cloud accounts')
    const named = given ?? config.senderIdentities ?? []
    const senders = named.length > 0 ? named : await collected(senderIdentities.each({ projectId }))
    return ownCloudFindings(
      { look: (asked) => cloudAccount.look(asked), log },
      access,
      projectId,
      senders.map(({ email, region = access.region }) => ({ email, region })),
      config.limit,
    )
  }

  return {
    /** @throws Refusal `invalid` if the account cannot be accessed */
    violationsOf: async (
      project: Pick<Project, '_id' | 'cloudExternalId'>,
      config: StoredCloudConfig,
    ): Promise<readonly string[]> => (await findingsOf(project, config)).violations,

    /**
     * Checks access, senders and rate with the given fields; stores nothing.
     * @throws Refusal `invalid` with all problems that prevent sending
     */
    check: async ({ projectId }: Scope, input: CloudCheckFields): Promise<CloudChecked> => {
      const project = await getOrNotFound(projects, { _id: projectId })
      const { cloudConfig } = project
      const { senderIdentities: given, ...overrides } = await parsedBy(
        CloudCheckFields,
        input,
        cloudCredentialsRule(cloudConfig),
      )
      if (!cloudConfig && !given && Object.keys(overrides).length === 0)
        throw invalid('cloudConfig: nothing is stored, and nothing was given to check')
      const config = cloudConfigToCheck(cloudConfig, overrides, secrets)
      const { violations, warnings } = await findingsOf(project, config, given)
      if (violations.length > 0) throw invalid(...violations)
      if (warnings.length === 0) return { success: true }
      return { success: true, warnings: warnings.map(({ message }) => message), warningDetails: [...warnings] }
    },

    /** The first call creates the external id, which never changes. @throws Refusal `not-found` */
    setupLink: async ({ projectId }: Scope): Promise<SetupLink> => {
      const fresh = secrets.random(externalIdBytes)
      const { cloudExternalId = fresh, cloudConfig } = orNotFound(
        projects,
        await projects.change({ _id: projectId }, (project) =>
          project.cloudExternalId ? project : { ...project, cloudExternalId: fresh },
        ),
      )
      const region = cloudConfig?.region ?? settings.regions[0] ?? ''
      const link = cloudSetupLink(settings.cloudSetup ?? {}, region, cloudExternalId, ownCloudEventsName(projectId))
      return { link, externalId: cloudExternalId }
    },
  }
}
