import { domainOf } from '../kernel/email-address.js'
import { hostName } from '../kernel/host-name.js'
import { collected, countRecords, type ListQuery, listAll } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Runtime, Secrets } from '../kernel/ports.js'
import { type ProjectLimits, projectRecordLimit, refuseIfLimitReached } from '../kernel/project-limits.js'
import { projectResource, updated } from '../kernel/project-resource.js'
import { blocked, invalid, notFound, Refusal } from '../kernel/refusal.js'
import {
  getOrNotFound,
  KeyTaken,
  type Page,
  RecordLimitReached,
  type RepositoriesFor,
  type Repository,
  refuseIfKeyTaken,
} from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import type { Project } from '../projects/project.js'
import { type DnsRow, dnsRows, localhostWarning, requiredDnsOf, withTrackingDnsRecord } from './dns-records.js'
import {
  type Domain,
  DomainChanges,
  DomainFields,
  DomainShape,
  type DomainView,
  hasDkim,
  type Regions,
  regionSchemaOf,
} from './domain.js'
import { domainAfterCheck, domainDnsLookup, domainLossWarning } from './domain-check.js'
import { type CompetingDomainClaims, domainClaims, withOwnershipDnsRecord } from './ownership.js'
import type { DnsLookup, DomainIdentities } from './ports.js'
import { type DnsLookupResults, initialObservedDns } from './verification.js'

export type DomainSender = {
  readonly _id: string
  readonly projectId: string
  readonly email: string
  readonly name: string
  readonly region: string
}

export type DomainSenderRepository = Pick<Repository<DomainSender>, 'each' | 'remove'>

type ReleasedDomain = Pick<Domain, 'projectId' | 'domain' | 'region'>

/**
 * Settles a dispute: removes a domain and its sender identities from one or all projects. Repeating an interrupted call
 * completes it.
 * @throws Refusal `not-found` if no project has it, `unavailable` if the provider does not remove it
 */
const domainRelease =
  ({
    repositories: { domains, senderIdentities },
    identities,
    log,
  }: Pick<Deps, 'repositories' | 'identities' | 'log'>) =>
  async (name: string, projectId?: string): Promise<readonly ReleasedDomain[]> => {
    const domain = hostName(name.trim())
    if (domain === undefined) throw invalid('domain: expected a domain name such as example.com')
    const found = await collected(domains.each({ domain, ...(projectId !== undefined && { projectId }) }))
    if (found.length === 0) throw notFound('Domain')
    const released: ReleasedDomain[] = []
    for (const { _id, region, projectId: holder } of found) {
      const held = await collected(domains.each({ domain, region }))
      const shared = held.some((one) => one._id !== _id)
      await identities.remove({ domain, region, projectId: holder, shared })
      for (const sender of await collected(senderIdentities.each({ projectId: holder, region })))
        if (domainOf(sender.email) === domain) await senderIdentities.remove({ _id: sender._id })
      await domains.remove({ _id })
      log('warn', 'A domain was released', { domain, region, projectId: holder })
      released.push({ projectId: holder, domain, region })
    }
    return released
  }

type Deps = Pick<Runtime, 'clock' | 'newId' | 'log'> & {
  readonly repositories: RepositoriesFor<{ domains: Domain; projects: Project }> & {
    readonly senderIdentities: DomainSenderRepository
  }
  /** @throws KeyTaken if the project has that address in that region */
  readonly addSenderIdentity: (
    projectId: string,
    sender: Pick<DomainSender, 'email' | 'name' | 'region'>,
  ) => Promise<unknown>
  readonly dns: DnsLookup
  readonly identities: DomainIdentities
  readonly secrets: Pick<Secrets, 'sign'>
  readonly settings: {
    readonly regions: readonly string[]
    readonly publicUrl: string
    readonly limits: Pick<ProjectLimits, 'domains'>
  }
}

/** @throws Refusal `invalid` for a tracking domain that is not below the domain */
const assertBelow = (domain: string, trackingDomain: string | undefined): void => {
  if (trackingDomain !== undefined && !trackingDomain.endsWith(`.${domain}`))
    throw invalid(`trackingDomain: expected a name below ${domain}, such as links.${domain}`)
}

type Named = Pick<Domain, '_id' | 'projectId' | 'domain' | 'region'>

