import { createHmac } from 'node:crypto'

/** A webhook's own secret. */
export const secretKey = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Whether a post was signed with `secretKey`, as https://www.standardwebhooks.com has it. */
export const isSigned = (headers: Headers, body: string): boolean => {
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  const key = Buffer.from(secretKey.slice('whsec_'.length), 'base64')
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}
