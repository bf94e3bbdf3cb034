import type { Domain } from '../domains/domain.js'
import { hasDkim } from '../domains/domain-status.js'
import { type Figures, subjectOf } from '../figures/figure.js'
import { foundIn } from '../kernel/found.js'
import { collected } from '../kernel/listing.js'
import type { Clock, Counters } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { AccessRequest } from '../production-access/access-request.js'
import type { Project } from '../projects/project.js'
import { monthKey, sandboxDayKey } from '../sending/acceptance/quota.js'
import type { RestrictionThresholds } from '../sending/restriction/restriction.js'
import { longestWindow, sendingWindows, windowBegin } from '../sending/restriction/windows.js'
import { ProductionDeliverability, SandboxDeliverability, worstRate } from './deliverability.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ projects: Project; domains: Domain; accessRequests: AccessRequest }>
  readonly figures: Pick<Figures, 'totals'>
  readonly counters: Pick<Counters, 'used'>
  readonly clock: Clock
  readonly settings: { readonly restriction: RestrictionThresholds }
}

/** Spec, "Deliverability reports". Both can be read in every project status. */
export const reportUseCases = ({ repositories, figures, counters, clock, settings: { restriction } }: Deps) => {
  const { projects, domains, accessRequests } = repositories
  const windowsOf = sendingWindows({ figures, clock })

  const ofDomain = async ({ projectId, domain, region }: Domain) => {
    const from = windowBegin(clock(), longestWindow)
    const { sent, bounces, complaints } = await figures.totals(subjectOf.domain(projectId, domain, region), { from })
    return { domain, region, sent: sent ?? 0, bounces: bounces ?? 0, complaints: complaints ?? 0 }
  }

  return {
    /** How close a sandbox project is to its daily cap and to a restriction. */
    sandbox: async ({ projectId }: Scope): Promise<SandboxDeliverability> => {
      const [windows, sentCount, request] = await Promise.all([
        windowsOf(projectId),
        counters.used(sandboxDayKey(projectId, clock())),
        accessRequests.get({ projectId }),
      ])
      return SandboxDeliverability.parse({
        sentCount,
        productionAccessReqStatus: request?.status ?? 'none',
        bounce: worstRate(windows, 'bounces', restriction),
        complaint: worstRate(windows, 'complaints', restriction),
      })
    },

    /** How close a production project is to its monthly limit and to a restriction, with figures by domain. */
    production: async ({ projectId }: Scope): Promise<ProductionDeliverability> => {
      const [project, windows, sent, owned] = await Promise.all([
        foundIn(projects, { _id: projectId }),
        windowsOf(projectId),
        counters.used(monthKey(projectId, clock())),
        collected(domains.each({ projectId })),
      ])
      return ProductionDeliverability.parse({
        bounce: worstRate(windows, 'bounces', restriction),
        complaint: worstRate(windows, 'complaints', restriction),
        domains: await Promise.all(owned.filter(hasDkim).map(ofDomain)),
        monthly: { sent, limit: project.monthlyLimit },
      })
    },
  }
}
