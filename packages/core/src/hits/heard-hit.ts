import type { TrackedMail } from '../tokens/tracking-token.js'
import type { Hit } from '../tracking/machines.js'
import type { NotedHit } from './noted-hit.js'
import type { FollowedLink } from './tracked-links.js'

/** The parts of a request for an image or link of a mail. */
export type Requested = {
  readonly method: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Sent to webhooks and not stored. */
  readonly ipAddress?: string | undefined
}

const read = ['user-agent', 'purpose', 'sec-purpose', 'x-purpose', 'x-moz'] as const
const longestHeader = 512

const headerOf = ({ headers }: Requested, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value.slice(0, longestHeader) : undefined
}

const kindOf = (followed: FollowedLink | undefined): Hit['kind'] =>
  followed === undefined ? 'open' : followed.target === undefined ? 'trap' : 'click'

type Heard = {
  readonly asked: { readonly mail: TrackedMail } | FollowedLink
  readonly name: string
  readonly now: Date
}

/** Builds a hit from a request, with only the fields that are judged or published. */
export const heardHit = ({ asked, name, now }: Heard, request: Requested): NotedHit => {
  const followed = 'link' in asked ? asked : undefined
  const headers = Object.fromEntries(
    read.flatMap((header) => {
      const value = headerOf(request, header)
      return value === undefined ? [] : [[header, value]]
    }),
  )
  const hit: Hit = {
    kind: kindOf(followed),
    method: request.method,
    at: now.toISOString(),
    ...(followed && { link: followed.link }),
    headers,
  }
  return {
    mail: asked.mail,
    hit,
    name,
    followed,
    referer: headerOf(request, 'referer'),
    ipAddress: request.ipAddress,
    at: now.getTime(),
  }
}
