import type { Clock } from '../../kernel/ports.js'
import type { Delivery, DeliveryError } from '../ledger/delivery.js'
import { wordsOf } from '../returns/refusal-phrases.js'

/** A permanent refusal in the provider's response to a mail. It counts as a bounce unless it belongs to a wave. */
export type Refused = {
  readonly delivery: Delivery
  readonly subject: string | undefined
  readonly error: DeliveryError
}

/** This number of refusals in a row, beyond the mails in flight, is a wave: even 20 dead addresses in a list are never in a row. */
const waveLength = 20
/** A wave that affects fewer domains may be a receiver that lost its addresses; the same text for more domains comes from the relay. */
const waveDomains = 5
/** After this time in ms without further mails, refusals count: the dispatch has ended or is slow. */
const quietTime = 5_000
/** A dispatch without a refusal for this time in ms is forgotten. */
const forgetTime = 60 * 60_000

/** `provenAt`: the number of accepted mails that proves that the relay still accepted mails after the refusal. */
type Entry = { readonly refused: Refused; readonly provenAt: number; isSettled: boolean }

/** The refusals of a dispatch since the last accepted mail, grouped by text. */
type Run = { accepted: number; refusedAt: number; isWave: boolean; readonly byText: Map<string, Entry[]> }

/** Removes addresses and the ids of mails and sessions, so that the text is the same for all recipients. */
const commonText = (message: string) =>
  wordsOf(message)
    .split(' ')
    .filter((word) => !/\d/.test(word))
    .join(' ')

const domainsOf = (entries: readonly Entry[]): number =>
  new Set(
    entries.map(({ refused: { delivery } }) => delivery.email.slice(delivery.email.lastIndexOf('@') + 1).toLowerCase()),
  ).size

/**
 * Distinguishes dead addresses from a relay that refuses every mail (for a daily limit, say), which is no bounce. A refusal counts once
 * more mails were accepted after it than were in flight, or after five quiet seconds if its text came for fewer than five domains. Refusals
 * that a dying process had not recorded are no bounces: their addresses get one more mail.
 */
export const refusalWaves = ({
  clock,
  bounced,
}: {
  readonly clock: Clock
  readonly bounced: (refused: Refused) => Promise<void>
}) => {
  const runs = new Map<string, Run>()
  let believed: Refused[] = []

  const believe = (entry: Entry): void => {
    if (!entry.isSettled) believed.push(entry.refused)
    entry.isSettled = true
  }

  /** Decides a run that nothing follows. Refusals of a wave, or with a text that came for many domains, are dropped; the others count. */
  const settleQuiet = (run: Run): void => {
    for (const entries of run.byText.values()) {
      const isInDoubt = run.isWave || domainsOf(entries) >= waveDomains
      for (const entry of entries) {
        if (isInDoubt) entry.isSettled = true
        else believe(entry)
      }
    }
  }

  return {
    /**
     * Holds a refusal back. Returns the message to report if the refusal completes a wave.
     * @param inFlight the number of mails that are sent concurrently
     */
    refused: (refused: Refused, inFlight: number): string | undefined => {
      const { delivery, error } = refused
      const run = runs.get(delivery.dispatchId) ?? { accepted: 0, refusedAt: 0, isWave: false, byText: new Map() }
      runs.set(delivery.dispatchId, run)
      run.refusedAt = clock().getTime()
      const text = commonText(error.message)
      const entries = run.byText.get(text) ?? []
      run.byText.set(text, entries)
      if (run.isWave) return undefined
      entries.push({ refused, provenAt: run.accepted + inFlight + 1, isSettled: false })
      if (entries.length < waveLength + inFlight || domainsOf(entries) < waveDomains) return undefined
      run.isWave = true
      return `The relay refused ${entries.length} recipients at ${domainsOf(entries)} domains in a row with the same text: “${error.message}”. That is not about the addresses, so none was suppressed. Ask the relay’s operator for the cause, such as a daily limit, then retry the failed mails.`
    },

    /** A mail of the dispatch was accepted. */
    accepted: (dispatchId: string): void => {
      const run = runs.size === 0 ? undefined : runs.get(dispatchId)
      if (!run || run.isWave) return
      run.accepted += 1
      for (const [text, entries] of run.byText) {
        const open = entries.findIndex(({ provenAt }) => provenAt > run.accepted)
        for (const entry of entries.splice(0, open < 0 ? entries.length : open)) believe(entry)
        if (entries.length === 0) run.byText.delete(text)
      }
      if (run.byText.size === 0) runs.delete(dispatchId)
    },

    /**
     * Records the refusals that are known to be bounces.
     * @param all also decides runs that might go on, because this process sends nothing more
     * @throws what the store throws; the next call records the rest
     */
    record: async (all: boolean): Promise<void> => {
      const now = clock().getTime()
      for (const [dispatchId, run] of runs) {
        if (all || now - run.refusedAt >= quietTime) settleQuiet(run)
        if (now - run.refusedAt >= forgetTime) runs.delete(dispatchId)
      }
      while (believed[0]) {
        await bounced(believed[0])
        believed = believed.slice(1)
      }
    },
  }
}
export type RefusalWaves = ReturnType<typeof refusalWaves>
