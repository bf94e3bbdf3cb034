import { z } from 'zod'
import type { TrackedMail } from '../tokens/tracking-token.js'
import type { Hit } from '../tracking/machines.js'
import type { JournalEntry } from './hit-journal.js'
import type { FollowedLink } from './tracked-links.js'

/** An answered request for a mail's image or link. */
export type NotedHit = {
  readonly mail: TrackedMail
  readonly hit: Hit
  /** Idempotency key for recording the hit again. */
  readonly name: string
  readonly followed: Pick<FollowedLink, 'target' | 'block'> | undefined
  readonly referer?: string | undefined
  /** Only for hits that this process received; never stored. */
  readonly ipAddress?: string | undefined
  /** Epoch milliseconds. */
  readonly at: number
}

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
    .object({
      target: z.string().optional(),
      block: z.object({ position: z.string(), name: z.string() }).optional(),
    })
    .optional(),
  referer: z.string().optional(),
})

/** The journal entry of a hit, without its IP address. */
export const journalEntryOf = ({ name, mail, hit, followed, referer }: NotedHit): JournalEntry => {
  const link = followed && { target: followed.target, block: followed.block }
  return { name, text: JSON.stringify({ mail, hit, followed: link, referer }) }
}

/** Parses a journal entry; undefined if this program did not write it. */
export const notedHitOf = ({ name, text }: JournalEntry): NotedHit | undefined => {
  try {
    const { mail, hit, followed, referer } = KeptHit.parse(JSON.parse(text))
    const { contactId, ...others } = mail
    const { link, ...rest } = hit
    return {
      mail: { ...others, ...(contactId !== undefined && { contactId }) },
      hit: { ...rest, ...(link !== undefined && { link }) },
      name,
      followed: followed && {
        ...(followed.target !== undefined && { target: followed.target }),
        block: followed.block,
      },
      referer,
      at: Date.parse(hit.at),
    }
  } catch {
    return undefined
  }
}

/** The key of a mail in maps. */
export const mailName = ({ dispatchId, contactId = '' }: TrackedMail) => `${dispatchId}:${contactId}`
