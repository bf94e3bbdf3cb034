import type { Mail, MailOutcome } from '@posthorn/core/ports/transport'
import { ConnectionLost, type SmtpConnection } from './channel.js'
import { dataPieces, dotStuffedSmtpData, smtpDataPieceLength, terminatedSmtpData } from './message-text.js'
import { deferredOutcome, outcomeOfReply, queueIdOfReply, refusedOutcome } from './outcome.js'
import { replyText, type SmtpReply } from './reply.js'
import type { SmtpSession } from './session.js'
import type { SmtpTimeouts } from './smtp-settings.js'

/** `untouched`: none of the message was written; another connection may try. */
export type SmtpAttempt = { readonly outcome: MailOutcome; readonly untouched: boolean }

const decided = (outcome: MailOutcome): SmtpAttempt => ({ outcome, untouched: false })

/** In bytes per ms: extends large mails' timeout. */
const minimumRate = 16

const commandNames = ['MAIL FROM', 'RCPT TO', 'DATA']

const positive = ({ code }: SmtpReply, index: number) => (index === 2 ? code === 354 : code >= 200 && code < 300)

const negative = ({ code }: SmtpReply) => code >= 400

const lostBeforeMessage = (error: unknown): SmtpAttempt => {
  if (!(error instanceof ConnectionLost)) throw error
  const at = error.replies.findIndex(negative)
  const reply = error.replies[at]
  const outcome = reply
    ? outcomeOfReply(reply, commandNames[at] ?? '')
    : deferredOutcome('SmtpConnectionLost', error.message)
  const throttled = outcome.kind === 'deferred' && outcome.throttled
  return { outcome, untouched: !error.timedOut && !throttled && (reply === undefined || reply.code === 421) }
}

const lostInMessage = (error: unknown): SmtpAttempt => {
  if (!(error instanceof ConnectionLost)) throw error
  const [reply] = error.replies
  if (reply) return decided(outcomeOfReply(reply, 'the message'))
  if (!error.transmitted) return decided(deferredOutcome('SmtpConnectionLost', error.message))
  return decided({ kind: 'unknown', error: { name: 'SmtpConnectionLost', message: error.message } })
}

const sendOneByOne = async (channel: SmtpConnection, commands: readonly string[], timeout: number) => {
  const replies: SmtpReply[] = []
  for (const command of commands) {
    replies.push(...(await channel.request(command, 1, timeout)))
    if (replies.some(negative)) break
  }
  return replies
}

/**
 * A server that accepts DATA without recipients gets an empty message (RFC 2920, 3.1). If it accepted the recipient, it would deliver that:
 * drops the connection.
 */
const reset = async (
  channel: SmtpConnection,
  [, recipient, data]: readonly SmtpReply[],
  timeout: number,
): Promise<void> => {
  if (data?.code !== 354) {
    const [reply] = await channel.request('RSET\r\n', 1, timeout)
    if (reply?.code !== 250) channel.fail('The server refuses RSET')
  } else if (recipient && negative(recipient)) await channel.request('.\r\n', 1, timeout)
  else channel.fail('The server accepted DATA after refusing the sender')
}

const textOf = ({ mime, isTransparent }: Mail) =>
  mime.length > smtpDataPieceLength
    ? dataPieces(mime)
    : isTransparent
      ? terminatedSmtpData(mime)
      : dotStuffedSmtpData(mime)

/** RFC 5321, section 3.3. */
export const smtpTransaction = async (
  { channel, pipelining, sizeLimit }: SmtpSession,
  mail: Mail,
  timeouts: SmtpTimeouts,
  /** Called once, as soon as the connection may take the next mail's envelope. */
  next: () => void,
): Promise<SmtpAttempt> => {
  const { from, envelopeFrom = from, to, mime } = mail
  if (sizeLimit !== undefined && mime.length > sizeLimit)
    return decided(
      refusedOutcome('MessageTooLarge', `The mail has ${mime.length} bytes; the server accepts at most ${sizeLimit}`),
    )

  const size = sizeLimit === undefined ? '' : ` SIZE=${mime.length}`
  const commands = [`MAIL FROM:<${envelopeFrom}>${size}\r\n`, `RCPT TO:<${to}>\r\n`, 'DATA\r\n']
  let replies: readonly SmtpReply[]
  try {
    replies = pipelining
      ? await channel.request(commands.join(''), commands.length, timeouts.command)
      : await sendOneByOne(channel, commands, timeouts.command)
  } catch (error) {
    return lostBeforeMessage(error)
  }

  const at = replies.findIndex((reply, index) => !positive(reply, index))
  const refusal = replies[at]
  if (refusal && !negative(refusal)) {
    channel.fail(`The server answered ${commandNames[at]} with ${replyText(refusal)}`)
    return decided(deferredOutcome('SmtpProtocolError', `${replyText(refusal)} (in reply to ${commandNames[at]})`))
  }
  if (refusal) {
    const ready = reset(channel, replies, timeouts.command).catch(() => undefined)
    if (!pipelining) await ready
    return decided(outcomeOfReply(refusal, commandNames[at] ?? ''))
  }

  const response = channel.request(textOf(mail), 1, timeouts.data + mime.length / minimumRate)
  if (pipelining) next()
  let reply: SmtpReply
  try {
    ;[reply] = (await response) as readonly [SmtpReply]
  } catch (error) {
    return lostInMessage(error)
  }
  if (reply.code < 300) return decided({ kind: 'accepted', providerMessageId: queueIdOfReply(reply) })
  if (reply.code >= 400) return decided(outcomeOfReply(reply, 'the message'))
  channel.fail(`The server answered a mail with ${replyText(reply)}`)
  return decided({ kind: 'unknown', error: { name: 'SmtpProtocolError', message: replyText(reply) } })
}
