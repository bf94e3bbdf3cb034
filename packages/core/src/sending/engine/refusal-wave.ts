import type { Clock } from '../../kernel/ports.js'
import type { Delivery, DeliveryError } from '../ledger/delivery.js'
import { normalisedRefusalText } from '../returns/refusal-phrases.js'

export type RefusedMail = {
  readonly delivery: Delivery
  readonly subject: string | undefined
  readonly error: DeliveryError
}

/** Refusals in a row, beyond the mails in flight: of dead addresses there are never 20. */
const waveLength = 20
/** With fewer domains, a receiver may have lost its addresses; with more, the relay refuses. */
const waveDomains = 5
const quietTime = 5_000
const forgetTime = 60 * 60_000

/** `provenAt`: the number of accepted mails at which the relay is known to work, so that the address is dead. */
type Entry = { readonly refused: RefusedMail; readonly provenAt: number; isDecided: boolean }

type Run = { accepted: number; refusedAt: number; isWave: boolean; readonly byText: Map<string, Entry[]> }

/** All recipients get the same text. */
const commonText = (message: string) =>
  normalisedRefusalText(message)
    .split(' ')
    .filter((word) => !/\d/.test(word))
    .join(' ')

const domainsOf = (entries: readonly Entry[]): number =>
  new Set(
    entries.map(({ refused: { delivery } }) => delivery.email.slice(delivery.email.lastIndexOf('@') + 1).toLowerCase()),
  ).size

/**
 * Tells dead addresses from a relay that refuses everybody. A refusal waits: if more mails are accepted after it than were in flight, the relay
 * works and the address is dead, also after five quiet seconds if its text came for fewer than five domains. If instead 20 more are refused with
 * one text, for five domains or more, the dispatch is to be stopped, and nobody is suppressed. Refusals lost in a crash cost one more mail each.
 */
export const refusalWaves = ({
  clock,
  bounced,
}: {
  readonly clock: Clock
  readonly bounced: (refused: RefusedMail) => Promise<void>
}) => {
  const runs = new Map<string, Run>()
  let confirmed: RefusedMail[] = []

  const confirm = (entry: Entry): void => {
    if (!entry.isDecided) confirmed.push(entry.refused)
    entry.isDecided = true
  }

  /** Drops refusals of a wave, or with one text for many domains. */
  const decideQuiet = (run: Run): void => {
    for (const entries of run.byText.values()) {
      const isInDoubt = run.isWave || domainsOf(entries) >= waveDomains
      for (const entry of entries) {
        if (isInDoubt) entry.isDecided = true
        else confirm(entry)
      }
    }
  }

  return {
    /** Returns the message to report if the refusal completes a wave. */
    refused: (refused: RefusedMail, inFlight: number): string | undefined => {
      const { delivery, error } = refused
      const run = runs.get(delivery.dispatchId) ?? { accepted: 0, refusedAt: 0, isWave: false, byText: new Map() }
      runs.set(delivery.dispatchId, run)
      run.refusedAt = clock().getTime()
      const text = commonText(error.message)
      const entries = run.byText.get(text) ?? []
      run.byText.set(text, entries)
      if (run.isWave) return undefined
      entries.push({ refused, provenAt: run.accepted + inFlight + 1, isDecided: false })
      if (entries.length < waveLength + inFlight || domainsOf(entries) < waveDomains) return undefined
      run.isWave = true
      return `The relay refused ${entries.length} recipients at ${domainsOf(entries)} domains in a row with the same text: “${error.message}”. That is not about the addresses, so none was suppressed. Ask the relay’s operator for the cause, such as a daily limit, then retry the failed mails.`
    },

    accepted: (dispatchId: string): void => {
      const run = runs.size === 0 ? undefined : runs.get(dispatchId)
      if (!run || run.isWave) return
      run.accepted += 1
      for (const [text, entries] of run.byText) {
        const open = entries.findIndex(({ provenAt }) => provenAt > run.accepted)
        for (const entry of entries.splice(0, open < 0 ? entries.length : open)) confirm(entry)
        if (entries.length === 0) run.byText.delete(text)
      }
      if (run.byText.size === 0) runs.delete(dispatchId)
    },

    /**
     * Stores outcomes first: if a crash kept only the bounce, the retried mail would be excluded as suppressed.
     * @param all this process stops: also decide open runs
     * @param storeOutcomes of all mails reported so far
     * @throws store errors; the next call records the rest
     */
    record: async (all: boolean, storeOutcomes: () => Promise<void>): Promise<void> => {
      const now = clock().getTime()
      for (const [dispatchId, run] of runs) {
        if (all || now - run.refusedAt >= quietTime) decideQuiet(run)
        if (now - run.refusedAt >= forgetTime) runs.delete(dispatchId)
      }
      const due = [...confirmed]
      await storeOutcomes()
      for (const refused of due) {
        await bounced(refused)
        confirmed = confirmed.slice(1)
      }
    },
  }
}
