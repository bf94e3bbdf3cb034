import type { Runtime } from '../kernel/ports.js'
import type { TrackedMailIds } from '../tokens/tracking-token.js'
import { hitVerdictSettleTime } from './classification.js'
import { type HitDropReason, type HitJournal, type HitMeter, noHitMeter } from './hit-ports.js'
import type { FollowedLink } from './links.js'
import {
  type HitRequest,
  journalEntryOfHit,
  type PendingHit,
  pendingHitOf,
  pendingHitOfRequest,
  trackedMailKey,
} from './pending-hit.js'
import { type HitRecorderDeps, hitRecorder } from './recorder.js'

type Deps = Pick<Runtime, 'clock' | 'newId' | 'sleep'> &
  Omit<HitRecorderDeps, 'journal' | 'meter' | 'recentHitsOf'> & {
    /** Absent: hits are only in memory. */
    readonly hitJournal?: HitJournal | undefined
    readonly hitMeter?: HitMeter | undefined
  }

/** Beyond that, the oldest are dropped with a warning. */
export const maxWaitingHits = 50_000
/** Within the judging time; more than any person causes. */
const maxPerMail = 100
const recordInterval = 1_000
const longestRetryPause = 30_000
/** In ms. */
const takeOverInterval = 2_000
/** In ms. */
const errorLogInterval = 60_000

/**
 * Records opens and clicks some seconds after the response, when other requests are known: each is judged once as a person's or a machine's. Until
 * then it is in memory and the journal. Another process takes over after a kill; while the store is down, hits wait (ADR 0053).
 */
