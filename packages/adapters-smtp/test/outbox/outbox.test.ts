import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import nodemailer from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { openMailOutbox, outboxMailer } from '../../src/index.js'
import { mailTo, newFolder } from './folder.js'

const opened = () => {
  const directory = newFolder()
  const mailer = outboxMailer({ directory, log: () => undefined })
  const outbox = openMailOutbox({ directory })
  const send = async (mail: ReturnType<typeof mailTo>): Promise<string> => {
    const outcome = await mailer.send(mail)
    return outcome.kind === 'accepted' ? outcome.providerMessageId.slice('outbox-'.length) : ''
  }
  const fileOf = (id: string) => join(directory, id.slice(0, 2), `${id}.eml`)
  return { directory, outbox, send, fileOf }
}

const page = { skip: 0, limit: 50 }

describe('the outbox’s list', () => {
  it('is empty without a directory', async () => {
    expect(await openMailOutbox({ directory: join(newFolder(), 'none') }).list(page)).toEqual({ items: [], count: 0 })
  })

  it('has from, to, subject, date and size', async () => {
    const { outbox, send } = opened()
    const mail = mailTo('ada@example.org', { subject: '=?utf-8?Q?Gr=C3=BC=C3=9Fe?=' })
    const id = await send(mail)
    expect(await outbox.list(page)).toEqual({
      items: [
        {
          id,
          from: '"News, daily" <news@example.com>',
          to: 'ada@example.org',
          subject: 'Grüße',
          date: '2025-11-21T10:00:00.000Z',
          size: mail.mime.length,
        },
      ],
      count: 1,
    })
  })

  it('is sorted newest first, in pages', async () => {
    const { outbox, send, fileOf } = opened()
    const ids: string[] = []
    for (let i = 0; i < 5; i += 1) {
      const id = await send(mailTo(`reader${i}@example.org`))
      utimesSync(fileOf(id), i + 1, i + 1)
      ids.unshift(id)
    }
    const idsOf = async (skip: number, limit: number) => (await outbox.list({ skip, limit })).items.map(({ id }) => id)
    expect(await idsOf(0, 10)).toEqual(ids)
    expect(await idsOf(1, 2)).toEqual(ids.slice(1, 3))
    expect(await idsOf(9, 2)).toEqual([])
    expect((await outbox.list({ skip: 9, limit: 2 })).count).toBe(5)
  })

  it('reflects mails sent, sent again and removed at once', async () => {
    const { outbox, send, fileOf, directory } = opened()
    const id = await send(mailTo('ada@example.org', { subject: 'One' }))
    const subjects = async () => (await outbox.list(page)).items.map(({ subject }) => subject)
    expect(await subjects()).toEqual(['One'])
    await send(mailTo('ada@example.org', { subject: 'Another' }))
    expect(await subjects()).toEqual(['Another'])
    await send(mailTo('eve@example.org', { subject: 'Third' }))
    expect((await subjects()).sort()).toEqual(['Another', 'Third'])
    rmSync(fileOf(id))
    expect(await subjects()).toEqual(['Third'])
    rmSync(directory, { recursive: true })
    expect(await subjects()).toEqual([])
  })

  it.each([
    ['ADA@', ['Hello Ada']],
    ['grüsse', ['Grüsse']],
    ['news@example.com', ['Grüsse', 'Hello Ada']],
    ['  hello ada ', ['Hello Ada']],
    ['.*', []],
    ['body', []],
    ['   ', ['Grüsse', 'Hello Ada']],
  ])('finds %j in from, to and subject, in any case', async (search, subjects) => {
    const { outbox, send } = opened()
    await send(mailTo('ada@example.org', { subject: 'Hello Ada' }))
    await send(mailTo('eve@example.org', { subject: '=?utf-8?Q?Gr=C3=BCsse?=' }))
    const { items, count } = await outbox.list({ ...page, search })
    expect(items.map(({ subject }) => subject).sort()).toEqual(subjects)
    expect(count).toBe(subjects.length)
    expect((await outbox.list({ search, skip: 1, limit: 1 })).items.length).toBe(Math.max(0, subjects.length - 1))
  })

  it('ignores foreign files, and shows broken mails', async () => {
    const { outbox, directory } = opened()
    const broken = `ab${'0'.repeat(30)}`
    mkdirSync(join(directory, 'ab', `ab${'1'.repeat(30)}.eml`), { recursive: true })
    mkdirSync(join(directory, 'photos'))
    writeFileSync(join(directory, 'cd'), 'a file where a folder should be')
    writeFileSync(join(directory, 'ab', 'notes.txt'), 'x')
    writeFileSync(join(directory, 'ab', 'foreign.eml'), 'Subject: foreign\r\n\r\n')
    writeFileSync(join(directory, 'ab', `cd${'0'.repeat(30)}.eml`), 'Subject: in the wrong folder\r\n\r\n')
    writeFileSync(join(directory, 'ab', `${broken}.eml`), Buffer.from([0, 255, 254, 13, 10, 10, 65]))
    const { items, count } = await outbox.list(page)
    expect(items).toMatchObject([{ id: broken, from: '', to: '', subject: '', size: 7 }])
    expect(count).toBe(1)
    expect(await outbox.get(broken)).toMatchObject({ id: broken, attachments: [] })
  })

  it('handles any bytes', async () => {
    const { outbox, directory } = opened()
    const id = `ab${'0'.repeat(30)}`
    mkdirSync(join(directory, 'ab'))
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        writeFileSync(join(directory, 'ab', `${id}.eml`), bytes)
        expect((await outbox.list(page)).count).toBe(1)
        expect((await outbox.get(id))?.size).toBe(bytes.length)
        expect(await outbox.attachment(id, 99)).toBeUndefined()
      }),
    )
  })
})

