import { collected } from '../kernel/listing.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Project } from '../projects/project.js'
import type { Domain } from './domain.js'
import { hasDkim } from './domain-status.js'

/** `a.b.example.com` lies below `b.example.com` and `example.com`. */
const parentsOf = (domain: string): readonly string[] => {
  const labels = domain.split('.')
  return labels.slice(1, -1).map((_, n) => labels.slice(n + 1).join('.'))
}

/**
 * Whether the domain must be treated as another account's: that account has verified it or a parent domain; or has merely added it (anyone
 * can) while this project has not proved ownership. DNS records settle both cases: adding a domain does not lock out its owner, and no
 * other account can send from a domain that its owner has added.
 */
export const claimedByOthers =
  ({ domains, projects }: RepositoriesFor<{ domains: Domain; projects: Project }>) =>
  async (projectId: string, domain: string): Promise<boolean> => {
    const known = await collected(domains.each({ domain: [domain, ...parentsOf(domain)] }))
    if (known.some((one) => one.projectId === projectId && hasDkim(one))) return false
    const claims = known.filter((one) => one.domain === domain || hasDkim(one))
    const claimants = [...new Set(claims.map((one) => one.projectId))].filter((_id) => _id !== projectId)
    if (claimants.length === 0) return false
    const project = await projects.get({ _id: projectId })
    for await (const { accountId } of projects.each({ _id: claimants }))
      if (accountId !== project?.accountId) return true
    return false
  }