export const delayedHitRecorder = (deps: Deps) => {
  const { clock, newId, sleep, log, hitJournal: journal, hitMeter: meter = noHitMeter } = deps
  /** Per mail, judged or not. */
  const recentHits = new Map<string, PendingHit[]>()
  let waiting: PendingHit[] = []
  const dropped: Record<HitDropReason, number> = { 'queue-full': 0, 'mail-flooded': 0 }
  let running: Promise<void> | undefined
  let takingOver: Promise<void> | undefined
  let recording: Promise<void> = Promise.resolve()
  let closing: AbortController | undefined
  let nextErrorLog = 0

  const recordAll = hitRecorder({
    ...deps,
    journal,
    meter,
    recentHitsOf: (mail) => recentHits.get(trackedMailKey(mail)) ?? [],
  })

  const isRecent = ({ hit, at }: PendingHit, now: number): boolean => now - at <= 2 * hitVerdictSettleTime[hit.kind]

  const drop = (why: HitDropReason): void => {
    dropped[why] += 1
    meter.dropped(why, 1)
  }

  /** Those neither waiting nor needed to judge others. */
  const dropOldHits = (now: number) => {
    const unrecorded = new Set(waiting)
    for (const [name, pending] of recentHits) {
      if (pending.some((one) => unrecorded.has(one))) continue
      const kept = pending.filter((one) => isRecent(one, now))
      if (kept.length === 0) recentHits.delete(name)
      else if (kept.length < pending.length) recentHits.set(name, kept)
    }
    const n = dropped['queue-full']
    if (n > 0) log('warn', 'Opens and clicks were dropped: too many were waiting to be recorded', { n })
    dropped['queue-full'] = 0
  }

  const round = async (all: boolean): Promise<boolean> => {
    const now = clock().getTime()
    const due = all ? waiting : waiting.filter(({ hit, at }) => now - at >= hitVerdictSettleTime[hit.kind])
    if (due.length === 0) return true
    const taken = new Set(due)
    waiting = waiting.filter((one) => !taken.has(one))
    const left = await recordAll(due)
    waiting = [...left, ...waiting]
    dropOldHits(now)
    return left.length === 0
  }

  const recordInTurn = (all: boolean): Promise<boolean> => {
    const done = recording.then(() => round(all))
    recording = done.then(
      () => undefined,
      () => undefined,
    )
    return done
  }

  const run = async (signal: AbortSignal): Promise<void> => {
    let pause = recordInterval
    while (waiting.length > 0 && !signal.aborted) {
      await sleep(pause, signal)
      if (signal.aborted) return
      pause = (await recordInTurn(false)) ? recordInterval : Math.min(2 * pause, longestRetryPause)
    }
  }

  const startRecording = () => {
    if (running) return
    closing ??= new AbortController()
    running = run(closing.signal).finally(() => {
      running = undefined
    })
  }

  /** A failure is logged and does not affect the response. */
  const journalHit = (pending: PendingHit): void => {
    try {
      journal?.add(journalEntryOfHit(pending))
    } catch (error) {
      meter.unjournaled()
      if (pending.at < nextErrorLog) return
      nextErrorLog = pending.at + errorLogInterval
      log(
        'error',
        'Opens and clicks cannot be written to the data directory: if this process is killed, those of the last seconds are lost',
        { error: String(error) },
      )
    }
  }

  const addRecent = (pending: PendingHit): void => {
    const others = recentHits.get(trackedMailKey(pending.mail))
    if (others) others.push(pending)
    else recentHits.set(trackedMailKey(pending.mail), [pending])
  }

  /** Returns whether there may be more. */
  const takeOverSome = async (left: HitJournal): Promise<boolean> => {
    const entries = await left.takeOver()
    const unread: string[] = []
    let n = 0
    for (const { isDone, ...entry } of entries) {
      const pending = pendingHitOf(entry)
      if (!pending) {
        unread.push(entry.name)
        continue
      }
      addRecent(pending)
      if (isDone) continue
      waiting.push(pending)
      n += 1
    }
    if (unread.length > 0) {
      log('warn', 'Opens and clicks in the journal of an ended process could not be read', { n: unread.length })
      left.done(unread)
    }
    if (n > 0) {
      meter.takenOver(n)
      log('info', 'Recording opens and clicks from the journal of an ended process', { n })
      startRecording()
    } else dropOldHits(clock().getTime())
    return entries.length > 0
  }

  const takeOverAll = async (left: HitJournal, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        while (!signal.aborted && waiting.length < maxWaitingHits / 2 && (await takeOverSome(left)));
      } catch (error) {
        log('warn', 'The journals of ended processes could not be read', { error: String(error) })
      }
      await sleep(takeOverInterval, signal)
    }
  }

  return {
    /** Takes over hits of ended processes. */
    start: (): void => {
      if (!journal || takingOver || closing?.signal.aborted) return
      closing ??= new AbortController()
      takingOver = takeOverAll(journal, closing.signal)
    },

    /** Looks nothing up, never throws; ignored after `close`. On return, the hit is journaled if possible. */
    addHit: (asked: { readonly mail: TrackedMailIds } | FollowedLink, request: HitRequest): void => {
      if (closing?.signal.aborted) return
      const now = clock()
      const pending = pendingHitOfRequest({ asked, name: newId(), now }, request)
      const { mail, hit } = pending
      const others = recentHits.get(trackedMailKey(mail)) ?? []
      if (others.length >= maxPerMail) {
        const recent = others.filter((one) => isRecent(one, pending.at))
        if (recent.length >= maxPerMail) {
          drop('mail-flooded')
          return
        }
        recentHits.set(trackedMailKey(mail), recent)
      }
      meter.taken(hit.kind)
      journalHit(pending)
      addRecent(pending)
      waiting.push(pending)
      if (waiting.length > maxWaitingHits) {
        const [oldest] = waiting.splice(0, 1)
        if (oldest) journal?.done([oldest.name])
        drop('queue-full')
      }
      startRecording()
    },

    /** Not yet judged or stored. */
    waiting: (): number => waiting.length,

    flush: async (): Promise<void> => {
      await recordInTurn(true)
    },

    /** Like `flush`; later requests are ignored. */
    close: async (): Promise<void> => {
      closing ??= new AbortController()
      closing.abort()
      await Promise.all([running, takingOver])
      const isDone = await recordInTurn(true)
      if (!isDone && journal)
        log('warn', 'The store was not available: opens and clicks stay in the data directory until the next start', {
          n: waiting.length,
        })
      else if (!isDone) log('error', 'The store was not available: opens and clicks were lost', { n: waiting.length })
      await journal?.close()
    },
  }
}
