import type { Mail, Mailer } from '@posthorn/core/ports/transport'
import { describe, expect, it } from 'vitest'
import { providerHeaderTemplates, withProviderReferenceHeaders } from '../../src/index.js'

const taken: Mail[] = []
const mailer: Mailer = {
  send: async (mail) => {
    taken.push(mail)
    return { kind: 'accepted', providerMessageId: 'x' }
  },
  ratePerSecond: async () => undefined,
  reportsSends: false,
  concurrency: 1,
  check: async () => undefined,
  close: async () => undefined,
}
const mail = {
  deliveryId: 'd',
  projectId: 'p',
  from: 'a@example.com',
  to: 'b@example.com',
  mime: 'To: b\r\n\r\nHello\r\n',
}
const headers = providerHeaderTemplates([
  (reference) => `X-PM-Metadata-posthorn: ${reference}`,
  (reference) => `X-SMTPAPI: {"unique_args": {"posthorn": "${reference}"}}`,
])

describe('a mail with a reference', () => {
  it('gets the providers’ header lines', async () => {
    await withProviderReferenceHeaders(mailer, headers).send({ ...mail, reference: 'r-1' })
    expect(taken.pop()?.mime).toBe(
      `X-PM-Metadata-posthorn: r-1\r\nX-SMTPAPI: {"unique_args": {"posthorn": "r-1"}}\r\n${mail.mime}`,
    )
  })

  it('stays unchanged without providers or without a reference', async () => {
    await withProviderReferenceHeaders(mailer, headers).send(mail)
    expect(taken.pop()?.mime).toBe(mail.mime)
    expect(withProviderReferenceHeaders(mailer, [])).toBe(mailer)
  })
})
