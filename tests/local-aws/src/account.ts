import { SesError } from './ses-error.js'

/** The account in one region, with the fields of GetAccount. */
export type LocalAccount = {
  readonly productionAccess: boolean
  /** False if the owner has paused sending. */
  readonly sendingEnabled: boolean
  /** `SHUTDOWN`: Amazon has suspended the account. */
  readonly enforcementStatus: 'HEALTHY' | 'PROBATION' | 'SHUTDOWN'
  /** -1 means no limit. */
  readonly max24HourSend: number
  readonly maxSendRate: number
}

export const approvedAccount: LocalAccount = {
  productionAccess: true,
  sendingEnabled: true,
  enforcementStatus: 'HEALTHY',
  max24HourSend: 50_000,
  maxSendRate: 1_000,
}

const day = 24 * 60 * 60_000

/** Quota, rate limit and status of an account. */
export const sendingAccount = (current: () => LocalAccount, now: () => number) => {
  let sentAt: number[] = []
  let window = { second: 0, n: 0 }

  const sentToday = () => {
    const since = now() - day
    if ((sentAt[0] ?? since) < since) sentAt = sentAt.filter((at) => at >= since)
    return sentAt.length
  }

  return {
    view: () => {
      const { productionAccess, sendingEnabled, enforcementStatus, max24HourSend, maxSendRate } = current()
      return {
        DedicatedIpAutoWarmupEnabled: false,
        EnforcementStatus: enforcementStatus,
        ProductionAccessEnabled: productionAccess,
        SendQuota: { Max24HourSend: max24HourSend, MaxSendRate: maxSendRate, SentLast24Hours: sentToday() },
        SendingEnabled: sendingEnabled && enforcementStatus !== 'SHUTDOWN',
        SuppressionAttributes: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
      }
    },

    /** @throws SesError if the account may not send */
    assertActive: (): void => {
      const { enforcementStatus, sendingEnabled } = current()
      if (enforcementStatus === 'SHUTDOWN')
        throw new SesError(
          'AccountSuspendedException',
          "The account's ability to send email has been permanently restricted.",
        )
      if (!sendingEnabled) throw new SesError('SendingPausedException', 'Sending is disabled for this account.')
    },

    /** Takes one mail from the rate limit and the quota. @throws SesError */
    take: (): void => {
      const { maxSendRate, max24HourSend } = current()
      const second = Math.floor(now() / 1_000)
      if (window.second !== second) window = { second, n: 0 }
      if (window.n >= maxSendRate) throw new SesError('TooManyRequestsException', 'Maximum sending rate exceeded.', 429)
      if (max24HourSend >= 0 && sentToday() >= max24HourSend)
        throw new SesError('LimitExceededException', 'Daily message quota exceeded.')
      window.n += 1
      sentAt.push(now())
    },
  }
}
export type SendingAccount = ReturnType<typeof sendingAccount>
