import type { Contact } from '../contacts/contact.js'
import type { Clock, Log, NewId, Sleep } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { MailReport } from '../mail-reports/mail-reports.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import type { Content, Dispatch } from '../sending/ledger/dispatch.js'
import type { TrackedMail } from '../tokens/tracking-token.js'
import { settlesAfter } from '../tracking/machines.js'
import { heardHit, type Requested } from './heard-hit.js'
import type { HitJournal } from './hit-journal.js'
import { type HitDrop, type HitMeter, noHitMeter } from './hit-meter.js'
import { journalEntryOf, mailName, type NotedHit, notedHitOf } from './noted-hit.js'
import { hitRecording } from './recording.js'
import type { FollowedLink } from './tracked-links.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch; contents: Content; contacts: Contact }>
  readonly deliveries: Pick<Deliveries, 'get' | 'countOnce'>
  readonly report: (report: MailReport) => Promise<void>
  readonly clock: Clock
  readonly newId: NewId
  readonly sleep: Sleep
  readonly log: Log
  /** Absent: what is heard is in memory alone until it is recorded. */
  readonly hitJournal?: HitJournal | undefined
  readonly hitMeter?: HitMeter | undefined
}

/** Hits that wait to be judged, or for the store: beyond so many, the oldest are forgotten, and the log says so. */
export const mostWaiting = 50_000
/** Hits of one mail that are told of; more of them at a time are no person's. */
const mostOfMail = 100
const roundTime = 1_000
const longestRound = 30_000
/** How often is looked for what processes left that have ended. */
const takeOverTime = 2_000
/** The log says so often, at most, that hits are not kept. */
const complaintTime = 60_000

/**
 * What images and links of mails tell, after their answer: who asked is judged some seconds later, by what else came in that time, and
 * recorded as the recipient's doing or counted as a machine's, once. Until then it is in memory and in the journal, where there is one: a
 * process that is killed leaves it to the next, one that is closed loses nothing, and one whose store is down waits for it (ADR 0053).
 */
