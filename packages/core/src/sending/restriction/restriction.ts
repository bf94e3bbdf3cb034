import type { Project } from '../../projects/project.js'

/** Thresholds of the automatic restriction (gaps.md, "Restriction"). Rates are percent of the mails sent. */
export type RestrictionThresholds = {
  /** Mails sent in a window below which its rates are ignored. */
  readonly minimumSent: number
  /** A project is restricted with at least `bounces` bounces and a rate above `bounceRate`. */
  readonly bounces: number
  readonly bounceRate: number
  /** A project is restricted with at least `complaints` complaints and a rate above `complaintRate`. */
  readonly complaints: number
  readonly complaintRate: number
}

/** The thresholds in gaps.md. */
export const standardRestriction: RestrictionThresholds = {
  minimumSent: 200,
  bounces: 10,
  bounceRate: 2.5,
  complaints: 3,
  complaintRate: 0.05,
}

/** Window lengths in days, shortest first. */
export const windowDays = [7, 30, 90] as const

/** A project's mails, bounces and complaints in the last `days` days. */
export type SendingWindow = {
  readonly days: (typeof windowDays)[number]
  readonly sent: number
  readonly bounces: number
  readonly complaints: number
}

/** A window's name in reports and reasons. */
export const labelOf = ({ days }: Pick<SendingWindow, 'days'>) => `last ${days} days` as const

/** Percent of the mails sent; 0 if none was sent. */
export const percentOf = (n: number, sent: number): number => (sent === 0 ? 0 : (100 * n) / sent)

const shown = (percent: number) => `${Number(percent.toPrecision(3))} %`

/** Why these windows restrict the project: rate, window and figures; undefined if they do not. */
export const restrictionOf = (
  windows: readonly SendingWindow[],
  { minimumSent, bounces, bounceRate, complaints, complaintRate }: RestrictionThresholds,
): string | undefined => {
  for (const window of windows.filter(({ sent }) => sent >= minimumSent)) {
    const exceeded = (
      [
        ['bounce', window.bounces, bounces, bounceRate],
        ['complaint', window.complaints, complaints, complaintRate],
      ] as const
    ).find(([, n, least, rate]) => n >= least && percentOf(n, window.sent) > rate)
    if (!exceeded) continue
    const [kind, n, , rate] = exceeded
    return `${kind} rate of ${shown(percentOf(n, window.sent))} over the ${labelOf(window)} (${n} of ${window.sent} mails), above ${rate} %`
  }
  return undefined
}

/** The error message for a send of a restricted project. */
export const restrictionMessage = ({ restrictedReason }: Pick<Project, 'restrictedReason'>) =>
  `Sending is restricted: ${restrictedReason ?? 'by the operator'}`
