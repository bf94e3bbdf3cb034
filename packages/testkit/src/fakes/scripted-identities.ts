import { createHash } from 'node:crypto'
import type { DomainIdentities } from '@posthorn/core/ports/transport'

type Place = { readonly domain: string; readonly region: string }

/** Verifies each domain unless withheld. Stores a domain once per region, like Amazon SES, unless `perProject`. */
export const scriptedDomainIdentities = ({ perProject = false } = {}) => {
  const known = new Map<string, Set<string>>()
  const waiting = new Set<string>()
  let failure: Error | undefined
  const keyOf = ({ domain, region }: Place) => `${domain} in ${region}`
  const token = (place: Place, projectId: string, n: number) =>
    createHash('sha256')
      .update(`${keyOf(place)} ${perProject ? projectId : ''} ${n}`)
      .digest('hex')
      .slice(0, 32)
  const reached = () => {
    if (failure) throw failure
  }
  const identities: DomainIdentities = {
    perProject,
    create: async ({ projectId, ...place }) => {
      reached()
      const key = keyOf(place)
      known.set(key, (known.get(key) ?? new Set()).add(projectId))
      return {
        dkim: [1, 2, 3].map((n) => ({
          selector: token(place, projectId, n),
          target: `${token(place, projectId, n)}.dkim.provider.example`,
        })),
        bounceHost: `feedback.${place.region}.provider.example`,
        spf: 'v=spf1 include:provider.example ~all',
        tenant: { name: `tenant-${projectId}`, configurationSet: `set-${projectId}` },
      }
    },
    verified: async (place) => {
      reached()
      return known.has(keyOf(place)) && !waiting.has(keyOf(place))
    },
    remove: async ({ projectId, shared, ...place }) => {
      reached()
      known.get(keyOf(place))?.delete(projectId)
      if (!shared) known.delete(keyOf(place))
    },
  }
  return {
    ...identities,
    /** The provider's identities: `example.com in eu-west-1`. */
    known: (): readonly string[] => [...known.keys()],
    /** Leaves the domain unverified from now on. */
    withhold: (place: Place): void => {
      waiting.add(keyOf(place))
    },
    /** Verifies the domain again from now on. */
    confirm: (place: Place): void => {
      waiting.delete(keyOf(place))
    },
    /** Makes every call fail until it gets undefined. */
    failWith: (error: Error | undefined): void => {
      failure = error
    },
  }
}
