import { z } from 'zod'
import type { TrackedMailIds } from '../tokens/tracking-token.js'
import type { Hit } from './classification.js'
import type { HitJournalEntry } from './hit-ports.js'
import type { FollowedLink } from './links.js'

const KeptHit = z.object({
  mail: z.object({ table: z.string(), dispatchId: z.string(), contactId: z.string().optional() }),
  hit: z.object({
    kind: z.enum(['open', 'click', 'trap']),
    method: z.string(),
    at: z.iso.datetime(),
    link: z.number().optional(),
    headers: z.record(z.string(), z.string()),
  }),
  followed: z
    .object({ target: z.string().optional(), block: z.object({ position: z.string(), name: z.string() }).optional() })
    .optional(),
  referer: z.string().optional(),
})

export type PendingHit = z.output<typeof KeptHit> & {
  /** Idempotency key. */
  readonly name: string
  /** Never stored. */
  readonly ipAddress?: string | undefined
  readonly at: number
}

/** Without the IP address. */
export const journalEntryOfHit = ({ name, mail, hit, followed, referer }: PendingHit): HitJournalEntry => ({
  name,
  text: JSON.stringify({ mail, hit, followed, referer }),
})

/** Undefined if this program did not write it. */
export const pendingHitOf = ({ name, text }: HitJournalEntry): PendingHit | undefined => {
  try {
    const kept = KeptHit.parse(JSON.parse(text))
    return { ...kept, name, at: Date.parse(kept.hit.at) }
  } catch {
    return undefined
  }
}

export const trackedMailKey = ({ dispatchId, contactId = '' }: TrackedMailIds) => `${dispatchId}:${contactId}`

export type HitRequest = {
  readonly method: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** For webhooks; not stored. */
  readonly ipAddress?: string | undefined
}

const read = ['user-agent', 'purpose', 'sec-purpose', 'x-purpose', 'x-moz'] as const
const longestHeader = 512

const headerOf = ({ headers }: HitRequest, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value.slice(0, longestHeader) : undefined
}

const kindOf = (followed: FollowedLink | undefined): Hit['kind'] =>
  followed === undefined ? 'open' : followed.target === undefined ? 'trap' : 'click'

type Heard = {
  readonly asked: { readonly mail: TrackedMailIds } | FollowedLink
  readonly name: string
  readonly now: Date
}

/** Only fields that are judged or published. */
export const pendingHitOfRequest = ({ asked, name, now }: Heard, request: HitRequest): PendingHit => {
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
    followed: followed && { target: followed.target, block: followed.block },
    referer: headerOf(request, 'referer'),
    ipAddress: request.ipAddress,
    at: now.getTime(),
  }
}
