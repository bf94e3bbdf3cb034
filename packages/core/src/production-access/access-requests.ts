import { z } from 'zod'
import { type Domain, hasDkim, hasSpfMxAndDkim, overallDomainStatus } from '../domains/domain.js'
import { collected } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import { type InputRule, parsedBy } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { invalid } from '../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor, refuseIfKeyTaken } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import { wrongFieldViolation } from '../kernel/violation.js'
import type { Project } from '../projects/project.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import { channelOfProject } from '../sending/channels/channel.js'
import type { Mailers } from '../sending/channels/mailer.js'
import type { ChannelRateLimiter } from '../sending/channels/rate-limiter.js'
import {
  AccessApplication,
  AccessApplicationReceipt,
  type AccessRequest,
  type AccessRequestStatus,
  accessRequestStatusAfter,
  accessRequestStatuses,
  canMoveAccessRequest,
  LimitIncrease,
  LimitIncreaseFields,
  pendingLimitIncrease,
} from './access-request.js'

/** Mails per second, reported without a limit: the spec requires an integer (gaps.md). */
export const reportedUnlimitedRate = 10_000

const SendingRate = z
  .object({
    region: z.string().describe('Region in which it sends'),
    ratePerSecond: z.int().describe('Mails per second; 0: sending is not possible; 10000: no known limit'),
    reason: z
      .string()
      .optional()
      .describe('Why nothing can be sent now; absent if sending is possible or the project is restricted'),
  })
  .meta({ id: 'SendingRate', description: 'How fast the project may send in a region' })

/** Spec, "Production access status". */
export const ProductionAccess = z
  .object({
    requestStatus: z.enum(accessRequestStatuses).describe('none: no request has been submitted'),
    answer: z.string().optional().describe('What the operator wrote about the last decision'),
    domainStatus: z.enum(['none', 'pending', 'verified']).describe('none: no domain; verified: at least one is'),
    verifiedDomain: z.string().describe('Empty where none is verified'),
    monthlyLimit: z.int().describe('Mails per month; 0 = unlimited'),
    sendingRates: z
      .array(SendingRate)
      .describe('One per region; of a project that sends through its own account, per region in which it has senders'),
    limitIncreases: z.array(LimitIncrease).describe('The newest last'),
    restricted: z.boolean().describe('Whether the project may not send at all'),
    restrictedReason: z.string().optional().describe('Present only while restricted'),
  })
  .meta({ id: 'ProductionAccess', description: 'Status of a project’s production access, and its limits' })
export type ProductionAccess = z.output<typeof ProductionAccess>

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{
    projects: Project
    domains: Domain
    senderIdentities: SenderIdentity
    accessRequests: AccessRequest
  }>
  readonly rateLimiter: Pick<ChannelRateLimiter, 'allowed' | 'shutBy'>
  readonly mailers: Pick<Mailers, 'perRegion'>
  readonly settings: { readonly regions: readonly string[] }
}

const applying = (status: AccessRequestStatus): 'apply' | 'applyAgain' | undefined =>
  (['apply', 'applyAgain'] as const).find((one) => canMoveAccessRequest(status, one))

const appliedAlready = (status: AccessRequestStatus) => `The production access is ${status} already.`

const increasePending = 'A limit increase is pending already.'

const serverSendsNothing = 'This server sends nothing now; what it accepts waits.'

