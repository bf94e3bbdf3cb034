import { createHash } from 'node:crypto'
import type { DomainIdentities, DomainIdentityReference } from '@posthorn/core/ports/transport'

export type RelayIdentitiesOptions = {
  /**
   * The relay's operator publishes below it: DKIM keys at `<selector>.dkim.<relayDomain>` (a wildcard works),
   * `feedback-smtp.<region>.<relayDomain>` for bounces, and its SPF record.
   */
  readonly relayDomain: string
}

const selectors = [1, 2, 3]

const selectorOf = ({ domain, region, projectId }: DomainIdentityReference, n: number) =>
  createHash('sha256').update([projectId, domain, region, n].join('\n')).digest('hex').slice(0, 32)

/**
 * DNS records shaped like those of Amazon SES. Selectors are specific to a project and never change: an existing record proves that the
 * domain's owner means this project.
 */
export const relayIdentities = ({ relayDomain }: RelayIdentitiesOptions): DomainIdentities => ({
  perProject: true,
  create: async (identity) => {
    const name = `posthorn-${identity.projectId}`
    return {
      dkim: selectors.map((n) => {
        const selector = selectorOf(identity, n)
        return { selector, target: `${selector}.dkim.${relayDomain}` }
      }),
      bounceHost: `feedback-smtp.${identity.region}.${relayDomain}`,
      spf: `v=spf1 include:${relayDomain} ~all`,
      tenant: { name, configurationSet: name },
    }
  },
  verified: async () => true,
  remove: async () => undefined,
})
