import { GetAccountCommand, type GetAccountResponse, type SESv2Client } from '@aws-sdk/client-sesv2'
import type { Log } from '@posthorn/core'
import { isCredentialsError, sesErrorText, stopsAccount } from './outcome.js'

/** If a person must fix the problem, the rate stays: mails are refused and their dispatch reports it. Otherwise it is 0 and mails wait. */
export type SesAccountState = {
  readonly ratePerSecond: number
  readonly problem?: string
  /** Such as an exhausted daily quota. */
  readonly passes?: boolean
}

const stopped = (problem: string, ratePerSecond: number): SesAccountState => ({ ratePerSecond, problem })
const waiting = (problem: string): SesAccountState => ({ ratePerSecond: 0, problem, passes: true })

/** A quota of -1 is unlimited. */
export const sesAccountStateOf = ({
  EnforcementStatus,
  SendingEnabled,
  SendQuota = {},
}: GetAccountResponse): SesAccountState => {
  const { Max24HourSend: most = -1, SentLast24Hours: sent = 0, MaxSendRate: ratePerSecond = 1 } = SendQuota
  if (EnforcementStatus === 'SHUTDOWN')
    return stopped('Amazon has suspended sending by this account. The AWS Support Center has the case.', ratePerSecond)
  if (SendingEnabled === false)
    return stopped(
      'Sending is paused in Amazon SES; “aws sesv2 put-account-sending-attributes --sending-enabled” turns it on again.',
      ratePerSecond,
    )
  if (most >= 0 && sent >= most)
    return waiting(`The account has sent ${sent} of the ${most} mails that Amazon SES allows in 24 hours.`)
  return { ratePerSecond }
}

/** Cache times in ms; the shorter one after a refusal, or where an owner may have fixed the account. */
const freshFor = 60_000
const recheckAfter = 5_000

type Known = { readonly state: SesAccountState | undefined; readonly at: number }

export const cachedSesAccountState = (
  client: SESv2Client,
  { log, now, isOwn }: { readonly log: Log; readonly now: () => number; readonly isOwn: boolean },
) => {
  let known: Known | undefined
  let request: Promise<SesAccountState | undefined> | undefined
  let lastProblem: string | undefined

  const logChange = (problem: string | undefined): void => {
    if (problem !== undefined && problem !== lastProblem)
      log('warn', 'Sending through Amazon SES is stopped', { problem })
    if (problem === undefined && lastProblem !== undefined) log('info', 'Sending through Amazon SES has resumed')
    lastProblem = problem
  }

  const withoutAnswer = (error: unknown): SesAccountState | undefined => {
    if (isCredentialsError(error) && stopsAccount(error))
      return stopped(sesErrorText(error, isOwn), known?.state?.ratePerSecond || 1)
    if (isCredentialsError(error)) return waiting(sesErrorText(error, isOwn))
    log('warn', 'The quota of Amazon SES could not be read', { reason: sesErrorText(error, isOwn) })
    return known?.state
  }

  const query = async (): Promise<SesAccountState | undefined> => {
    const state = await client.send(new GetAccountCommand({})).then(sesAccountStateOf, withoutAnswer)
    if (state) logChange(state.problem)
    known = { state, at: now() }
    return state
  }

  const isFixableByOwner = (state: SesAccountState | undefined) =>
    isOwn && state?.problem !== undefined && !state.passes

  return {
    /** Undefined if never known. Never throws. */
    current: (): Promise<SesAccountState | undefined> => {
      if (known && now() - known.at < (isFixableByOwner(known.state) ? recheckAfter : freshFor))
        return Promise.resolve(known.state)
      request ??= query().finally(() => {
        request = undefined
      })
      return request
    },
    /** Expires the cached state, because a mail was refused on account of it. */
    doubt: (): void => {
      if (known && now() - known.at >= recheckAfter) known = { ...known, at: now() - freshFor }
    },
    /** @throws Error for the operator if nothing can be sent */
    check: async (): Promise<void> => {
      const answer = await client.send(new GetAccountCommand({})).catch((error: unknown) => {
        throw new Error(`Amazon SES: ${sesErrorText(error, isOwn)}`)
      })
      const { problem } = sesAccountStateOf(answer)
      if (problem !== undefined) throw new Error(`Amazon SES: ${problem}`)
    },
  }
}
