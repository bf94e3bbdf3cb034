import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Mailer } from '@posthorn/core/ports/transport'
import { describe, expect, it } from 'vitest'
import { outboxMailer } from '../../src/index.js'
import { mailTo, newFolder } from './folder.js'

const opened = (directory = newFolder()) => {
  const logged: string[] = []
  return { directory, logged, mailer: outboxMailer({ directory, log: (_level, message) => logged.push(message) }) }
}

const files = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.eml'))

const idOf = async (sent: ReturnType<Mailer['send']>) => {
  const outcome = await sent
  return outcome.kind === 'accepted' ? outcome.providerMessageId : outcome.error.message
}

describe('a mail in the outbox', () => {
  it('is a file with the exact message, in a folder named by its id', async () => {
    const { mailer, directory } = opened(join(newFolder(), 'not', 'there', 'yet'))
    const mail = mailTo('ada@example.org')
    const id = await idOf(mailer.send(mail))
    expect(id).toMatch(/^outbox-[0-9a-f]{32}$/)
    const name = id.slice('outbox-'.length)
    expect(files(directory)).toEqual([join(name.slice(0, 2), `${name}.eml`)])
    expect(readFileSync(join(directory, name.slice(0, 2), `${name}.eml`), 'utf8')).toBe(mail.mime)
  })

  it('of many megabytes is written in pieces, yielding to other work', async () => {
    const { mailer, directory } = opened()
    await mailer.check()
    const mime = `Subject: large\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(200_000)}`
    const aside = join(directory, '.unfinished')
    const sizes = new Set<number>()
    let under = true
    const sent = mailer.send(mailTo('ada@example.org', { mime })).finally(() => {
      under = false
    })
    while (under) {
      for (const name of readdirSync(aside))
        sizes.add(statSync(join(aside, name), { throwIfNoEntry: false })?.size ?? 0)
      await turn()
    }
    expect([...sizes].filter((size) => size > 0 && size < mime.length)).not.toEqual([])
    const name = (await idOf(sent)).slice('outbox-'.length)
    expect(readFileSync(join(directory, name.slice(0, 2), `${name}.eml`), 'utf8') === mime).toBe(true)
  })

  it('is replaced when the same delivery is sent again', async () => {
    const { mailer, directory } = opened()
    const first = await idOf(mailer.send(mailTo('ada@example.org')))
    const again = mailTo('ada@example.org', { mime: 'Subject: again\r\n\r\n' })
    const [second, third] = await Promise.all([mailer.send(again), mailer.send(again)].map(idOf))
    expect([second, third]).toEqual([first, first])
    const [only, ...others] = files(directory)
    expect(others).toEqual([])
    expect(readFileSync(join(directory, only ?? ''), 'utf8')).toBe(again.mime)
  })

  it('has an opaque name, whatever its delivery’s id', async () => {
    const { mailer, directory } = opened()
    for (const deliveryId of ['../../etc/passwd', 'a/b:c', '', '\0', 'ä'.repeat(1_000)])
      expect(await idOf(mailer.send(mailTo('ada@example.org', { deliveryId })))).toMatch(/^outbox-[0-9a-f]{32}$/)
    expect(files(directory)).toHaveLength(5)
  })

  it('shares few folders with its dispatch’s other mails', async () => {
    const { mailer, directory } = opened()
    await Promise.all(Array.from({ length: 500 }, (_, i) => mailer.send(mailTo(`reader${i}@example.org`))))
    expect(files(directory)).toHaveLength(500)
    expect(readdirSync(directory).filter((name) => name !== '.unfinished').length).toBeLessThanOrEqual(16)
    expect(readdirSync(join(directory, '.unfinished'))).toEqual([])
  })

  it('is stored even if the folders are removed under the running server', async () => {
    const { mailer, directory } = opened()
    await mailer.send(mailTo('ada@example.org'))
    rmSync(directory, { recursive: true })
    expect(await mailer.send(mailTo('ada@example.org'))).toMatchObject({ kind: 'accepted' })
    expect(files(directory)).toHaveLength(1)
  })

  it('that cannot be written is deferred with the reason, without affecting others', async () => {
    const { mailer, directory, logged } = opened()
    const id = (await idOf(mailer.send(mailTo('ada@example.org')))).slice('outbox-'.length)
    const file = join(directory, id.slice(0, 2), `${id}.eml`)
    rmSync(file)
    mkdirSync(file)
    const outcomes = await Promise.all(
      [mailTo('ada@example.org'), mailTo('eve@example.org')].map((one) => mailer.send(one)),
    )
    expect(outcomes).toMatchObject([
      {
        kind: 'deferred',
        throttled: false,
        error: { name: 'OutboxFailure', message: expect.stringContaining('EISDIR') },
      },
      { kind: 'accepted' },
    ])
    expect(logged).toEqual(['The outbox cannot be written to'])
    expect(readdirSync(join(directory, '.unfinished'))).toEqual([])
  })
})

describe('the outbox mailer', () => {
  it('reports no sends, and has no rate limit', async () => {
    const { mailer } = opened()
    expect(mailer.reportsSends).toBe(false)
    expect(await mailer.ratePerSecond()).toBeUndefined()
  })

  it('checks that it can write, and leaves nothing', async () => {
    const { mailer, directory } = opened()
    await mailer.check()
    expect(readdirSync(join(directory, '.unfinished'))).toEqual([])
  })

  it('reports a file in place of its directory', async () => {
    const file = join(newFolder(), 'outbox')
    writeFileSync(file, '')
    await expect(opened(file).mailer.check()).rejects.toThrow(/E(NOTDIR|EXIST)/)
    expect(await opened(file).mailer.send(mailTo('ada@example.org'))).toMatchObject({ kind: 'deferred' })
  })

  it('removes old drafts of dead processes, and keeps current ones', async () => {
    const { mailer, directory } = opened()
    const aside = join(directory, '.unfinished')
    mkdirSync(aside)
    for (const name of ['old', 'new']) writeFileSync(join(aside, name), '')
    utimesSync(join(aside, 'old'), new Date(0), new Date(0))
    await mailer.check()
    expect(readdirSync(aside)).toEqual(['new'])
  })

  it('finishes its mails when closed, and accepts no more', async () => {
    const { mailer, directory } = opened()
    const sent = [mailTo('a@example.org'), mailTo('b@example.org')].map((one) => mailer.send(one))
    await mailer.close()
    expect(files(directory)).toHaveLength(2)
    expect((await Promise.all(sent)).map(({ kind }) => kind)).toEqual(['accepted', 'accepted'])
    expect(await mailer.send(mailTo('c@example.org'))).toMatchObject({ kind: 'deferred' })
  })
})
