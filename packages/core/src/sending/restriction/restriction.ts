import type { Project } from '../../projects/project.js'

/** When a project's sending is restricted by itself (gaps.md, "Restriction"). Rates are percent of the mails sent. */
export type RestrictionThresholds = {
  /** Mails sent in a window before its rates say anything. */
  readonly minimumSent: number
  /** So many bounces at least, and a bounce rate above `bounceRate`. */
  readonly bounces: number
  readonly bounceRate: number
  /** So many complaints at least, and a complaint rate above `complaintRate`. */
  readonly complaints: number
  readonly complaintRate: number
}

/** As gaps.md has them. */
export const standardRestriction: RestrictionThresholds = {
  minimumSent: 200,
  bounces: 10,
  bounceRate: 2.5,
  complaints: 3,
  complaintRate: 0.05,
}

/** How many days back each window reaches, the shortest first. */
export const windowDays = [7, 30, 90] as const

/** What a project did in the last so many days. */
export type SendingWindow = {
  readonly days: (typeof windowDays)[number]
  readonly sent: number
  readonly bounces: number
  readonly complaints: number
}

/** "last 7 days": how a window is called, in reports and in reasons. */
export const labelOf = ({ days }: Pick<SendingWindow, 'days'>) => `last ${days} days` as const

/** Percent of the mails sent; 0 where none was. */
export const percentOf = (n: number, sent: number): number => (sent === 0 ? 0 : (100 * n) / sent)

const shown = (percent: number) => `${Number(percent.toPrecision(3))} %`

/** Why these windows restrict the project: the rate, the window and the figures; undefined where nothing does. */
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

/** What a project is told that cannot send. */
export const restrictionMessage = ({ restrictedReason }: Pick<Project, 'restrictedReason'>) =>
  `Sending is restricted: ${restrictedReason ?? 'by the operator'}`
