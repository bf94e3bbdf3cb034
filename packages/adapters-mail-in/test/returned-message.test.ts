import { describe, expect, it } from 'vitest'
import { corpus } from '../../../tests/corpora/bounces/bounces.js'
import { readReturned } from '../src/index.js'

const bytes = (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'))

const report = (recipients: string, original = '') =>
  bytes(`From: mailer-daemon@example.net
Subject: Undelivered
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: text/plain

what a person reads
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; example.net

${recipients}
--b
Content-Type: message/rfc822

${original}
--b--
`)

const failed = (status: string, diagnostic = '') =>
  `Final-Recipient: rfc822; a@example.net\nAction: failed\nStatus: ${status}\n${diagnostic && `Diagnostic-Code: smtp; ${diagnostic}\n`}\n`

describe('a delivery status', () => {
  it('prefers the remote server’s status to the reporting server’s', async () => {
    expect(await readReturned(report(failed('5.1.1', '550 5.7.1 rejected')), 'bounce')).toMatchObject({
      outcome: 'transient',
      status: '5.7.1',
    })
    expect(await readReturned(report(failed('5.0.0', '550 5.1.1 unknown')), 'bounce')).toMatchObject({
      outcome: 'permanent',
      status: '5.1.1',
    })
  })

  it('does not read IP addresses as statuses', async () => {
    const answer = await readReturned(report(failed('5.0.0', '550 5.1.1.9 and 10.5.1.1 are addresses')), 'bounce')
    expect(answer).toMatchObject({ outcome: 'transient', status: '5.0.0' })
  })

  it('is permanent only if it is for all recipients', async () => {
    const delivered = 'Final-Recipient: rfc822; b@example.net\nAction: delivered\nStatus: 2.0.0\n\n'
    expect(await readReturned(report(failed('5.1.1') + delivered), 'bounce')).toMatchObject({ outcome: 'delivered' })
    expect(await readReturned(report(failed('5.1.1') + failed('5.2.2')), 'bounce')).toMatchObject({
      outcome: 'transient',
    })
    expect(await readReturned(report(failed('5.1.1') + failed('5.1.2')), 'bounce')).toMatchObject({
      outcome: 'permanent',
    })
  })

  it('is not read from the returned mail', async () => {
    const inner = report(failed('5.1.1')).toString()
    expect(await readReturned(report(failed('5.2.2'), inner), 'bounce')).toMatchObject({ outcome: 'transient' })
    const forwarded = bytes('From: a@b.example\nSubject: look\nContent-Type: message/rfc822\n\n').toString() + inner
    expect(await readReturned(Buffer.from(forwarded), 'bounce')).toMatchObject({ kind: 'other' })
  })

  it('without recipients means nothing', async () => {
    expect(await readReturned(report(''), 'bounce')).not.toMatchObject({ outcome: 'permanent' })
  })
})

describe('a returned message', () => {
  const hostile: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['no header', '\n\n'],
    ['one line of 5 MB', `Subject: ${'x'.repeat(5_000_000)}`],
    ['a header without an end', 'a: b\n'.repeat(500_000)],
    ['parts in parts in parts', 'Content-Type: multipart/mixed; boundary=b\n\n--b\n'.repeat(20_000)],
    ['mails in mails in mails', 'Content-Type: message/rfc822\n\n'.repeat(20_000)],
    ['a hundred thousand parts', `Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(100_000)}`],
    ['html of open tags', `From: mailer-daemon@x\nContent-Type: text/html\n\n${'<'.repeat(1_000_000)}`],
    ['a hundred thousand recipients', report(failed('5.1.1').repeat(100_000)).toString()],
    ['a status of spaces', report(`Status:${' '.repeat(300_000)}5.1.1`).toString()],
    ['digits and dots', `From: mailer-daemon@x\nSubject: failure notice\n\n${'5.1.'.repeat(300_000)}`],
    ['codes', `From: mailer-daemon@x\nSubject: failure notice\n\n${'<<< 55'.repeat(200_000)}`],
    ['addresses without an end', report(failed('5.1.1'), 'b-a'.repeat(300_000)).toString()],
    ['base64 that is none', 'Content-Transfer-Encoding: base64\n\n====\u0000\n'.repeat(10_000)],
    ['an unknown charset', 'Content-Type: text/plain; charset=x-klingon\n\nqapla'],
  ]

  it.each(hostile)('of %s is parsed or ignored, and never throws', async (_name, text) => {
    for (const to of ['bounce', 'unsubscribe', 'role'] as const)
      expect((await readReturned(Buffer.from(text), to)).kind).not.toBe('feedback')
  })

  it('of the corpus, truncated anywhere, never throws and never becomes a complaint', async () => {
    const unwanted = corpus.filter(({ label }) => label !== 'complaint' && label !== 'no-complaint')
    const kinds = new Set<string>()
    for (const { raw, to } of unwanted)
      for (const share of [0.2, 0.5, 0.8])
        kinds.add((await readReturned(raw.subarray(0, Math.floor(raw.length * share)), to)).kind)
    expect([...kinds]).not.toContain('feedback')
  })

  it('to the unsubscribe address is no request if it is a report or reply', async () => {
    expect(await readReturned(report(failed('5.1.1')), 'unsubscribe')).toMatchObject({ kind: 'delivery-status' })
    expect(await readReturned(bytes('Auto-Submitted: auto-replied\n\nI am away'), 'unsubscribe')).toEqual({
      kind: 'auto-reply',
    })
    expect(await readReturned(bytes('Subject: anything\n\n'), 'unsubscribe')).toEqual({ kind: 'unsubscribe' })
  })
})

it('is parsed up to 256 kB and 2,500 lines, with 32 kB of header', async () => {
  const after = (lines: number, line: string) => bytes(`${`X: ${line}\n`.repeat(lines)}`)
  const reported = (head: Uint8Array) => readReturned(Buffer.concat([head, report(failed('5.1.1'))]), 'bounce')
  expect(await reported(after(2_450, ''))).toMatchObject({ outcome: 'permanent' })
  expect(await reported(after(2_500, ''))).toEqual({ kind: 'other' })
  expect(await reported(after(30, 'x'.repeat(1_000)))).toMatchObject({ outcome: 'permanent' })
  expect(await reported(after(40, 'x'.repeat(1_000)))).toEqual({ kind: 'other' })
})
