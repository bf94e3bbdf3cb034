import type { Domain } from '../api/types.js'
import { type Say, useText } from '../text/text.js'
import { Badge } from '../ui/states.js'
import { graceOf, stateOf } from './domain-state.js'
import { useOverview } from './sending-queries.js'

const hour = 60 * 60_000

/** In words, for files. */
export const domainText = (say: Say, domain: Domain): string => {
  const now = Date.now()
  const state = stateOf(domain, now)
  if (state === 'verified') return say('domainVerified')
  if (state === 'unchecked') return say('domainUnchecked')
  if (state !== 'ending') return say('domainUnverified')
  return say('hoursLeft', { hours: Math.floor((Date.parse(graceOf(domain, now)?.until ?? '') - now) / hour) })
}

export const DomainBadge = ({ domain }: { readonly domain: Domain }) => {
  const { say } = useText()
  const { senderDomains = 'verified' } = useOverview().data ?? {}
  const now = Date.now()
  const state = stateOf(domain, now)
  // Where the relay or the project's own account decides, no mail stops.
  switch (state === 'ending' && senderDomains !== 'verified' ? 'unverified' : state) {
    case 'verified':
      return (
        <Badge tone="good" icon="check">
          {say('domainVerified')}
        </Badge>
      )
    case 'ending': {
      const left = Date.parse(graceOf(domain, now)?.until ?? '') - now
      return (
        <Badge tone="badly" icon="clock">
          {say('hoursLeft', { hours: Math.floor(left / hour) })}
        </Badge>
      )
    }
    case 'unchecked':
      return (
        <Badge tone="plain" icon="clock">
          {say('domainUnchecked')}
        </Badge>
      )
    default:
      return (
        <Badge tone="warning" icon="warning">
          {say('domainUnverified')}
        </Badge>
      )
  }
}
