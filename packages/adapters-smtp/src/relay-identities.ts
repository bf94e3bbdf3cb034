import { createHash } from 'node:crypto'
import type { Identities, IdentityOf } from '@posthorn/core/ports'

export type RelayIdentitiesOptions = {
  /**
   * The name below which the relay's operator publishes what customers' records lead to: DKIM keys at
   * `<selector>.dkim.<relayDomain>` (a wildcard will do), `feedback-smtp.<region>.<relayDomain>` for bounces, and its SPF record.
   */
  readonly relayDomain: string
}

const selectors = [1, 2, 3]

const selectorOf = ({ domain, region, projectId }: IdentityOf, n: number) =>
  createHash('sha256').update([projectId, domain, region, n].join('\n')).digest('hex').slice(0, 32)

/**
 * Domains where mail goes by a relay that keeps no identities: records shaped like those of Amazon SES, but below a name of
 * the operator's own. The selectors are a project's own and stay the same, so a record in place shows that the domain's owner
 * means this project; there is nobody else to confirm it.
 */
export const relayIdentities = ({ relayDomain }: RelayIdentitiesOptions): Identities => ({
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
