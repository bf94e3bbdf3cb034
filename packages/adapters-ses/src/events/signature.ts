import { createVerify, type KeyObject } from 'node:crypto'
import type { SnsMessage } from './sns-message.js'

const ofNotification = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const
const ofConfirmation = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const

const hashes = { 1: 'RSA-SHA1', 2: 'RSA-SHA256' } as const

/** Amazon SNS Developer Guide, "Verifying the signatures of Amazon SNS messages". */
export const signedText = (message: SnsMessage): string => {
  const names = message.Type === 'Notification' ? ofNotification : ofConfirmation
  return names.map((name) => (message[name] === undefined ? '' : `${name}\n${message[name]}\n`)).join('')
}

export const isSignedBy = (message: SnsMessage, key: KeyObject): boolean =>
  createVerify(hashes[message.SignatureVersion]).update(signedText(message)).verify(key, message.Signature, 'base64')
