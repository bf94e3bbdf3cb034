import type { MailError } from '../channels/mailer.js'
import { classifyRefusal, type RefusalSubject } from './bounce-classifier.js'

/**
 * Coarse reasons for failures, for counting. `connection`: no response, or an incomplete one. `throttled`: sent too fast. `account`: the
 * sending account, its credentials or its permissions. `content`: the mail could not be rendered. `worker`: the process or thread that held
 * the mail died. The others are the subjects of a server's refusal.
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

/** Classes that the error's name determines. */
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

/** `fine` is a status of delivered mails. */
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

/** The class of a failed or put-off mail's error. */
export const failureClassOf = ({ name, message }: MailError): FailureClass =>
  Object.hasOwn(byName, name) ? (byName[name] ?? 'other') : classOf[classifyRefusal({ text: message }).subject]
