import { type Congestion, congestionAfter } from './congestion.js'

/** A period is at least a second, and has so many answers, unless they are few for so many seconds. */
const enough = 20
const longestPeriod = 5

/** Counts a channel's answers by the second of the clock, and what follows from them for its pace. */
export const answerMeter = () => {
  let congestion: Congestion | undefined
  let from = Number.NEGATIVE_INFINITY
  let [answered, throttled, seconds, last] = [0, 0, 0, 0]

  const begin = (second: number): void => {
    from = second
    ;[answered, throttled, seconds] = [0, 0, 0]
  }

  return {
    /** What was last known. */
    known: (): Congestion | undefined => congestion,

    /** What is known in that second, which has not ended; `quota`: mails per second that the channel has. */
    congestion: (second: number, quota: number): Congestion | undefined => {
      if (answered === 0 || second <= last || (answered < enough && second - from < longestPeriod)) return congestion
      const before = congestion
      congestion = congestionAfter(before, { answered, throttled, seconds }, second, quota)
      // Of what has left before at a faster pace, answers come for some time yet.
      const isSlower = congestion !== undefined && congestion.limit < (before?.limit ?? quota)
      begin(isSlower ? second + 1 : second)
      return congestion
    },

    answered: (second: number, isThrottled: boolean): void => {
      if (second < from) return
      if (answered === 0) begin(Math.max(from, second))
      if (second !== last) seconds += 1
      last = second
      answered += 1
      if (isThrottled) throttled += 1
    },
  }
}
export type AnswerMeter = ReturnType<typeof answerMeter>
