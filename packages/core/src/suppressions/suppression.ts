import { z } from 'zod'
import { addressKey, EmailAddress } from '../kernel/email-address.js'
import { blocked } from '../kernel/refusal.js'
import type { Repository } from '../kernel/repository.js'
import { Id, type InProject, Instant, stamps } from '../kernel/shapes.js'

/** `reason` is free text; the service itself sets `bounce` and `complaint`. */
export type Suppression = InProject & { readonly email: string; readonly emailKey: string; readonly reason: string }

/** Spec, "Suppression list". */
export const SuppressionFields = z
  .strictObject({
    email: EmailAddress.describe('Address that gets no mail'),
    reason: z.string().max(500).default('').describe('Free text; bounce and complaint are the service’s own'),
  })
  .meta({ id: 'SuppressionFields' })
export type SuppressionFields = z.input<typeof SuppressionFields>

/** A suppressed address in responses, with the reason. */
export const SuppressionView = z
  .object({
    _id: Id,
    email: z.string().describe('Address that gets no mail'),
    reason: z.string().describe('bounce and complaint are the service’s own'),
    createdAt: Instant,
  })
  .meta({ id: 'Suppression', description: 'An address that gets no mail of the project' })
export type SuppressionView = z.output<typeof SuppressionView>

/** Why a person lifts a suppression; the audit log keeps it. */
export const LiftSuppressionFields = z.strictObject({ reason: z.string().trim().min(1).max(300) })

export const newSuppression = (
  entry: Pick<Suppression, '_id' | 'projectId' | 'email' | 'reason'>,
  now: string,
): Suppression => ({ ...entry, emailKey: addressKey(entry.email), ...stamps(now) })

type Suppressions = Pick<Repository<Suppression>, 'get'>

const flagged =
  'The provided email has been flagged due to bouncing. If this is incorrect and the email is valid, please contact support.'

/** @throws Refusal `blocked` if the address bounced */
export const assertNotBounced = (suppression: Suppression | undefined): void => {
  if (suppression?.reason === 'bounce') throw blocked(flagged)
}

/** @throws Refusal `blocked` whatever the reason */
export const assertNotSuppressed = (suppression: Suppression | undefined): void => {
  assertNotBounced(suppression)
  if (suppression) throw blocked('The provided email is on the suppression list.')
}

/** @throws Refusal `blocked` for an address that bounced */
export const refuseBouncedAddress = async (
  suppressions: Suppressions,
  projectId: string,
  email: string,
): Promise<void> => assertNotBounced(await suppressions.get({ projectId, emailKey: addressKey(email) }))

/** @throws Refusal `blocked` whatever the reason */
export const refuseSuppressedAddress = async (
  suppressions: Suppressions,
  projectId: string,
  email: string,
): Promise<void> => assertNotSuppressed(await suppressions.get({ projectId, emailKey: addressKey(email) }))