export const hits = (deps: Deps) => {
  const { clock, newId, sleep, log, hitJournal: journal, hitMeter: meter = noHitMeter } = deps
  /** By mail, what came lately, judged or not. */
  const lately = new Map<string, NotedHit[]>()
  let waiting: NotedHit[] = []
  const dropped: Record<HitDrop, number> = { 'queue-full': 0, 'mail-flooded': 0 }
  let running: Promise<void> | undefined
  let takingOver: Promise<void> | undefined
  let recording: Promise<void> = Promise.resolve()
  let closing: AbortController | undefined
  let nextComplaint = 0

  const recordAll = hitRecording({ ...deps, journal, meter, latelyOf: (mail) => lately.get(mailName(mail)) ?? [] })

  const isRecent = ({ hit, at }: NotedHit, now: number): boolean => now - at <= 2 * settlesAfter[hit.kind]

  const drop = (why: HitDrop): void => {
    dropped[why] += 1
    meter.dropped(why, 1)
  }

  /** What may still be company of a hit, or waits itself for a store that does not answer. */
  const forget = (now: number) => {
    const unrecorded = new Set(waiting)
    for (const [name, noted] of lately) {
      if (noted.some((one) => unrecorded.has(one))) continue
      const kept = noted.filter((one) => isRecent(one, now))
      if (kept.length === 0) lately.delete(name)
      else if (kept.length < noted.length) lately.set(name, kept)
    }
    const n = dropped['queue-full']
    if (n > 0) log('warn', 'Opens and clicks were forgotten: too many waited to be recorded', { n })
    dropped['queue-full'] = 0
  }

  /** Records what nothing can change any more, or all there is. Answers whether all of it was recorded. */
  const round = async (all: boolean): Promise<boolean> => {
    const now = clock().getTime()
    const due = all ? waiting : waiting.filter(({ hit, at }) => now - at >= settlesAfter[hit.kind])
    if (due.length === 0) return true
    const taken = new Set(due)
    waiting = waiting.filter((one) => !taken.has(one))
    const left = await recordAll(due)
    waiting = [...left, ...waiting]
    forget(now)
    return left.length === 0
  }

  const inTurn = (all: boolean): Promise<boolean> => {
    const done = recording.then(() => round(all))
    recording = done.then(
      () => undefined,
      () => undefined,
    )
    return done
  }

  /** Goes on as long as there is anything. */
  const run = async (signal: AbortSignal): Promise<void> => {
    let pause = roundTime
    while (waiting.length > 0 && !signal.aborted) {
      await sleep(pause, signal)
      if (signal.aborted) return
      pause = (await inTurn(false)) ? roundTime : Math.min(2 * pause, longestRound)
    }
  }

  const begin = () => {
    if (running) return
    closing ??= new AbortController()
    running = run(closing.signal).finally(() => {
      running = undefined
    })
  }

  /** Keeps it from a kill, where that can be had: whoever asked is answered in any case. */
  const keep = (noted: NotedHit): void => {
    try {
      journal?.add(journalEntryOf(noted))
    } catch (error) {
      meter.unjournaled()
      if (noted.at < nextComplaint) return
      nextComplaint = noted.at + complaintTime
      log(
        'error',
        'Opens and clicks cannot be kept in the data directory: those of the last seconds are lost in a kill',
        {
          error: String(error),
        },
      )
    }
  }

  const addLately = (noted: NotedHit): void => {
    const others = lately.get(mailName(noted.mail))
    if (others) others.push(noted)
    else lately.set(mailName(noted.mail), [noted])
  }

  /** Some of what processes left that have ended. Answers whether there may be more. */
  const takeOverSome = async (left: HitJournal): Promise<boolean> => {
    const entries = await left.takeOver()
    const unread: string[] = []
    let n = 0
    for (const { isDone, ...entry } of entries) {
      const noted = notedHitOf(entry)
      if (!noted) {
        unread.push(entry.name)
        continue
      }
      addLately(noted)
      if (isDone) continue
      waiting.push(noted)
      n += 1
    }
    if (unread.length > 0) {
      log('warn', 'Opens and clicks that a process left could not be read', { n: unread.length })
      left.done(unread)
    }
    if (n > 0) {
      meter.takenOver(n)
      log('info', 'Opens and clicks of a process that has ended are recorded by this one', { n })
      begin()
    } else forget(clock().getTime())
    return entries.length > 0
  }

  const takeOverAll = async (left: HitJournal, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        while (!signal.aborted && waiting.length < mostWaiting / 2 && (await takeOverSome(left)));
      } catch (error) {
        log('warn', 'What processes left that have ended could not be read', { error: String(error) })
      }
      await sleep(takeOverTime, signal)
    }
  }

  return {
    /** From now on this process records what others heard that have ended. Without a journal there is nothing to do. */
    start: (): void => {
      if (!journal || takingOver || closing?.signal.aborted) return
      closing ??= new AbortController()
      takingOver = takeOverAll(journal, closing.signal)
    },

    /**
     * Takes note of a request for a mail's image, or for a link of it: nothing is looked up yet, and nothing is thrown. It outlives the
     * process when this returns, where there is a journal with room. What comes after `close` is not heard.
     */
    note: (asked: { readonly mail: TrackedMail } | FollowedLink, request: Requested): void => {
      if (closing?.signal.aborted) return
      const now = clock()
      const noted = heardHit({ asked, name: newId(), now }, request)
      const { mail, hit } = noted
      const others = lately.get(mailName(mail)) ?? []
      if (others.length >= mostOfMail) {
        const recent = others.filter((one) => isRecent(one, noted.at))
        if (recent.length >= mostOfMail) {
          drop('mail-flooded')
          return
        }
        lately.set(mailName(mail), recent)
      }
      meter.taken(hit.kind)
      keep(noted)
      addLately(noted)
      waiting.push(noted)
      if (waiting.length > mostWaiting) {
        const [oldest] = waiting.splice(0, 1)
        if (oldest) journal?.done([oldest.name])
        drop('queue-full')
      }
      begin()
    },

    /** How many wait to be judged, or for the store. */
    waiting: (): number => waiting.length,

    /** Records all there is by what is known of it. */
    flush: async (): Promise<void> => {
      await inTurn(true)
    },

    /** As `flush`, and hears nothing more. */
    close: async (): Promise<void> => {
      closing ??= new AbortController()
      closing.abort()
      await Promise.all([running, takingOver])
      const isDone = await inTurn(true)
      if (!isDone && journal)
        log('warn', 'Opens and clicks wait in the data directory: the store did not take them', { n: waiting.length })
      else if (!isDone) log('error', 'Opens and clicks were lost: the store did not take them', { n: waiting.length })
      await journal?.close()
    },
  }
}
export type Hits = ReturnType<typeof hits>