describe('an outbox mail', () => {
  const composed = async () => {
    const { message } = await nodemailer
      .createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
      .sendMail({
        from: 'Zoë <zoe@example.com>',
        to: 'ada@example.org',
        subject: 'Näheres',
        text: 'Grüße\nund mehr',
        html: '<p>Grüße <img src="cid:logo@x"></p>',
        headers: { 'X-Posthorn-Delivery': 'd:1' },
        attachments: [
          { filename: 'Bericht – März.pdf', content: Buffer.from('%PDF'), contentType: 'application/pdf' },
          { filename: 'logo.png', cid: 'logo@x', content: Buffer.from([137, 80]), contentType: 'image/png' },
        ],
      })
    return (message as unknown as Buffer).toString()
  }

  it('is parsed in all its parts', async () => {
    const { outbox, send } = opened()
    const mime = await composed()
    const id = await send(mailTo('ada@example.org', { mime }))
    const mail = await outbox.get(id)
    expect(mail).toMatchObject({
      id,
      from: 'Zoë <zoe@example.com>',
      subject: 'Näheres',
      html: expect.stringContaining('<p>Grüße'),
      text: expect.stringContaining('Grüße'),
      source: mime,
      size: mime.length,
    })
    expect(mail?.headers.slice(0, 3)).toEqual([
      { name: 'X-Posthorn-Delivery', value: 'd:1' },
      { name: 'From', value: 'Zoë <zoe@example.com>' },
      { name: 'To', value: 'ada@example.org' },
    ])
    const names = mail?.attachments.map(({ filename, contentType, size }) => [filename, contentType, size])
    expect(names?.sort()).toEqual([
      ['Bericht – März.pdf', 'application/pdf', 4],
      ['logo.png', 'image/png', 2],
    ])
    const pdf = mail?.attachments.find(({ contentType }) => contentType === 'application/pdf')?.index ?? -1
    expect(Buffer.from((await outbox.attachment(id, pdf))?.bytes ?? []).toString()).toBe('%PDF')
    expect(Buffer.from((await outbox.eml(id)) ?? []).toString()).toBe(mime)
  })

  it.each([
    '../../../../etc/passwd',
    '..%2f..%2fetc%2fpasswd',
    'ab/../cd',
    `ab${'0'.repeat(30)}/../x`,
    `AB${'0'.repeat(30)}`,
    `ab${'0'.repeat(30)}\n`,
    `ab${'0'.repeat(30)}\0`,
    '',
    '__proto__',
  ])('with the id %j does not exist', async (id) => {
    const { outbox } = opened()
    expect(await outbox.get(id)).toBeUndefined()
    expect(await outbox.eml(id)).toBeUndefined()
    expect(await outbox.attachment(id, 0)).toBeUndefined()
  })

  it('has no attachment with an invalid index', async () => {
    const { outbox, send } = opened()
    const id = await send(mailTo('ada@example.org', { mime: await composed() }))
    for (const index of [-1, 2, 0.5, Number.NaN]) expect(await outbox.attachment(id, index)).toBeUndefined()
  })

  it('without a date has its file’s', async () => {
    const { outbox, send, fileOf } = opened()
    const id = await send(mailTo('ada@example.org', { mime: 'Subject: x\r\nDate: someday\r\n\r\n' }))
    utimesSync(fileOf(id), 1_000_000, 1_000_000)
    expect((await outbox.get(id))?.date).toBe('1970-01-12T13:46:40.000Z')
    expect((await outbox.list(page)).items[0]?.date).toBe('1970-01-12T13:46:40.000Z')
  })
})
