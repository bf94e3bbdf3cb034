import type { MailError } from '../channels/mailer.js'
import { type RefusalSubject, refusalSubjectOfText } from './refusal-phrases.js'

/** Subjects of enhanced statuses (RFC 3463, IANA), without their class: `1.1` for `5.1.1`. See docs/bounces.md. */
const statusSubjects: Readonly<Record<string, RefusalSubject>> = {
  0: 'other',
  // Gateways write 1.0 before any refusal; 1.4 is an ambiguous address.
  1: 'other',
  '1.1': 'gone',
  '1.2': 'gone',
  '1.3': 'gone',
  '1.5': 'fine',
  '1.6': 'gone',
  '1.7': 'sender',
  '1.8': 'sender',
  '1.9': 'fine',
  '1.10': 'gone',
  // Servers give 2.0 for mailboxes in any state.
  2: 'other',
  '2.1': 'gone',
  '2.2': 'full',
  '2.3': 'message',
  // The mailing list itself exists.
  '2.4': 'system',
  3: 'system',
  '3.4': 'message',
  '3.6': 'fine',
  4: 'system',
  // The domain or its server does not exist.
  '4.4': 'gone',
  // Exchange Online: the DNS domain does not exist.
  '4.310': 'gone',
  5: 'other',
  '5.3': 'rate',
  6: 'message',
  7: 'policy',
}

/** Given for any reason; 7.17: another owner (RFC 7293). A text saying that the address is gone outweighs them. */
const generic: readonly string[] = ['3.0', '4.0', '4.1', '7.0', '7.1', '7.17']

const enhanced = /(?<![\d.])[45]\.[0-7]\.\d{1,3}(?!\d|\.\d)/g

const longestText = 2_000

/** The last one: the remote server's status follows the reporting server's. */
export const enhancedStatusIn = (text: string): string | undefined => text.slice(0, longestText).match(enhanced)?.at(-1)

export const refusalSubjectOfStatus = (status: string): RefusalSubject => {
  const [, subject = '', detail = ''] = status.split('.')
  return statusSubjects[`${subject}.${detail}`] ?? statusSubjects[subject] ?? 'other'
}

type ServerRefusal = {
  readonly text: string
  readonly status?: string | undefined
  /** By the provider; counts only if status and text are inconclusive. */
  readonly judgedPermanent?: boolean
}

type Classified = {
  readonly subject: RefusalSubject
  /** Only these suppress an address. */
  readonly isPermanent: boolean
}

/** Exchange Online, unknown address; with another status, a policy. */
const isDirectoryRefusal = (status: string | undefined, text: string) =>
  status === '5.4.1' && /recipient address rejected:\s{1,10}access denied/i.test(text)

const subjectOf = (status: string | undefined, text: string): RefusalSubject => {
  if (isDirectoryRefusal(status, text)) return 'gone'
  const ofText = refusalSubjectOfText(text)
  if (status === undefined || (ofText !== 'other' && ofText !== 'gone')) return ofText
  const ofStatus = refusalSubjectOfStatus(status)
  return ofStatus === 'other' || (ofText === 'gone' && generic.includes(status.slice(2))) ? ofText : ofStatus
}

/**
 * Text about sender, rates, policy, content, space or server outweighs any status. Permanent if docs/bounces.md lists the status, or if the text says
 * that the address is gone and the status does not contradict it.
 */
export const classifyRefusal = ({ status: reported, text, judgedPermanent = false }: ServerRefusal): Classified => {
  const status = enhancedStatusIn(text) ?? reported
  const subject = subjectOf(status, text)
  const isForGood = status === undefined || status.startsWith('5')
  return { subject, isPermanent: isForGood && (subject === 'gone' || (judgedPermanent && subject === 'other')) }
}

export const isPermanentRefusal = (refusal: ServerRefusal): boolean => classifyRefusal(refusal).isPermanent

/**
 * `connection`: no or an incomplete response. `account`: the sending account or its permissions. `content`: the mail could not be rendered. `worker`:
 * the process or thread died. Others: subjects of refusals.
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
type FailureClass = (typeof failureClasses)[number]

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
  CampaignStopped: 'account',
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

export const failureClassOf = ({ name, message }: MailError): FailureClass =>
  Object.hasOwn(byName, name) ? (byName[name] ?? 'other') : classOf[classifyRefusal({ text: message }).subject]