/** The project's side (spec, "Production access"). */
export const productionAccessUseCases = ({ repositories, rateLimiter, mailers, clock, newId, settings }: Deps) => {
  const { projects, domains, accessRequests, senderIdentities } = repositories

  const projectOf = (projectId: string): Promise<Project> => getOrNotFound(projects, { _id: projectId })

  const regionsOf = async ({ _id: projectId, status, cloudConfig }: Project): Promise<readonly string[]> => {
    if (status !== 'byoCloudSes') return settings.regions
    const senders = [
      ...(cloudConfig?.senderIdentities ?? []),
      ...(await collected(senderIdentities.each({ projectId }))),
    ]
    return [...new Set([cloudConfig?.region, ...senders.map(({ region }) => region)])].flatMap((one) => one ?? [])
  }

  const ratesOf = async (project: Project) =>
    Promise.all(
      (await regionsOf(project)).map(async (region) => {
        const channel = channelOfProject(project, region, mailers)
        const ratePerSecond = project.restricted ? 0 : await rateLimiter.allowed(channel, project)
        const isShut = !project.restricted && ratePerSecond === 0
        // Problems of the server's own account are for its operator only.
        const reason =
          isShut && (channel.account === 'project' ? await rateLimiter.shutBy(channel) : serverSendsNothing)
        return { region, ratePerSecond: ratePerSecond ?? reportedUnlimitedRate, ...(reason && { reason }) }
      }),
    )

  const status = async ({ projectId }: Scope): Promise<ProductionAccess> => {
    const [project, request, owned] = await Promise.all([
      projectOf(projectId),
      accessRequests.get({ projectId }),
      collected(domains.each({ projectId })),
    ])
    const { monthlyLimit, restricted, restrictedReason } = project
    return ProductionAccess.parse({
      requestStatus: request?.status ?? 'none',
      ...(request?.answer !== undefined && { answer: request.answer }),
      ...overallDomainStatus(owned),
      monthlyLimit,
      sendingRates: await ratesOf(project),
      limitIncreases: request?.limitIncreases ?? [],
      restricted,
      restrictedReason,
    })
  }

  const mayApply =
    (project: Project, status: AccessRequestStatus): InputRule<z.output<typeof AccessApplication>> =>
    async () => {
      if (project.status === 'byoCloudSes')
        return [wrongFieldViolation('', 'A project that sends through its own account needs no production access.')]
      const move = applying(status)
      if (!move) return [wrongFieldViolation('', appliedAlready(status))]
      const owned = await collected(domains.each({ projectId: project._id }))
      if (owned.some(move === 'apply' ? hasSpfMxAndDkim : hasDkim)) return []
      const records = move === 'apply' ? 'SPF, MX and DKIM' : 'DKIM'
      return [
        wrongFieldViolation(
          '',
          `Production access needs a domain whose ${records} records are verified: add one and check it first.`,
        ),
      ]
    }

  return {
    status,

    /**
     * @throws Refusal `invalid`, also while a request is pending or approved, and without the required verified
     * domain
     */
    apply: async ({ projectId }: Scope, input: AccessApplication): Promise<AccessApplicationReceipt> => {
      const before = await accessRequests.get({ projectId })
      const rule = mayApply(await projectOf(projectId), before?.status ?? 'none')
      const application = await parsedBy(AccessApplication, input, rule)
      const updatedAt = clock().toISOString()
      const applied = (request: AccessRequest): AccessRequest => {
        const move = applying(request.status)
        if (!move) throw invalid(appliedAlready(request.status))
        return {
          ...without(request, 'answer'),
          application,
          status: accessRequestStatusAfter(request.status, move),
          updatedAt,
        }
      }
      if (before) return AccessApplicationReceipt.parse(await accessRequests.change({ _id: before._id }, applied))
      const request: AccessRequest = {
        _id: newId(),
        projectId,
        status: accessRequestStatusAfter('none', 'apply'),
        application,
        limitIncreases: [],
        ...stamps(updatedAt),
      }
      await accessRequests.add(request).catch(refuseIfKeyTaken(() => invalid(appliedAlready('pending'))))
      return AccessApplicationReceipt.parse(request)
    },

    /**
     * 0 (no limit) also waits for the review.
     * @throws Refusal `invalid`, also outside production, while one is pending, and for no more than the current limit
     */
    requestLimitIncrease: async (scope: Scope, input: LimitIncreaseFields): Promise<ProductionAccess> => {
      const { projectId } = scope
      const project = await projectOf(projectId)
      const request = await accessRequests.get({ projectId })
      const mayAsk: InputRule<z.output<typeof LimitIncreaseFields>> = ({ monthlyLimit: wanted = 0 }) => [
        ...(wanted === 0 || wanted > project.monthlyLimit
          ? []
          : [wrongFieldViolation('monthlyLimit', `expected more than the current ${project.monthlyLimit}, or 0`)]),
        ...(project.status === 'production'
          ? []
          : [wrongFieldViolation('', 'Limit increases are for projects in production.')]),
        ...(request ? [] : [wrongFieldViolation('', 'There is no production-access request yet.')]),
        ...(pendingLimitIncrease(request?.limitIncreases ?? []) ? [wrongFieldViolation('', increasePending)] : []),
      ]
      const { monthlyLimit, reason } = await parsedBy(LimitIncreaseFields, input, mayAsk)
      const createdAt = clock().toISOString()
      await accessRequests.change({ projectId }, (current) => {
        if (pendingLimitIncrease(current.limitIncreases)) throw invalid(increasePending)
        const increase = { requestedLimit: monthlyLimit, reason, status: 'pending' as const, createdAt }
        return { ...current, limitIncreases: [...current.limitIncreases, increase], updatedAt: createdAt }
      })
      return status(scope)
    },
  }
}
