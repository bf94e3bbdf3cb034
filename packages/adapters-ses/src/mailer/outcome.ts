import type { MailOutcome } from '@posthorn/core/ports'
import { Refusal } from '@posthorn/core/rendering'
import { NoAnswer } from '../no-answer.js'

/** Nothing was taken, and it is not the mail's fault. */
export const deferred = (name: string, message: string, throttled = false): MailOutcome => ({
  kind: 'deferred',
  error: { name, message },
  throttled,
})

export const refused = (name: string, message: string): MailOutcome => ({ kind: 'refused', error: { name, message } })

/** What concerns the whole account: by the name of AWS's answer, what a person can do about it. */
const accountWide: Readonly<Record<string, string>> = {
  AccountSuspendedException:
    'Amazon has suspended sending by this account. The case that Amazon has opened says why. Answer it in the AWS Support Center.',
  SendingPausedException:
    'Sending is paused in Amazon SES. “aws sesv2 put-account-sending-attributes --sending-enabled” turns it on again.',
  AccessDeniedException:
    'The AWS credentials may not do this. Allow it in IAM to the key or role that this server has.',
  UnrecognizedClientException: 'AWS does not know the access key that this server has. Check AWS_ACCESS_KEY_ID.',
  InvalidClientTokenId: 'AWS does not know the access key that this server has. Check AWS_ACCESS_KEY_ID.',
  SignatureDoesNotMatch: 'AWS refused the signature. Check AWS_SECRET_ACCESS_KEY.',
  InvalidSignatureException:
    'AWS refused the signature. Check AWS_SECRET_ACCESS_KEY, and that the clock of this machine is right.',
  ExpiredTokenException: 'The AWS credentials have expired. Renew them, or let the server use a role.',
  ExpiredToken: 'The AWS credentials have expired. Renew them, or let the server use a role.',
  RequestExpired: 'AWS refused the time of the request. Set the clock of this machine right.',
  CredentialsProviderError:
    'No AWS credentials were found. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run the server with a role.',
  NotFoundException:
    'The configuration set or tenant that the mail goes by is not in Amazon SES. Check POSTHORN_SES_CONFIGURATION_SET, or add the domain again.',
}

const anotherKey = 'Store the access key and the secret of cloudConfig anew, with secrets of an IAM user that may send.'
const byTheLink = 'Make the role by the setup link, in the account that is to send, and store its ARN in cloudConfig.'

/** The same in an account that is a project's own: its owner has other means than this server's operator. */
const ownAccountWide: typeof accountWide = {
  AccessDenied: `The role of cloudConfig lets nobody in with this project’s external id. ${byTheLink}`,
  AccessDeniedException:
    'The credentials of cloudConfig may not do this. Allow it in IAM, or make the role by the setup link.',
  UnrecognizedClientException: `AWS does not know the access key of cloudConfig. ${anotherKey}`,
  InvalidClientTokenId: `AWS does not know the access key of cloudConfig. ${anotherKey}`,
  SignatureDoesNotMatch: `AWS refused the secret of cloudConfig. ${anotherKey}`,
  InvalidSignatureException: `AWS refused the secret of cloudConfig. ${anotherKey}`,
  NotFoundException: 'The configuration set that the mail goes by is not in that account.',
}

/** Answers to whoever is let in nowhere: no other call will fare better. */
const shutOut = new Set([
  'AccessDenied',
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'RequestExpired',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
])

/** Whether AWS takes the credentials for nothing at all, and not only for this call. */
export const isShutOut = (error: unknown): boolean =>
  error instanceof Error && (error instanceof Refusal || shutOut.has(error.name))

/** Answers that say "too fast", whatever their status: what is over a limit comes again later without counting as a try. */
const tooFast = new Set(['TooManyRequestsException', 'LimitExceededException', 'ThrottlingException', 'Throttling'])

/** Whether it says that the day's quota is used up: "Daily message quota exceeded" (Amazon SES Developer Guide, "Errors related to sending quotas"). */
export const isDayUsedUp = (error: unknown): boolean => error instanceof Error && /\bdaily\b/i.test(error.message)

type Answered = { readonly name: string; readonly message: string; readonly status: number | undefined }

const answered = (error: Error): Answered => {
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } }
  return { name: error.name, message: error.message, status: $metadata?.httpStatusCode }
}

/** Whether it concerns all mails of the account, and not this one. */
export const concernsAccount = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof Refusal || Object.hasOwn(accountWide, error.name) || answered(error).status === 403)

/** What may be over before anybody has done something: credentials are fetched again, a domain is being added. */
const passing = new Set(['CredentialsProviderError', 'NotFoundException'])

/** Whether nothing of the account leaves until a person has done something. */
export const stopsAccount = (error: unknown): boolean =>
  concernsAccount(error) && error instanceof Error && !passing.has(error.name)

/** What a failed call means for a person: AWS's answer, and what can be done about it; in a project's own account, by its owner. */
export const wordsFor = (error: unknown, isOwn = false): string => {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof Refusal) return error.message
  const known = isOwn && Object.hasOwn(ownAccountWide, error.name) ? ownAccountWide : accountWide
  const advice = Object.hasOwn(known, error.name) ? known[error.name] : undefined
  const told = `${error.name}: ${error.message}`
  return advice === undefined ? told : `${advice} (${told})`
}

/**
 * What a failed SendEmail means for its mail. A request that never left whole has sent nothing; one that left and was not answered
 * may have. What concerns the account stops it, what passes or cannot be told defers the mail; what SES says of the mail itself
 * refuses it.
 */
export const outcomeOf = (error: unknown, isOwn = false): MailOutcome => {
  if (!(error instanceof Error)) return deferred('SesUnreachable', String(error))
  if (error instanceof NoAnswer && error.written)
    return { kind: 'unknown', error: { name: 'SesNoAnswer', message: error.message } }
  if (error instanceof NoAnswer) return deferred('SesUnreachable', error.message)
  const { name, message, status } = answered(error)
  if (tooFast.has(name) || status === 429) return deferred(name, message, true)
  if (stopsAccount(error)) return { kind: 'stopped', error: { name, message: wordsFor(error, isOwn) } }
  if (concernsAccount(error)) return deferred(name, wordsFor(error, isOwn))
  const isOfTheMail = status !== undefined && status >= 400 && status < 500 && status !== 408
  return isOfTheMail ? refused(name, message) : deferred(name, message)
}
