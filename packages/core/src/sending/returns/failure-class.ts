import type { MailError } from '../channels/mailer.js'
import { type RefusalSubject, subjectOfStatus, subjectOfWords } from './final-refusal.js'

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

/** A reply as SMTP's errors begin: its code, and the enhanced status where it gave one. */
const reply = /^[245]\d\d[ -]([245]\.\d{1,3}\.\d{1,3})\b/

/** `fine` is what a status says of a mail that arrived, which is none of a failure. */
const classOf = (subject: RefusalSubject): FailureClass => (subject === 'fine' ? 'other' : subject)

/** What the error of a mail that failed, or was put off, is about. */
export const failureClassOf = ({ name, message }: MailError): FailureClass => {
  if (Object.hasOwn(byName, name)) return byName[name] ?? 'other'
  const status = reply.exec(message)?.[1]
  const told = status === undefined ? 'other' : classOf(subjectOfStatus(status))
  return told === 'other' ? classOf(subjectOfWords(message)) : told
}
