import { createVerify, type KeyObject } from 'node:crypto'
import { invalid } from '@posthorn/core/ports/runtime'
import { z } from 'zod'

const text = z.string()

/** Amazon SNS Developer Guide, "HTTP/HTTPS notification JSON format". */
export const SnsMessage = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: text.min(1).max(200),
  TopicArn: text.max(400),
  Subject: text.optional(),
  Message: text,
  Timestamp: text.max(40),
  Token: text.optional(),
  SubscribeURL: text.max(4_000).optional(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: text.max(2_000),
  SigningCertURL: text.max(1_000),
})
export type SnsMessage = z.output<typeof SnsMessage>

/** @throws Refusal `invalid`, without repeating the input */
export const validatedJson = <T>(json: string, schema: z.ZodType<T>, what: string): T => {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw invalid(`${what} is not valid JSON.`)
  }
  const { data, success } = schema.safeParse(value)
  if (!success) throw invalid(`${what} is not a message of Amazon SNS.`)
  return data
}

const ofNotification = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const
const ofConfirmation = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const

const hashes = { 1: 'RSA-SHA1', 2: 'RSA-SHA256' } as const

/** Amazon SNS Developer Guide, "Verifying the signatures of Amazon SNS messages". */
const signedText = (message: SnsMessage): string => {
  const names = message.Type === 'Notification' ? ofNotification : ofConfirmation
  return names.map((name) => (message[name] === undefined ? '' : `${name}\n${message[name]}\n`)).join('')
}

export const isSignedBy = (message: SnsMessage, key: KeyObject): boolean =>
  createVerify(hashes[message.SignatureVersion]).update(signedText(message)).verify(key, message.Signature, 'base64')
