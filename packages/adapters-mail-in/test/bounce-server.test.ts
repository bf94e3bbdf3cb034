import { writeFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { type BounceServerLimits, type BounceServerOptions, bounceServer } from '../src/index.js'
import { certificateFiles, dialogue, upgraded } from './smtp-dialogue.js'
import {
  aSentCampaign,
  bounceDomain,
  failing,
  feedbackReport,
  leavingAddressOf,
  returnPathOf,
  statusReport,
  until,
} from './world.js'

const endings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const started = async ({
  readers = 2,
  limits = {} as Partial<BounceServerLimits>,
  isDown = (): boolean => false,
  certificate = undefined as BounceServerOptions['certificate'],
} = {}) => {
  const world = await aSentCampaign(readers)
  const server = await bounceServer({
    returnedMail: failing(world.core.returnedMail, isDown),
    log: world.ports.log,
    port: 0,
    host: '127.0.0.1',
    name: bounceDomain,
    certificate,
    limits,
  })
  endings.push(server.close)
  const send = async (to: readonly string[], message: string) => {
    const one = await dialogue(server.port)
    const answer = await one.send(to, message)
    one.end()
    return answer
  }
  return { ...world, server, send }
}

describe('the bounce port', () => {
  it('records a permanent bounce to its mail’s address once', async () => {
    const { sent, send, suppressed, totals } = await started()
    const to = returnPathOf(sent[0])
    for (const one of [to, to.toUpperCase()]) expect(await send([one], statusReport(one))).toMatch(/^250 /)
    expect(await suppressed()).toEqual([`${sent[0]?.to}: bounce`])
    expect(await totals()).toMatchObject({ sent: 2, bounce: 1 })
  })

  it.each([
    ['4.2.2', 'failed'],
    ['5.7.1', 'failed'],
    ['4.4.1', 'delayed'],
    ['2.0.0', 'delivered'],
  ])('accepts a report of %s, %s, without effect', async (status, action) => {
    const { sent, send, suppressed, totals } = await started()
    const to = returnPathOf(sent[0])
    expect(await send([to], statusReport(to, { status, action }))).toMatch(/^250 /)
    expect(await suppressed()).toEqual([])
    expect(await totals()).toMatchObject({ bounce: 0 })
  })

  it('records a complaint to the domain’s own addresses by the return address in it', async () => {
    const { sent, send, suppressed, totals } = await started()
    for (const role of ['fbl', 'abuse', 'postmaster'])
      expect(await send([`${role}@${bounceDomain}`], feedbackReport(returnPathOf(sent[0])))).toMatch(/^250 /)
    expect(await suppressed()).toEqual([`${sent[0]?.to}: complaint`])
    expect(await totals()).toMatchObject({ complaint: 1 })
  })

  it('processes a message once for an address in several spellings', async () => {
    const { sent, send, lines } = await started()
    const spellings = ['fbl', 'FBL', 'Fbl'].map((name) => `${name}@${bounceDomain}`)
    expect(await send(spellings, 'Subject: Hello\r\n\r\n')).toMatch(/^250 /)
    expect(lines.filter(({ message }) => message === 'A message came in that nothing follows from')).toHaveLength(1)
    expect(sent).toHaveLength(2)
  })

  it('accepts a forged complaint without effect', async () => {
    const { send, suppressed } = await started()
    const forged = `b-${'a'.repeat(58)}@${bounceDomain}`
    expect(await send([`fbl@${bounceDomain}`], feedbackReport(forged))).toMatch(/^250 /)
    expect(await suppressed()).toEqual([])
  })

  it('unsubscribes a reader by mail, but not a program', async () => {
    const { sent, send, active } = await started()
    const to = leavingAddressOf(sent[0])
    await send([to], 'From: reader@example.com\r\nAuto-Submitted: auto-replied\r\nSubject: away\r\n\r\n')
    expect(await active()).toBe(2)
    for (let told = 0; told < 2; told += 1)
      expect(await send([to], 'From: reader@example.com\r\nSubject: unsubscribe\r\n\r\n')).toMatch(/^250 /)
    expect(await active()).toBe(1)
  })

  it('ignores automatic replies', async () => {
    const { sent, send, suppressed, active } = await started()
    await send([returnPathOf(sent[0])], 'From: reader@example.com\r\nSubject: Out of office\r\n\r\nI am away.')
    expect(await suppressed()).toEqual([])
    expect(await active()).toBe(2)
  })

  it('refuses other and forged addresses, and closes connections that try many', async () => {
    const { server, sent } = await started({ limits: { unknownRecipients: 3 } })
    const one = await dialogue(server.port)
    await one.say('EHLO a')
    await one.say('MAIL FROM:<spam@example.net>')
    const genuine = returnPathOf(sent[0])
    for (const address of [
      'news@example.com',
      `x@${bounceDomain}`,
      `${genuine[0] === 'b' ? 'u' : 'b'}${genuine.slice(1)}`,
    ])
      expect(await one.say(`RCPT TO:<${address}>`)).toMatch(/^550 .*5\.1\.1/)
    expect(await one.say('RCPT TO:<another@example.com>')).toMatch(/^421 /)
    await until(one.isOver)
  })

  it('accepts no password and relays nothing', async () => {
    const { server } = await started()
    const one = await dialogue(server.port)
    expect(await one.say('EHLO a')).not.toMatch(/AUTH|STARTTLS/)
    expect(await one.say('AUTH PLAIN AGEAYg==')).toMatch(/^5/)
    one.end()
  })

  it('defers what cannot be stored, and accepts it later', async () => {
    let down = true
    const { sent, send, suppressed } = await started({ isDown: () => down })
    const to = returnPathOf(sent[0])
    expect(await send([to], statusReport(to))).toMatch(/^451 /)
    down = false
    expect(await send([to], statusReport(to))).toMatch(/^250 /)
    expect(await suppressed()).toHaveLength(1)
  })

  it('reads reports with a large returned mail, and refuses larger ones than declared', async () => {
    const { sent, send, suppressed } = await started({ limits: { message: 2_000_000 } })
    const [first, second] = [returnPathOf(sent[0]), returnPathOf(sent[1])]
    const large = `${statusReport(first).replace('--b--', '--b\r\nContent-Type: message/rfc822\r\n')}\r\n${`${'x'.repeat(70)}\r\n`.repeat(20_000)}`
    expect(await send([first], large)).toMatch(/^250 /)
    expect(await send([second], `${statusReport(second)}${`${'x'.repeat(70)}\r\n`.repeat(40_000)}`)).toMatch(/^552 /)
    expect(await suppressed()).toEqual([`${sent[0]?.to}: bounce`])
  })

  it('refuses a mail loop', async () => {
    const { sent, send, suppressed } = await started()
    const to = returnPathOf(sent[0])
    expect(await send([to], `${'Received: from a by b\r\n'.repeat(51)}${statusReport(to)}`)).toMatch(/^554 .*5\.4\.6/)
    expect(await suppressed()).toEqual([])
  })

  it('limits messages per minute and client, and defers the rest', async () => {
    const { sent, send, totals } = await started({ limits: { messagesPerMinuteAndCaller: 3 } })
    const to = returnPathOf(sent[0])
    const answers: string[] = []
    for (let n = 0; n < 5; n += 1) answers.push((await send([to], statusReport(to))).slice(0, 3))
    expect(answers).toEqual(['250', '250', '250', '451', '451'])
    expect(await totals()).toMatchObject({ bounce: 1 })
  })

  it('limits the recipients of a mail', async () => {
    const { server, sent } = await started({ limits: { recipients: 2 }, readers: 3 })
    const one = await dialogue(server.port)
    await one.say('EHLO a')
    await one.say('MAIL FROM:<>')
    const answers: string[] = []
    for (const mail of sent) answers.push((await one.say(`RCPT TO:<${returnPathOf(mail)}>`)).slice(0, 3))
    expect(answers).toEqual(['250', '250', '452'])
    one.end()
  })

  it('limits connections per client and in total', async () => {
    const { server } = await started({ limits: { connectionsPerCaller: 2 } })
    const first = await dialogue(server.port)
    const second = await dialogue(server.port)
    expect([first.greeting, second.greeting].every((one) => one.startsWith('220'))).toBe(true)
    expect((await dialogue(server.port)).greeting).toMatch(/^421 /)
    first.end()
    await until(async () => {
      const again = await dialogue(server.port)
      again.end()
      return again.greeting.startsWith('220')
    })
    second.end()
  })

  it('replaces the longest connection if all places are taken', async () => {
    const { server } = await started({ limits: { connections: 2, replaceableAfter: 2_000 } })
    const [first, second] = [await dialogue(server.port), await dialogue(server.port)]
    expect((await dialogue(server.port)).greeting).toMatch(/^421 /)
    const later: Awaited<ReturnType<typeof dialogue>>[] = []
    await until(async () => {
      const one = await dialogue(server.port)
      later.push(one)
      return one.greeting.startsWith('220 ')
    })
    await until(first.isOver)
    for (const one of [second, ...later]) one.end()
  })

  it('closes a connection at its maximum lifetime, whatever it sends', async () => {
    const { server } = await started({ limits: { lifetime: 200 } })
    const one = await dialogue(server.port)
    await until(one.isOver)
    expect(one.socket.destroyed).toBe(true)
  })

  it('closes connections with endless lines or HTTP', async () => {
    const { server } = await started()
    const endless = await dialogue(server.port)
    endless.socket.write('X'.repeat(1_000_000))
    await until(() => endless.isOver() || endless.socket.destroyed)
    const web = await dialogue(server.port)
    await web.say('GET / HTTP/1.1')
    await until(web.isOver)
    expect([endless.socket.destroyed, web.socket.destroyed]).toEqual([true, true])
  })

  it('can be closed repeatedly with open connections', async () => {
    const { server } = await started()
    const one = await dialogue(server.port)
    one.end()
    await Promise.all([server.close(), server.close()])
    const after = await dialogue(server.port)
    expect(after.greeting).toBe('')
  })

  it('reports a port in use', async () => {
    const { server, core, ports } = await started()
    const again = bounceServer({
      returnedMail: core.returnedMail,
      log: ports.log,
      port: server.port,
      host: '127.0.0.1',
      name: bounceDomain,
    })
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

describe('the bounce port with a certificate', () => {
  it('offers STARTTLS, and accepts mail over it', async () => {
    const { files } = certificateFiles('one.example', endings)
    const { server, sent, suppressed } = await started({ certificate: files })
    const plain = await dialogue(server.port)
    plain.socket.write('EHLO a\r\n')
    let said = ''
    plain.socket.on('data', (bytes) => {
      said += bytes.toString()
    })
    await until(() => /^250 /m.test(said))
    expect(said).toContain('250-STARTTLS')
    plain.end()
    const one = await upgraded(server.port)
    expect(one.name).toBe('one.example')
    const to = returnPathOf(sent[0])
    expect(await one.send([to], statusReport(to))).toMatch(/^250 /)
    expect(await suppressed()).toHaveLength(1)
    one.end()
  })

  it('still accepts mail without TLS', async () => {
    const { sent, send, suppressed } = await started({ certificate: certificateFiles('one.example', endings).files })
    const to = returnPathOf(sent[0])
    expect(await send([to], statusReport(to))).toMatch(/^250 /)
    expect(await suppressed()).toHaveLength(1)
  })

  it('forgets commands sent before TLS or in the same packet', async () => {
    const { server, sent, totals } = await started({ certificate: certificateFiles('one.example', endings).files })
    const to = returnPathOf(sent[0])
    const one = await upgraded(
      server.port,
      `\r\nEHLO b\r\nMAIL FROM:<>\r\nRCPT TO:<${to}>\r\nDATA\r\n${statusReport(to)}\r\n.`,
    )
    expect(await one.say('MAIL FROM:<>')).toMatch(/^503 /)
    expect(await totals()).toMatchObject({ bounce: 0 })
    one.end()
  })

  it('reloads a changed certificate, and keeps the last one while the files do not match', async () => {
    const { files, make } = certificateFiles('one.example', endings)
    const { server, lines } = await started({ certificate: { ...files, every: 20 } })
    const nameNow = async () => {
      const one = await upgraded(server.port)
      one.end()
      return one.name
    }
    const { writeCertificate, writeKey } = make('two.example')
    const told = (message: string) => lines.filter((line) => line.message === message)
    writeCertificate()
    const unread = 'The new certificate of the bounce port cannot be used; the previous one stays'
    await until(() => told(unread).length > 0)
    expect(await nameNow()).toBe('one.example')
    writeKey()
    await until(() => told('The certificate of the bounce port was replaced').length > 0)
    expect(await nameNow()).toBe('two.example')
    expect(told(unread)).toHaveLength(1)
  })

  it('closes a connection that does not finish its handshake, and frees its place', async () => {
    const { files } = certificateFiles('one.example', endings)
    const { server } = await started({ certificate: files, limits: { idleTimeout: 200, connectionsPerCaller: 1 } })
    const plain = await dialogue(server.port)
    await plain.say('EHLO a')
    await plain.say('STARTTLS')
    await until(plain.isOver)
    let greeting = ''
    await until(async () => {
      const again = await dialogue(server.port)
      again.end()
      greeting = again.greeting
      return greeting.startsWith('220')
    })
    expect(greeting).toMatch(/^220 /)
  })

  it('closes a TLS connection at its maximum lifetime', async () => {
    const { server } = await started({
      certificate: certificateFiles('one.example', endings).files,
      limits: { lifetime: 300 },
    })
    const one = await upgraded(server.port)
    await until(one.isOver)
    expect(one.isOver()).toBe(true)
  })

  it('does not start with an invalid file, and names it', async () => {
    const { files } = certificateFiles('one.example', endings)
    writeFileSync(files.key, 'no key')
    await expect(started({ certificate: files })).rejects.toThrow(`The file ${files.key} contains no private key`)
    await expect(started({ certificate: { ...files, cert: '/nowhere.pem' } })).rejects.toThrow(
      'There is no certificate file /nowhere.pem.',
    )
  })
})
