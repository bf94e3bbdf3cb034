import type { MailError } from '../channels/mailer.js'
import { classifyRefusal, type RefusalSubject } from './bounce-classifier.js'

/**
 * What a mail's trouble is about, in few words that can be counted. `connection`: no answer, or half of one. `throttled`: too fast.
 * `account`: the account that sends, its credentials or its rights. `content`: the mail could not be made. `worker`: a process or thread that
 * had it died. The others are what a server's refusal speaks of.
 */
export const failureClasses = [
  'gone',
  'full',
  'sender',
  'message',
  'policy',
  'system',
  'connection',
  'throttled',
  'account',
  'content',
  'worker',
  'other',
] as const
export type FailureClass = (typeof failureClasses)[number]

/** By the error's name, where that says it. */
const byName: Readonly<Record<string, FailureClass>> = {
  SmtpConnectionLost: 'connection',
  SmtpProtocolError: 'connection',
  SmtpUnavailable: 'connection',
  SmtpFailure: 'connection',
  SesUnreachable: 'connection',
  SesNoAnswer: 'connection',
  MailerFailure: 'connection',
  OutboxFailure: 'system',
  SmtpThrottled: 'throttled',
  TooManyRequestsException: 'throttled',
  LimitExceededException: 'throttled',
  ThrottlingException: 'throttled',
  Throttling: 'throttled',
  MailerUnavailable: 'account',
  DispatchStopped: 'account',
  RelayRefusesAll: 'account',
  AccountSuspendedException: 'account',
  SendingPausedException: 'account',
  AccessDenied: 'account',
  AccessDeniedException: 'account',
  UnrecognizedClientException: 'account',
  InvalidClientTokenId: 'account',
  SignatureDoesNotMatch: 'account',
  InvalidSignatureException: 'account',
  ExpiredToken: 'account',
  ExpiredTokenException: 'account',
  RequestExpired: 'account',
  CredentialsProviderError: 'account',
  NotFoundException: 'account',
  RenderFailure: 'content',
  MalformedAddress: 'gone',
  MessageTooLarge: 'message',
  WorkerDied: 'worker',
  SendingThreadDied: 'worker',
}

/** `fine` is a status of mails that arrived. */
const classOf: Readonly<Record<RefusalSubject, FailureClass>> = {
  sender: 'sender',
  rate: 'throttled',
  policy: 'policy',
  message: 'message',
  full: 'full',
  system: 'system',
  gone: 'gone',
  fine: 'other',
  other: 'other',
}

/** What the error of a mail that failed, or was put off, is about. */
export const failureClassOf = ({ name, message }: MailError): FailureClass =>
  Object.hasOwn(byName, name) ? (byName[name] ?? 'other') : classOf[classifyRefusal({ text: message }).subject]
