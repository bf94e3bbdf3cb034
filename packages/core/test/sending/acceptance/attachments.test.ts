import { violationSentences } from '@posthorn/core/ports/transport'
import { inMemoryFiles } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import {
  DirectMailAttachments,
  keepAttachments,
  loadAttachments,
  MailAttachments,
} from '../../../src/sending/acceptance/attachments.js'

const wrong =
  'Invalid attachments format. Ensure each attachment has a filename with an extension and content type base64.'
const file = (content: unknown) => [{ filename: 'a.bin', content }]

describe('an attachment', () => {
  it('may use all 25 MB of a send', () => {
    const [attachment] = MailAttachments.parse(file('QUJD'.repeat(8_700_000)))
    expect(attachment?.size).toBe(26_100_000)
  })

  it.each([
    'QQ',
    'Q===',
    '=QQQ',
    'QQ=Q',
    'QQ==QQ==',
    'Q Q=',
    'Qé==',
    `${'QUJD'.repeat(1_000_000)}!`,
    `=${'QUJD'.repeat(100)}QQQ`,
  ])('is rejected if its content is not base64', (content) => {
    expect(violationSentences(MailAttachments, file(content))).toEqual([wrong])
  })

  it.each(['report.2026-01', 'Bericht März.pdf', '.htaccess.txt', 'a.b.c', 'a..b'])('may be named %s', (filename) => {
    expect(MailAttachments.parse([{ filename, content: 'QQ==' }])[0]?.filename).toBe(filename)
  })

  it.each(['README', 'dot.', '.hidden', '..hidden', 'Dr. Who'])(
    'has an extension, but for direct sends: %j',
    (filename) => {
      const files = [{ filename, content: 'QQ==' }]
      expect(violationSentences(MailAttachments, files)).toEqual([wrong])
      expect(DirectMailAttachments.parse(files)[0]?.filename).toBe(filename)
    },
  )

  it.each(['', '.', '..', 'a/b.c', 'a\\b.c', 'a\nb.c', 'a\0b.c', 'a.b/c'])(
    'is rejected under the name %j',
    (filename) => {
      for (const schema of [MailAttachments, DirectMailAttachments])
        expect(violationSentences(schema, [{ filename, content: 'QQ==' }])).toEqual([wrong])
    },
  )

  it.each([[{ filename: 'a.txt' }], [{ content: 'QQ==' }], [{}], [5], [null], [{ filename: 5, content: 'QQ==' }]])(
    'without name or content is rejected in the same sentence: %j',
    (one) => {
      expect(violationSentences(MailAttachments, [one])).toEqual([wrong])
    },
  )

  it('has no other fields', () => {
    expect(violationSentences(MailAttachments, [{ filename: 'a.txt', content: 'QQ==', type: 'text' }])).toEqual([
      'Unexpected field: [0].type',
    ])
  })

  it('without a known extension is sent as application/octet-stream', async () => {
    const files = inMemoryFiles()
    const parsed = DirectMailAttachments.parse([{ filename: 'README', content: 'QQ==' }])
    const refs = await keepAttachments(files, 'd', parsed, async () => undefined)
    expect(refs).toMatchObject([{ contentType: 'application/octet-stream' }])
  })

  it('has its decoded size, without line breaks', () => {
    const sizes = ['', 'QQ==', 'QUI=', 'QUJD', 'QU\r\nJD', 'QUJD\nQQ=\n=\n'].map(
      (content) => MailAttachments.parse(file(content))[0]?.size,
    )
    expect(sizes).toEqual([0, 1, 2, 3, 3, 4])
  })

  it('is stored in lines of 76 characters, yielding to other work', async () => {
    const files = inMemoryFiles()
    const content = 'QUJD'.repeat(1_000_000)
    let pauses = 0
    const pause = async () => {
      pauses += 1
    }
    const attachments = MailAttachments.parse([
      ...file(content),
      ...file((content.match(/.{1,64}/g) ?? []).join('\r\n')),
      ...file(''),
    ])
    const refs = await keepAttachments(files, 'd', attachments, pause)
    expect(pauses).toBeGreaterThan(10)
    const [one, other, empty] = await loadAttachments(files, refs)
    expect(
      one?.content
        .split('\r\n')
        .slice(0, -1)
        .every((line) => line.length === 76),
    ).toBe(true)
    expect(one?.content.replaceAll('\r\n', '')).toBe(content)
    expect(other?.content).toBe(one?.content)
    expect(empty?.content).toBe('')
  })
})
