import type { z } from 'zod'
import { domainOf } from '../kernel/email-address.js'
import { foundIn } from '../kernel/found.js'
import { collected, type ListQueryFields, listAll } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, Log, NewId } from '../kernel/ports.js'
import { projectResource, updated } from '../kernel/project-resource.js'
import { blocked, invalid } from '../kernel/refusal.js'
import { ifKeyTaken, type Page, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import type { Project } from '../projects/project.js'
import { type DnsRow, dnsRows, requiredDnsOf, withTrackingRecord } from './dns-records.js'
import { type Domain, DomainChanges, DomainFields, DomainShape, type DomainView } from './domain.js'
import type { DomainSender, DomainSenders } from './domain-sender.js'
import { hasDkim } from './domain-status.js'
import { lookingUp } from './looking-up.js'
import { lossWarning, notedLoss } from './lost-domain.js'
import type { DnsLookup, Identities } from './ports.js'
import { type Regions, regionOf } from './regions.js'
import { domainRelease } from './releasing.js'
import { nothingObserved, observedIn } from './verification.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ domains: Domain; projects: Project }> & {
    readonly senderIdentities: DomainSenders
  }
  /** Adds a From address to the project. @throws KeyTaken where it has that address in that region */
  readonly addSenderIdentity: (
    projectId: string,
    sender: Pick<DomainSender, 'email' | 'name' | 'region'>,
  ) => Promise<unknown>
  readonly dns: DnsLookup
  readonly identities: Identities
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly settings: { readonly regions: readonly string[]; readonly publicUrl: string }
}

/** @throws Refusal `invalid` for a tracking domain that does not lie below the domain */
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
  const fields = DomainFields.extend({ region: regionOf(settings.regions) })
  const lookUp = lookingUp(deps)

  /** @throws Refusal `blocked` where the project sends through its own cloud account, `not-found` */
  const managing = async (projectId: string): Promise<Project> => {
    const project = await foundIn(projects, { _id: projectId })
    if (project.status === 'byoCloudSes')
      throw blocked('A project that sends through its own cloud account has its domains there.')
    return project
  }

  /** The same domain in other records: of other projects, but for the moment before a duplicate is refused. */
  const namesakes = async ({ _id, domain, region }: Named) =>
    (await collected(domains.each({ domain, region }))).filter((one) => one._id !== _id)

  /**
   * Where the DKIM records of a domain are the same for all, they do not tell which account's owner has added them: whoever
   * came second could send as whoever came first.
   * @throws Refusal `invalid` where the project has the domain already, or another account has it and its records
   */
  const refuseTaken = async (asked: Named, accountId: string) => {
    const holders = [...new Set((await namesakes(asked)).map(({ projectId }) => projectId))]
    if (holders.includes(asked.projectId)) throw taken(asked)
    if (identities.perProject) return
    for await (const holder of projects.each({ _id: holders }))
      if (holder.accountId !== accountId)
        throw invalid(`domain: ${asked.domain} belongs to another account in ${asked.region}`)
  }

  /** The From address that a first success brings; a project that has it already keeps its own. */
  const addNoReply = async ({ _id, projectId, domain, region }: Domain) => {
    await deps
      .addSenderIdentity(projectId, { email: `no-reply@${domain}`, name: '', region })
      .catch(ifKeyTaken(() => undefined))
    const now = clock().toISOString()
    await domains.change({ _id }, (current) => (current.verifiedAt ? current : { ...current, verifiedAt: now }))
  }

  const shown = (domain: Domain | undefined): DomainView => {
    const warning = domain && lossWarning(domain, clock().toISOString())
    return { ...resource.show(domain), ...(warning && { warnings: [warning] }) }
  }

  return {
    /** What a domain's and a sender's region may be. */
    regions: async (_scope: Scope): Promise<Regions> => ({ regions: [...settings.regions] }),

    /** All of them; `filter` alone has an effect. @throws Refusal `invalid` */
    list: async (
      { projectId }: Scope,
      { filter }: Pick<z.output<typeof ListQueryFields>, 'filter'> = {},
    ): Promise<Page<DomainView>> => {
      const { items, count } = await listAll(domains, { projectId }, DomainShape, filter)
      return { items: items.map(shown), count }
    },

    /** Adds the domain here and at the sending provider. @throws Refusal `invalid`, `blocked` for byoCloudSes */
    create: async ({ projectId }: Scope, input: DomainFields): Promise<DomainView> => {
      const { domain, region, trackingDomain } = parsed(fields, input)
      assertBelow(domain, trackingDomain)
      const { accountId } = await managing(projectId)
      const now = clock().toISOString()
      const asked = { _id: newId(), projectId, domain, region }
      await refuseTaken(asked, accountId)
      const { tenant, ...identity } = await identities.create({ domain, region, projectId })
      const requiredDns = withTrackingRecord(requiredDnsOf(domain, identity), trackingDomain, settings.publicUrl)
      const record: Domain = {
        ...asked,
        tenant,
        ...(trackingDomain !== undefined && { trackingDomain }),
        requiredDns,
        observed: nothingObserved,
        ...stamps(now),
      }
      await domains.add(record).catch(
        ifKeyTaken(() => {
          throw taken(record)
        }),
      )
      // Two accounts may have asked at once: both see the other now, and neither keeps it.
      await refuseTaken(record, accountId).catch(async (refusal) => {
        await domains.remove({ _id: record._id })
        throw refusal
      })
      return resource.show(record)
    },

    /**
     * Gives it another tracking domain, or takes it away: links lead by it once a check has found its record.
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
              requiredDns: withTrackingRecord(current.requiredDns, next, settings.publicUrl),
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

    /** Takes it from here and from the sending provider. @throws Refusal `not-found`, `blocked` for byoCloudSes and while a sender identity uses it */
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
     * Reads the records anew. What nobody could say stays as it was. The first success adds the sender no-reply@<domain>, once; that
     * DKIM was lost is told by a warning, and by the log.
     * @throws Refusal `not-found`, `blocked` for byoCloudSes
     */
    check: async (scope: Scope, id: string): Promise<DomainView> => {
      const domain = await resource.stored(scope, id)
      await managing(domain.projectId)
      const answers = await lookUp(domain)
      const now = clock().toISOString()
      const checked = await domains.change(resource.whereIs(scope, id), (current) =>
        notedLoss(
          updated(current, { observed: observedIn(current.requiredDns, answers, current.observed, now) }, now),
          now,
        ),
      )
      if (checked && hasDkim(checked) && !checked.verifiedAt) await addNoReply(checked)
      const warning = checked && lossWarning(checked, now)
      if (warning) log('warn', warning, { projectId: domain.projectId, domain: domain.domain })
      return shown(checked)
    },

    release: domainRelease(deps),

    /** The records to add, a row each. @throws Refusal `invalid` for a domain that the project does not have */
    dnsExport: async (
      scope: Scope,
      id: string,
    ): Promise<{ readonly filename: string; readonly rows: readonly DnsRow[] }> => {
      const found = await domains.get(resource.whereIs(scope, id))
      // The specification gives this endpoint a 400 where all others answer 404.
      if (!found) throw invalid('Domain not found')
      return { filename: `${found.domain}-dns.csv`, rows: dnsRows(found.requiredDns) }
    },
  }
}