const taken = ({ domain, region }: Named) =>
  invalid(`domain: ${domain} is a domain of this project in ${region} already`)

/** Spec, "Domain" and "Domain verification". */
export const domainUseCases = (deps: Deps) => {
  const { repositories, identities, clock, newId, log, settings } = deps
  const { domains, projects, senderIdentities } = repositories
  const resource = projectResource(domains, DomainShape)
  const fields = DomainFields.extend({ region: regionSchemaOf(settings.regions) })
  const lookUp = domainDnsLookup(deps)
  const claims = domainClaims(deps)
  const room = (projectId: string) => projectRecordLimit<Domain>(projectId, settings.limits.domains)

  /** @throws Refusal `blocked` if the project uses its own cloud account, `not-found` */
  const managing = async (projectId: string): Promise<Project> => {
    const project = await getOrNotFound(projects, { _id: projectId })
    if (project.status === 'byoCloudSes')
      throw blocked('A project that sends through its own cloud account has its domains there.')
    return project
  }

  const namesakes = async ({ _id, domain, region }: Named) =>
    (await collected(domains.each({ domain, region }))).filter((one) => one._id !== _id)

  const claimsOn = async (domain: Named, accountId: string): Promise<CompetingDomainClaims | undefined> =>
    identities.perProject ? undefined : claims.of(domain, accountId)

  /** A project that already has the address keeps its own. */
  const addNoReply = async ({ _id, projectId, domain, region }: Domain) => {
    await deps
      .addSenderIdentity(projectId, { email: `no-reply@${domain}`, name: '', region })
      .catch((error: unknown) => {
        // A project at its limit of senders can still check its domains.
        if (!(error instanceof KeyTaken || error instanceof Refusal)) throw error
      })
    const now = clock().toISOString()
    await domains.change({ _id }, (current) => (current.verifiedAt ? current : { ...current, verifiedAt: now }))
  }

  /** If DNS names this project's account, other accounts that DNS does not name lose the domain. */
  const takeFromRivals = async (
    domain: Domain,
    claimed: CompetingDomainClaims,
    { ownership: texts = [] }: DnsLookupResults,
    now: string,
  ) => {
    if (!texts.includes((domain.requiredDns.ownership ?? claimed.own).value)) return
    for (const one of await claims.takeFromRivals(claimed, texts, now))
      log('warn', 'DNS names another account as the owner of a domain', {
        domain: one.domain,
        region: one.region,
        projectId: one.projectId,
        owner: domain.projectId,
      })
  }

  const shown = (domain: Domain | undefined): DomainView => {
    const found = domain && [
      localhostWarning(domain, settings.publicUrl),
      domainLossWarning(domain, clock().toISOString()),
    ]
    const warnings = found?.filter((warning) => warning !== undefined) ?? []
    return { ...resource.show(domain), ...(warnings.length > 0 && { warnings }) }
  }

  /** Call before creating anything at the provider. @throws Refusal `invalid` */
  const assertRoom = async (projectId: string): Promise<void> => {
    const { limit, where } = room(projectId)
    if ((await countRecords(domains, where)) >= limit)
      refuseIfLimitReached('domains')(new RecordLimitReached('domains', limit))
  }

  return {
    regions: async (_scope: Scope): Promise<Regions> => ({ regions: [...settings.regions] }),

    /** Only `filter` has an effect. @throws Refusal `invalid` */
    list: async ({ projectId }: Scope, { filter }: Pick<ListQuery, 'filter'> = {}): Promise<Page<DomainView>> => {
      const { items, count } = await listAll(domains, { projectId }, DomainShape, filter)
      return { items: items.map(shown), count }
    },

    /** @throws Refusal `invalid`, `blocked` for byoCloudSes */
    create: async ({ projectId }: Scope, input: DomainFields): Promise<DomainView> => {
      const { domain, region, trackingDomain } = parsed(fields, input)
      assertBelow(domain, trackingDomain)
      const { accountId } = await managing(projectId)
      const asked = { _id: newId(), projectId, domain, region }
      if ((await namesakes(asked)).some((one) => one.projectId === projectId)) throw taken(asked)
      await assertRoom(projectId)
      const { tenant, ...identity } = await identities.create({ domain, region, projectId })
      const requiredDns = withTrackingDnsRecord(requiredDnsOf(domain, identity), trackingDomain, settings.publicUrl)
      const bare: Domain = {
        ...asked,
        tenant,
        ...(trackingDomain !== undefined && { trackingDomain }),
        requiredDns,
        observed: initialObservedDns,
        ...stamps(clock().toISOString()),
      }
      const claimed = await claimsOn(asked, accountId)
      if (claimed) await claims.contest(claimed)
      const record = claimed ? await claims.contested(bare, claimed) : bare
      await domains
        .add(record, room(projectId))
        .catch(refuseIfLimitReached('domains'))
        .catch(refuseIfKeyTaken(() => taken(record)))
      // Two accounts may add the domain at once: the later one sees the other now.
      const after = await claimsOn(asked, accountId)
      if (!after || after.rivals.length === (claimed?.rivals.length ?? 0)) return shown(record)
      await claims.contest(after)
      return shown(await domains.change({ _id: record._id }, (current) => withOwnershipDnsRecord(current, after.own)))
    },

    /**
     * Links use the tracking domain once a check has found its record.
     * @throws Refusal `invalid`, `not-found`, `blocked` for byoCloudSes
     */
    update: async (scope: Scope, id: string, input: DomainChanges): Promise<DomainView> => {
      const { trackingDomain } = parsed(DomainChanges, input)
      const stored = await resource.stored(scope, id)
      await managing(stored.projectId)
      assertBelow(stored.domain, trackingDomain ?? undefined)
      const now = clock().toISOString()
      return shown(
        await domains.change(resource.whereIs(scope, id), ({ trackingDomain: before, ...current }) => {
          const { tracking, ...observed } = current.observed
          const next = trackingDomain === undefined ? before : (trackingDomain ?? undefined)
          return updated(
            {
              ...current,
              ...(next !== undefined && { trackingDomain: next }),
              requiredDns: withTrackingDnsRecord(current.requiredDns, next, settings.publicUrl),
              observed: { ...observed, ...(tracking && next === before && { tracking }) },
            },
            {},
            now,
          )
        }),
      )
    },

    /** @throws Refusal `not-found` */
    get: async (scope: Scope, id: string): Promise<DomainView> => shown(await resource.stored(scope, id)),

    /** @throws Refusal `not-found`, `blocked` for byoCloudSes and while a sender identity uses it */
    remove: async (scope: Scope, id: string): Promise<{ _id: string }> => {
      const found = await resource.stored(scope, id)
      const { _id, projectId, domain, region } = found
      await managing(projectId)
      for await (const { email } of senderIdentities.each({ projectId, region }))
        if (domainOf(email) === domain) throw blocked(`The domain is in use by the sender identity ${email}.`)
      const shared = (await namesakes(found)).length > 0
      await identities.remove({ domain, region, projectId, shared })
      await resource.remove(scope, id)
      return { _id }
    },

    /**
     * Failed queries keep their last result. The first success adds the sender no-reply@<domain>, once.
     * @throws Refusal `not-found`, `blocked` for byoCloudSes
     */
    check: async (scope: Scope, id: string): Promise<DomainView> => {
      const domain = await resource.stored(scope, id)
      const { accountId } = await managing(domain.projectId)
      const claimed = await claimsOn(domain, accountId)
      if (claimed) await claims.contest(claimed)
      const answers = await lookUp(domain, (claimed?.rivals.length ?? 0) > 0)
      const now = clock().toISOString()
      const checked = await domains.change(resource.whereIs(scope, id), (current) =>
        domainAfterCheck(current, answers, claimed, now),
      )
      if (claimed && checked) await takeFromRivals(checked, claimed, answers, now)
      if (checked && hasDkim(checked) && !checked.verifiedAt) await addNoReply(checked)
      const warning = checked && domainLossWarning(checked, now)
      if (warning) log('warn', warning, { projectId: domain.projectId, domain: domain.domain })
      return shown(checked)
    },

    release: domainRelease(deps),

    /** @throws Refusal `invalid` if the project does not have the domain */
    dnsExport: async (
      scope: Scope,
      id: string,
    ): Promise<{ readonly filename: string; readonly rows: readonly DnsRow[] }> => {
      const found = await domains.get(resource.whereIs(scope, id))
      // The spec has this endpoint return 400 where all others return 404.
      if (!found) throw invalid('Domain not found')
      return { filename: `${found.domain}-dns.csv`, rows: dnsRows(found.requiredDns) }
    },
  }
}
