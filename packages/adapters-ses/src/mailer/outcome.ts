import type { MailOutcome } from '@posthorn/core/ports/transport'
import { Refusal } from '@posthorn/core/rendering'
import { NoAnswer } from '../http/response-reader.js'

export const deferredOutcome = (name: string, message: string, throttled = false): MailOutcome => ({
  kind: 'deferred',
  error: { name, message },
  throttled,
})

export const refusedOutcome = (name: string, message: string): MailOutcome => ({
  kind: 'refused',
  error: { name, message },
})

/** Errors of the whole account, and what the operator can do. */
const accountWide: Readonly<Record<string, string>> = {
  AccountSuspendedException:
    'Amazon has suspended sending by this account. The case that Amazon has opened says why. Answer it in the AWS Support Center.',
  SendingPausedException:
    'Sending is paused in Amazon SES. “aws sesv2 put-account-sending-attributes --sending-enabled” turns it on again.',
  AccessDeniedException: 'The AWS credentials lack a permission. Allow the call in IAM for this server’s key or role.',
  UnrecognizedClientException: 'AWS does not know this server’s access key. Check AWS_ACCESS_KEY_ID.',
  InvalidClientTokenId: 'AWS does not know this server’s access key. Check AWS_ACCESS_KEY_ID.',
  SignatureDoesNotMatch: 'AWS refused the signature. Check AWS_SECRET_ACCESS_KEY.',
  InvalidSignatureException: 'AWS refused the signature. Check AWS_SECRET_ACCESS_KEY and this machine’s clock.',
  ExpiredTokenException: 'The AWS credentials have expired. Renew them, or let the server use a role.',
  ExpiredToken: 'The AWS credentials have expired. Renew them, or let the server use a role.',
  RequestExpired: 'AWS rejected the time of the request. Correct this machine’s clock.',
  CredentialsProviderError:
    'No AWS credentials were found. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run the server with a role.',
  NotFoundException:
    'The mail’s configuration set or tenant does not exist in Amazon SES. Check POSTHORN_SES_CONFIGURATION_SET, or add the domain again.',
}

const anotherKey = 'Store a new access key and secret in cloudConfig, of an IAM user that may send.'
const byTheLink = 'Create the role with the setup link in the sending account, and store its ARN in cloudConfig.'

const ownAccountWide: typeof accountWide = {
  AccessDenied: `The role of cloudConfig cannot be assumed with this project’s external id. ${byTheLink}`,
  AccessDeniedException:
    'The credentials of cloudConfig lack a permission. Allow the call in IAM, or create the role with the setup link.',
  UnrecognizedClientException: `AWS does not know the access key of cloudConfig. ${anotherKey}`,
  InvalidClientTokenId: `AWS does not know the access key of cloudConfig. ${anotherKey}`,
  SignatureDoesNotMatch: `AWS refused the secret of cloudConfig. ${anotherKey}`,
  InvalidSignatureException: `AWS refused the secret of cloudConfig. ${anotherKey}`,
  NotFoundException: 'The mail’s configuration set does not exist in that account.',
}

/** Every other call would fail too. */
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

export const isCredentialsError = (error: unknown): boolean =>
  error instanceof Error && (error instanceof Refusal || shutOut.has(error.name))

/** The mail is retried later; the attempt does not count. */
const tooFast = new Set(['TooManyRequestsException', 'LimitExceededException', 'ThrottlingException', 'Throttling'])

/** "Daily message quota exceeded" (Amazon SES Developer Guide, "Errors related to sending quotas"). */
export const isDailyQuotaError = (error: unknown): boolean => error instanceof Error && /\bdaily\b/i.test(error.message)

type Answered = { readonly name: string; readonly message: string; readonly status: number | undefined }

const answered = (error: Error): Answered => {
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } }
  return { name: error.name, message: error.message, status: $metadata?.httpStatusCode }
}

export const isAccountError = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof Refusal || Object.hasOwn(accountWide, error.name) || answered(error).status === 403)

/** May pass: credentials are fetched again, a domain is being added. */
const passing = new Set(['CredentialsProviderError', 'NotFoundException'])

export const stopsAccount = (error: unknown): boolean =>
  isAccountError(error) && error instanceof Error && !passing.has(error.name)

export const sesErrorText = (error: unknown, isOwn = false): string => {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof Refusal) return error.message
  const known = isOwn && Object.hasOwn(ownAccountWide, error.name) ? ownAccountWide : accountWide
  const advice = Object.hasOwn(known, error.name) ? known[error.name] : undefined
  const original = `${error.name}: ${error.message}`
  return advice === undefined ? original : `${advice} (${original})`
}

/**
 * Only a completely written request may have sent something. Account errors stop the mail, transient or unclear ones defer it, errors of
 * the mail refuse it.
 */
export const outcomeOfError = (error: unknown, isOwn = false): MailOutcome => {
  if (!(error instanceof Error)) return deferredOutcome('SesUnreachable', String(error))
  if (error instanceof NoAnswer && error.written)
    return { kind: 'unknown', error: { name: 'SesNoAnswer', message: error.message } }
  if (error instanceof NoAnswer) return deferredOutcome('SesUnreachable', error.message)
  const { name, message, status } = answered(error)
  if (tooFast.has(name) || status === 429) return deferredOutcome(name, message, true)
  if (stopsAccount(error)) return { kind: 'stopped', error: { name, message: sesErrorText(error, isOwn) } }
  if (isAccountError(error)) return deferredOutcome(name, sesErrorText(error, isOwn))
  const isOfTheMail = status !== undefined && status >= 400 && status < 500 && status !== 408
  return isOfTheMail ? refusedOutcome(name, message) : deferredOutcome(name, message)
}
