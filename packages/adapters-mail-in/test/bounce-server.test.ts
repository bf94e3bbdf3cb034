import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { signingCertificate } from '@posthorn/local-aws'
import { afterEach, describe, expect, it } from 'vitest'
import { type BounceServerLimits, type BounceServerOptions, bounceServer } from '../src/index.js'
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

/** A connection that says a line and answers what the server says to it. */
const dialogue = (port: number) => dialogueOver(connect({ port, host: '127.0.0.1' }))

const dialogueOver = async (socket: Socket, greets = true) => {
  let text = ''
  let isOver = false
  socket.on('data', (bytes) => {
    text += bytes.toString()
  })
  socket.on('close', () => {
    isOver = true
  })
  socket.on('error', () => undefined)
  const answer = async () => {
    await until(() => /^\d{3} .*\r\n$/m.test(text) || isOver)
    const all = text
    text = ''
    return all.trim().split('\r\n').at(-1) ?? ''
  }
  const greeting = greets ? await answer() : ''
  const say = async (line: string) => {
    if (!isOver) socket.write(`${line}\r\n`)
    return answer()
  }
  return {
    greeting,
    say,
    socket,
    isOver: () => isOver,
    end: () => socket.destroy(),
    /** One mail; answers what the server said last. */
    send: async (to: readonly string[], message: string) => {
      await say('EHLO mx.example.net')
      await say('MAIL FROM:<>')
      const answers: string[] = []
      for (const one of to) answers.push(await say(`RCPT TO:<${one}>`))
      if (!answers.some((one) => one.startsWith('250'))) return answers.at(-1) ?? ''
      await say('DATA')
      return say(`${message.replaceAll('\r\n.', '\r\n..')}\r\n.`)
    },
  }
}

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
  it('takes a permanent bounce to the address of its mail, and counts it once', async () => {
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
  ])('takes a report of %s, %s, and nothing follows from it', async (status, action) => {
    const { sent, send, suppressed, totals } = await started()
    const to = returnPathOf(sent[0])
    expect(await send([to], statusReport(to, { status, action }))).toMatch(/^250 /)
    expect(await suppressed()).toEqual([])
    expect(await totals()).toMatchObject({ bounce: 0 })
  })

  it('takes a complaint to the domain’s own addresses by what it says of the mail', async () => {
    const { sent, send, suppressed, totals } = await started()
    for (const role of ['fbl', 'abuse', 'postmaster'])
      expect(await send([`${role}@${bounceDomain}`], feedbackReport(returnPathOf(sent[0])))).toMatch(/^250 /)
    expect(await suppressed()).toEqual([`${sent[0]?.to}: complaint`])
    expect(await totals()).toMatchObject({ complaint: 1 })
  })

  it('takes a message once that is for an address in several spellings', async () => {
    const { sent, send, lines } = await started()
    const spellings = ['fbl', 'FBL', 'Fbl'].map((name) => `${name}@${bounceDomain}`)
    expect(await send(spellings, 'Subject: Hello\r\n\r\n')).toMatch(/^250 /)
    expect(lines.filter(({ message }) => message === 'A message came in that nothing follows from')).toHaveLength(1)
    expect(sent).toHaveLength(2)
  })

  it('takes a forged complaint without anything that follows', async () => {
    const { send, suppressed } = await started()
    const forged = `b-${'a'.repeat(58)}@${bounceDomain}`
    expect(await send([`fbl@${bounceDomain}`], feedbackReport(forged))).toMatch(/^250 /)
    expect(await suppressed()).toEqual([])
  })

  it('lets a reader leave the list by mail, and no program in their place', async () => {
    const { sent, send, active } = await started()
    const to = leavingAddressOf(sent[0])
    await send([to], 'From: reader@example.com\r\nAuto-Submitted: auto-replied\r\nSubject: away\r\n\r\n')
    expect(await active()).toBe(2)
    for (let told = 0; told < 2; told += 1)
      expect(await send([to], 'From: reader@example.com\r\nSubject: unsubscribe\r\n\r\n')).toMatch(/^250 /)
    expect(await active()).toBe(1)
  })

  it('lets an answer of a program pass', async () => {
    const { sent, send, suppressed, active } = await started()
    await send([returnPathOf(sent[0])], 'From: reader@example.com\r\nSubject: Out of office\r\n\r\nI am away.')
    expect(await suppressed()).toEqual([])
    expect(await active()).toBe(2)
  })

  it('refuses every other address, forged ones too, and ends a connection that tries many', async () => {
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

  it('takes no password and relays nothing', async () => {
    const { server } = await started()
    const one = await dialogue(server.port)
    expect(await one.say('EHLO a')).not.toMatch(/AUTH|STARTTLS/)
    expect(await one.say('AUTH PLAIN AGEAYg==')).toMatch(/^5/)
    one.end()
  })

  it('asks for what cannot be recorded to come again, and then takes it', async () => {
    let down = true
    const { sent, send, suppressed } = await started({ isDown: () => down })
    const to = returnPathOf(sent[0])
    expect(await send([to], statusReport(to))).toMatch(/^451 /)
    down = false
    expect(await send([to], statusReport(to))).toMatch(/^250 /)
    expect(await suppressed()).toHaveLength(1)
  })

  it('reads a report whose returned mail is large, and refuses what is larger than it says', async () => {
    const { sent, send, suppressed } = await started({ limits: { message: 2_000_000 } })
    const [first, second] = [returnPathOf(sent[0]), returnPathOf(sent[1])]
    const large = `${statusReport(first).replace('--b--', '--b\r\nContent-Type: message/rfc822\r\n')}\r\n${`${'x'.repeat(70)}\r\n`.repeat(20_000)}`
    expect(await send([first], large)).toMatch(/^250 /)
    expect(await send([second], `${statusReport(second)}${`${'x'.repeat(70)}\r\n`.repeat(40_000)}`)).toMatch(/^552 /)
    expect(await suppressed()).toEqual([`${sent[0]?.to}: bounce`])
  })

  it('refuses a mail that goes round in circles', async () => {
    const { sent, send, suppressed } = await started()
    const to = returnPathOf(sent[0])
    expect(await send([to], `${'Received: from a by b\r\n'.repeat(51)}${statusReport(to)}`)).toMatch(/^554 .*5\.4\.6/)
    expect(await suppressed()).toEqual([])
  })

  it('takes so many messages a minute from one caller, and lets the rest come later', async () => {
    const { sent, send, totals } = await started({ limits: { messagesPerMinuteAndCaller: 3 } })
    const to = returnPathOf(sent[0])
    const answers: string[] = []
    for (let n = 0; n < 5; n += 1) answers.push((await send([to], statusReport(to))).slice(0, 3))
    expect(answers).toEqual(['250', '250', '250', '451', '451'])
    expect(await totals()).toMatchObject({ bounce: 1 })
  })

  it('takes so many recipients of a mail', async () => {
    const { server, sent } = await started({ limits: { recipients: 2 }, readers: 3 })
    const one = await dialogue(server.port)
    await one.say('EHLO a')
    await one.say('MAIL FROM:<>')
    const answers: string[] = []
    for (const mail of sent) answers.push((await one.say(`RCPT TO:<${returnPathOf(mail)}>`)).slice(0, 3))
    expect(answers).toEqual(['250', '250', '452'])
    one.end()
  })

  it('has so many connections of one caller, and of all', async () => {
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

  it('has the longest of all connections give way, where no place is left', async () => {
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

  it('ends a connection that lasts too long, however much it says', async () => {
    const { server } = await started({ limits: { lifetime: 200 } })
    const one = await dialogue(server.port)
    await until(one.isOver)
    expect(one.socket.destroyed).toBe(true)
  })

  it('ends a line without an end, and what speaks HTTP', async () => {
    const { server } = await started()
    const endless = await dialogue(server.port)
    endless.socket.write('X'.repeat(1_000_000))
    await until(() => endless.isOver() || endless.socket.destroyed)
    const web = await dialogue(server.port)
    await web.say('GET / HTTP/1.1')
    await until(web.isOver)
    expect([endless.socket.destroyed, web.socket.destroyed]).toEqual([true, true])
  })

  it('is closed by close, however often, with connections open', async () => {
    const { server } = await started()
    const one = await dialogue(server.port)
    one.end()
    await Promise.all([server.close(), server.close()])
    const after = await dialogue(server.port)
    expect(after.greeting).toBe('')
  })

  it('says so where the port is taken', async () => {
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

/** Files of a certificate that is made for a name, and can be made anew. */
const certificateFiles = (first: string) => {
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-'))
  endings.push(async () => rmSync(directory, { recursive: true }))
  const files = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') }
  const write = (file: string, text: string) => {
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
  }
  const make = (commonName: string) => {
    const { privateKey, pem } = signingCertificate({ commonName })
    return {
      writeKey: () => write(files.key, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
      writeCertificate: () => write(files.cert, pem),
    }
  }
  const { writeKey, writeCertificate } = make(first)
  writeKey()
  writeCertificate()
  return { files, make }
}

/** Goes on with a connection by TLS; who the server says it is stands in its certificate. */
const encrypted = async (socket: Socket) => {
  const secure: TLSSocket = connectTls({ socket, rejectUnauthorized: false })
  await new Promise<void>((resolve, reject) => {
    secure.once('secureConnect', resolve)
    secure.once('error', reject)
  })
  return { ...(await dialogueOver(secure, false)), name: secure.getPeerCertificate().subject.CN }
}

/** A connection that has asked for TLS, with what was sent behind that in the same packet. */
const upgraded = async (port: number, behind = '') => {
  const plain = await dialogue(port)
  await plain.say('EHLO a')
  expect(await plain.say(`STARTTLS${behind}`)).toMatch(/^220 /)
  return encrypted(plain.socket)
}

describe('the bounce port with a certificate', () => {
  it('offers STARTTLS, and takes what comes by it', async () => {
    const { files } = certificateFiles('one.example')
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

  it('still takes what comes without', async () => {
    const { sent, send, suppressed } = await started({ certificate: certificateFiles('one.example').files })
    const to = returnPathOf(sent[0])
    expect(await send([to], statusReport(to))).toMatch(/^250 /)
    expect(await suppressed()).toHaveLength(1)
  })

  it('forgets what was said before TLS, and in the same packet', async () => {
    const { server, sent, totals } = await started({ certificate: certificateFiles('one.example').files })
    const to = returnPathOf(sent[0])
    const one = await upgraded(
      server.port,
      `\r\nEHLO b\r\nMAIL FROM:<>\r\nRCPT TO:<${to}>\r\nDATA\r\n${statusReport(to)}\r\n.`,
    )
    expect(await one.say('MAIL FROM:<>')).toMatch(/^503 /)
    expect(await totals()).toMatchObject({ bounce: 0 })
    one.end()
  })

  it('takes another certificate when the files change, and keeps the last while the two do not fit', async () => {
    const { files, make } = certificateFiles('one.example')
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

  it('ends a connection that does not finish its handshake, and lets its place go', async () => {
    const { files } = certificateFiles('one.example')
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

  it('ends a connection by TLS that lasts too long', async () => {
    const { server } = await started({ certificate: certificateFiles('one.example').files, limits: { lifetime: 300 } })
    const one = await upgraded(server.port)
    await until(one.isOver)
    expect(one.isOver()).toBe(true)
  })

  it('does not start with a file that is none, and names it', async () => {
    const { files } = certificateFiles('one.example')
    writeFileSync(files.key, 'no key')
    await expect(started({ certificate: files })).rejects.toThrow(`The certificate ${files.cert} with the key`)
    await expect(started({ certificate: { ...files, cert: '/nowhere.pem' } })).rejects.toThrow('ENOENT')
  })
})
