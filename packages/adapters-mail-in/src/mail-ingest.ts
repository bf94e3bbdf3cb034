import { setTimeout } from 'node:timers/promises'
import { type Log, Refusal } from '@posthorn/core'
import type { ReturnedMailUseCases } from '@posthorn/core/ports/transport'
import type { DeliveryStatusReport } from './returned/delivery-status.js'
import {
  type ClassifiedReturnedMail,
  type ReturnAddressPurpose,
  returnedMailClassifier,
} from './returned/returned-message.js'

export type MailIngestOptions = { readonly returnedMail: ReturnedMailUseCases; readonly log: Log }

type Addressed = { readonly kind: ReturnAddressPurpose; readonly reference: string }

export const mailIngest = ({ returnedMail, log }: MailIngestOptions) => {
  /** False for references unknown here: another server sent the mail, or it is too old. */
  const known = async (work: Promise<void>): Promise<boolean> => {
    try {
      await work
      return true
    } catch (error) {
      if (error instanceof Refusal && error.kind === 'not-found') return false
      throw error
    }
  }

  const status = async (
    { outcome, status: code, text }: DeliveryStatusReport,
    { kind, reference }: Addressed,
  ): Promise<void> => {
    log('debug', 'A mail server reported on a mail', { reference, outcome, status: code, text })
    if (kind !== 'bounce' || outcome !== 'permanent') return
    if (
      await known(
        returnedMail.report(reference, { type: 'bounce', reason: { name: code ?? 'Bounced', message: text } }),
      )
    )
      log('info', 'A mail bounced permanently', { reference, status: code, text })
  }

  /** The first reference known here names the mail. */
  const complaint = async (references: readonly string[]): Promise<void> => {
    for (const reference of references) if (await known(returnedMail.complaint(reference))) return
    log('info', 'A complaint refers to no mail of this server')
  }

  const takeAt = async (returned: ClassifiedReturnedMail, addressed: Addressed): Promise<void> => {
    const { kind, reference } = addressed
    if (returned.kind === 'delivery-status') return status(returned, addressed)
    if (returned.kind === 'feedback') {
      if (returned.complaint) await complaint(kind === 'role' ? returned.references : [reference])
      return
    }
    if (returned.kind === 'unsubscribe') {
      if (await known(returnedMail.unsubscribe(reference)))
        log('debug', 'A recipient unsubscribed by mail', { reference })
      return
    }
    log(kind === 'role' ? 'info' : 'debug', 'A message came in that nothing follows from', {
      to: reference,
      is: returned.kind,
    })
  }

  /** Slow parsing takes a third of the time at most, so that other work can run. */
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = (raw: Uint8Array, envelopeFrom?: string): ReturnType<typeof returnedMailClassifier> => {
    const read = last.then(async () => {
      const began = performance.now()
      const reading = await returnedMailClassifier(raw, envelopeFrom)
      return { reading, took: performance.now() - began }
    })
    last = read.then(({ took }) => setTimeout(2 * took))
    return read.then(({ reading }) => reading)
  }

  return {
    isOurs: (address: string): boolean => returnedMail.addressed(address) !== undefined,

    /**
     * May be repeated. Parses one message at a time, up to 256 kB.
     * @param envelopeFrom empty for `<>`; default: the `Return-Path` field
     * @throws errors of the store; the sender should then retry
     */
    take: async (raw: Uint8Array, addresses: readonly string[], envelopeFrom?: string): Promise<void> => {
      const ours = new Map(
        addresses.flatMap((address) => {
          const addressed = returnedMail.addressed(address)
          return addressed ? [[addressed.reference, addressed] as const] : []
        }),
      )
      if (ours.size === 0) return
      const as = await inTurn(raw, envelopeFrom)
      for (const addressed of ours.values()) await takeAt(as(addressed.kind), addressed)
    },
  }
}
