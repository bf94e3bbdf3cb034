import { createHash, randomUUID, sign } from 'node:crypto'
import type { SigningCertificate } from './certificate.js'

export type SignatureVersion = '1' | '2'
export type SnsType = 'Notification' | 'SubscriptionConfirmation'

/** A message as SNS posts it; all values are strings. */
export type SnsMessage = Readonly<Record<string, string>>

const signed: Readonly<Record<SnsType, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
}

const signatureOf = (type: SnsType, fields: SnsMessage, version: SignatureVersion, key: SigningCertificate) => {
  const text = signed[type].flatMap((name) => (fields[name] === undefined ? [] : [name, fields[name]]))
  const hash = version === '1' ? 'sha1' : 'sha256'
  return sign(hash, Buffer.from(`${text.join('\n')}\n`), key.privateKey).toString('base64')
}

export type SnsSigner = {
  readonly certificate: () => SigningCertificate
  /** The base URL of the certificate and of subscription confirmations. */
  readonly base: () => string
  readonly version: () => SignatureVersion
  readonly now: () => number
}

/** The path of the certificate on the server. Its file name is derived from the certificate, like Amazon's. */
export const certificatePath = ({ pem }: SigningCertificate) =>
  `/SimpleNotificationService-${createHash('md5').update(pem).digest('hex')}.pem`

/** A signed message; `changes` apply before signing. */
export const snsMessage = (
  { certificate, base, version, now }: SnsSigner,
  type: SnsType,
  topicArn: string,
  message: string,
  changes: SnsMessage = {},
): SnsMessage => {
  const token = randomUUID().replaceAll('-', '')
  const subscribe = `${base()}/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=${token}`
  const fields: SnsMessage = {
    Type: type,
    MessageId: randomUUID(),
    TopicArn: topicArn,
    Message: message,
    Timestamp: new Date(now()).toISOString(),
    ...(type === 'SubscriptionConfirmation' && { Token: token, SubscribeURL: subscribe }),
    ...changes,
  }
  return {
    ...fields,
    SignatureVersion: version(),
    Signature: signatureOf(type, fields, version(), certificate()),
    SigningCertURL: `${base()}${certificatePath(certificate())}`,
  }
}
