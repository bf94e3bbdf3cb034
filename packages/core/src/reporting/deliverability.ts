import { z } from 'zod'
import { type Domain, hasDkim } from '../domains/domain.js'
import { collected } from '../kernel/listing.js'
import type { Clock, Counters } from '../kernel/ports.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Count } from '../kernel/shapes.js'
import { instantDaysBefore } from '../kernel/zoned-time.js'
import { type AccessRequest, accessRequestStatuses } from '../production-access/access-request.js'
import type { Project } from '../projects/project.js'
import { monthCounterKey, sandboxDayKey } from '../sending/acceptance/quota.js'
import {
  longestSendingWindowDays,
  percentOf,
  type RestrictionThresholds,
  type SendingWindowFigures,
  sendingWindowFigures,
  sendingWindowLabel,
} from '../sending/restriction/restriction.js'
import { type Figures, figureSubject } from './figures/figure.js'

const DeliverabilityRate = z
  .object({
    rate: z.number().describe('Percent of the mails sent; 0 if none was sent'),
    pct: z.number().describe('The rate as a percentage of the threshold above which a project is restricted'),
  })
  .meta({ id: 'DeliverabilityRate', description: 'The worst rate over the last 7, 30 and 90 days' })

const WindowRate = DeliverabilityRate.extend({
  windowLabel: z
    .enum(['last 7 days', 'last 30 days', 'last 90 days'])
    .describe('The window with that rate; the shortest if several have it'),
}).meta({ id: 'DeliverabilityWindow', description: 'The worst rate over the last 7, 30 and 90 days, and its window' })

export const SandboxDeliverability = z
  .object({
    sentCount: Count.describe('Mails of this UTC day that count towards the sandbox’s daily limit'),
    productionAccessReqStatus: z.enum(accessRequestStatuses).describe('none: no request has been submitted'),
    bounce: DeliverabilityRate,
    complaint: DeliverabilityRate,
  })
  .meta({ id: 'SandboxDeliverability', description: 'Deliverability of a sandbox project' })
export type SandboxDeliverability = z.output<typeof SandboxDeliverability>

export const ProductionDeliverability = z
  .object({
    bounce: WindowRate,
    complaint: WindowRate,
    domains: z
      .array(
        z
          .object({
            domain: z.string().describe('In lower-case ASCII'),
            region: z.string().describe('Region it sends from'),
            sent: Count.describe('Mails sent'),
            bounces: Count.describe('Permanent bounces'),
            complaints: Count.describe('Spam complaints'),
          })
          .meta({ id: 'DomainDeliverability', description: 'Mails sent from a domain, with bounces and complaints' }),
      )
      .describe('The verified domains, with their numbers of the last 90 days'),
    monthly: z
      .object({
        sent: Count.describe('Mails of this UTC month that count towards the monthly limit'),
        limit: Count.describe('0 = unlimited'),
      })
      .describe('How much of the monthly limit is used'),
  })
  .meta({ id: 'ProductionDeliverability', description: 'Deliverability of a production project' })
export type ProductionDeliverability = z.output<typeof ProductionDeliverability>

type Kind = 'bounces' | 'complaints'

/** The worst rate over the windows, and how close it is to a restriction. */
export const worstRate = (
  windows: readonly SendingWindowFigures[],
  kind: Kind,
  { bounceRate, complaintRate }: RestrictionThresholds,
): z.output<typeof WindowRate> => {
  const threshold = { bounces: bounceRate, complaints: complaintRate }[kind]
  return windows
    .map((window) => {
      const rate = percentOf(window[kind], window.sent)
      return { rate, pct: (100 * rate) / threshold, windowLabel: sendingWindowLabel(window) }
    })
    .reduce((worst, one) => (one.rate > worst.rate ? one : worst))
}

type Deps = {
  readonly repositories: RepositoriesFor<{ projects: Project; domains: Domain; accessRequests: AccessRequest }>
  readonly figures: Pick<Figures, 'totals'>
  readonly counters: Pick<Counters, 'used'>
  readonly clock: Clock
  readonly settings: { readonly restriction: RestrictionThresholds }
}

/** Spec, "Deliverability reports"; readable in every project status. */
export const deliverabilityUseCases = ({ repositories, figures, counters, clock, settings: { restriction } }: Deps) => {
  const { projects, domains, accessRequests } = repositories
  const windowsOf = sendingWindowFigures({ figures, clock })

  const ofDomain = async ({ projectId, domain, region }: Domain) => {
    const from = instantDaysBefore(clock(), longestSendingWindowDays)
    const { sent, bounces, complaints } = await figures.totals(figureSubject.domain(projectId, domain, region), {
      from,
    })
    return { domain, region, sent: sent ?? 0, bounces: bounces ?? 0, complaints: complaints ?? 0 }
  }

  return {
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

    /** With figures by domain. */
    production: async ({ projectId }: Scope): Promise<ProductionDeliverability> => {
      const [project, windows, sent, owned] = await Promise.all([
        getOrNotFound(projects, { _id: projectId }),
        windowsOf(projectId),
        counters.used(monthCounterKey(projectId, clock())),
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
