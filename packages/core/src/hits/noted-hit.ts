import { z } from 'zod'
import type { TrackedMail } from '../tokens/tracking-token.js'
import type { Hit } from '../tracking/machines.js'
import type { JournalEntry } from './hit-journal.js'
import type { FollowedLink } from './tracked-links.js'

/** A request for a mail's image or link that was answered. */
export type NotedHit = {
  readonly mail: TrackedMail
  readonly hit: Hit
  /** Says that it is the same, where it has to be recorded again. */
  readonly name: string
  readonly followed: Pick<FollowedLink, 'target' | 'block'> | undefined
  readonly referer?: string | undefined
  /** Of one that this process heard: it is kept nowhere. */
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

/** The hit as a journal keeps it: without the address that it came from. */
export const journalEntryOf = ({ name, mail, hit, followed, referer }: NotedHit): JournalEntry => {
  const link = followed && { target: followed.target, block: followed.block }
  return { name, text: JSON.stringify({ mail, hit, followed: link, referer }) }
}

/** The hit that a journal kept; undefined for what this program did not write. */
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

/** What a mail is known by here. */
export const mailName = ({ dispatchId, contactId = '' }: TrackedMail) => `${dispatchId}:${contactId}`
