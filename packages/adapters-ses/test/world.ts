import type { Mail } from '@posthorn/core/ports/transport'
import { type LocalSes, type LocalSesOptions, localSes } from '@posthorn/local-aws'
import { afterEach } from 'vitest'
import type { SesOptions } from '../src/index.js'

export const region = 'eu-west-1'
export const topicArn = `arn:aws:sns:${region}:123456789012:posthorn-events`

const endings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})
/** Runs when the test has ended, the last one first. */
export const atEnd = (end: () => Promise<void>): void => {
  endings.push(end)
}

/** What leads the SDK to the local SES. */
export const awsOf = ({ url }: Pick<LocalSes, 'url'>): SesOptions => ({
  aws: { endpoint: url, credentials: { accessKeyId: 'AKIDLOCAL', secretAccessKey: 'secret' } },
})

/** A local SES with the domain shop.example verified. */
export const started = async (options: LocalSesOptions = {}) => {
  const ses = await localSes(options)
  atEnd(ses.close)
  ses.region(region).identities.verify('shop.example', true)
  return ses
}

let counted = 0
export const mail = (changes: Partial<Mail> = {}): Mail => {
  counted += 1
  const recipient = counted.toString(16).padStart(24, '0')
  return {
    deliveryId: `${'d'.repeat(24)}:${recipient}`,
    projectId: 'a'.repeat(24),
    from: 'news@shop.example',
    to: `reader${counted}@example.org`,
    mime: `Subject: ${counted}\r\nX-Number: ${counted}\r\n\r\nHello =E2=82=AC`,
    ...changes,
  }
}
