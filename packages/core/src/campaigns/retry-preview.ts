import { z } from 'zod'
import { chunked } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import { blocked } from '../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Count } from '../kernel/shapes.js'
import type { AudienceRecipients } from '../sending/audience/recipients.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import {
  type Delivery,
  type ExclusionReason,
  exclusionReasons,
  isChosenForRetry,
  type RetryChoice,
} from '../sending/ledger/delivery.js'
import { type Dispatch, subscriberListIdOf } from '../sending/ledger/dispatch.js'
import type { Campaign } from './campaign.js'

/** A report lists as many. */
const mostReasons = 50

export const RetryFields = z
  .strictObject({
    reasons: z
      .array(
        z.strictObject({
          name: z.string().max(300).describe('Kind of the error, or the code of the relay'),
          message: z.string().max(10_000).describe('Response of the relay, or error of the renderer'),
        }),
      )
      .min(1)
      .max(mostReasons)
      .optional()
      .describe('Only mails that failed for these reasons, as `failures` of the report has them'),
    deliveryId: z
      .string()
      .max(200)
      .optional()
      .describe('Only this mail of the last run, as the list of recipients names it'),
  })
  .meta({ id: 'RetryFields' })
export type RetryFields = z.input<typeof RetryFields>

export const RetryPreview = z
  .object({
    failed: Count.describe('Mails of the last run that failed and are chosen'),
    recipients: Count.describe('Contacts who would get the mail now'),
    excluded: z
      .partialRecord(z.enum(exclusionReasons), Count)
      .describe('Contacts who would be excluded now, by reason'),
    isComplete: z.boolean().describe('False if there are more: 20000 mails are looked at'),
  })
  .meta({ id: 'RetryPreview' })
export type RetryPreview = z.output<typeof RetryPreview>

type Deps = {
  readonly repositories: RepositoriesFor<{ campaigns: Campaign; dispatches: Dispatch }>
  readonly deliveries: Pick<Deliveries, 'each'>
  readonly recipients: Pick<AudienceRecipients, 'ofContacts'>
}

const mostLookedAt = 20_000
const pageSize = 500

/** A dry run of a retry: who would get the mail now, and who not and why. */
export const retryPreviews = ({ repositories: { campaigns, dispatches }, deliveries, recipients }: Deps) => {
  async function* failed(dispatchId: string, choice: RetryChoice): AsyncIterable<Delivery> {
    for await (const delivery of deliveries.each(dispatchId, 'failed'))
      if (isChosenForRetry(delivery, choice)) yield delivery
  }

  return {
    /** @throws Refusal `invalid`, `not-found`, `blocked` */
    retryPreview: async ({ projectId }: Scope, id: string, input: RetryFields = {}): Promise<RetryPreview> => {
      const choice = parsed(RetryFields, input)
      const { dispatchId = '', subscriberListId } = await getOrNotFound(campaigns, { _id: id, projectId })
      const dispatch = await dispatches.get({ _id: dispatchId })
      if (!dispatch) throw blocked('The campaign has not been sent yet.')
      const listId = subscriberListIdOf(dispatch.audience) ?? subscriberListId
      const excluded: Partial<Record<ExclusionReason, number>> = {}
      let [seen, reached] = [0, 0]
      for await (const page of chunked(failed(dispatchId, choice), pageSize)) {
        if (seen >= mostLookedAt) return { failed: seen, recipients: reached, excluded, isComplete: false }
        seen += page.length
        const ids = page.flatMap(({ contactId }) => contactId ?? [])
        const found = await recipients.ofContacts(projectId, listId, ids)
        for (const { contactId = '' } of page) {
          const recipient = found.get(contactId)
          const reason = recipient ? recipient.excluded : 'not-subscribed'
          if (reason) excluded[reason] = (excluded[reason] ?? 0) + 1
          else reached += 1
        }
      }
      return { failed: seen, recipients: reached, excluded, isComplete: true }
    },
  }
}
