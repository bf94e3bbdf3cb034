import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type SmtpOptions, smtpMailer } from '../../src/index.js'
import { local, mail, polite, scripted, type Turn } from './servers.js'

const endings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const started = async (
  script: (connection: number) => { greeting?: string | ((socket: Socket) => void); turn: Turn },
  options: SmtpOptions = {},
) => {
  const server = await scripted(script)
  const mailer = smtpMailer(local(server.port, { pool: 1, ...options }))
  endings.push(server.close, () => mailer.close())
  return { ...server, mailer }
}

/** Polite but for one line, where it does what it is told here. */
const except =
  (marked: string, turn: Turn): Turn =>
  (line, socket) =>
    line.startsWith(marked) ? turn(line, socket) : polite(line, socket)

const hang: Turn = () => undefined
const hangUp: Turn = (_line, socket) => {
  socket.destroy()
  return undefined
}

/** For a server that is to be given up: 0.3 s for whatever it does not answer. */
const hasty = { greeting: 300, command: 300, data: 300 }

const deferred = { kind: 'deferred', throttled: false }

describe('a lost connection', () => {
  it.each(['EHLO', 'MAIL', 'RCPT', 'DATA'])('at %s defers the mail: nothing was accepted', async (command) => {
    const { mailer } = await started(() => ({ turn: except(command, hangUp) }))
    expect(await mailer.send(mail())).toMatchObject(deferred)
  })

  it('after the whole message, before its reply, leaves the outcome unknown', async () => {
    const { mailer } = await started(() => ({ turn: except('MESSAGE', hangUp) }))
    expect(await mailer.send(mail())).toMatchObject({ kind: 'unknown', error: { name: 'SmtpConnectionLost' } })
  })

  it('in the middle of a long message, before its final dot, defers it', async () => {
    const { mailer } = await started(() => ({
      turn: except('DATA', (_line, socket) => {
        socket.write('354 go ahead\r\n')
        socket.pause()
        setTimeout(() => socket.resetAndDestroy(), 200)
        return undefined
      }),
    }))
    expect(await mailer.send(mail({ mime: 'x'.repeat(30_000_000) }))).toMatchObject(deferred)
  })

  it('in the middle of the message’s reply leaves the outcome unknown', async () => {
    const { mailer } = await started(() => ({
      turn: except('MESSAGE', (_line, socket) => {
        socket.end('25')
        return undefined
      }),
    }))
    expect(await mailer.send(mail())).toMatchObject({ kind: 'unknown' })
  })

  it('before the message began lets another connection send the mail', async () => {
    const { mailer, connections } = await started((connection) => ({
      turn: connection === 1 ? except('MAIL', hangUp) : polite,
    }))
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
    expect(connections()).toBe(2)
  })

  it('of a server that closes idle connections costs no attempt', async () => {
    const { mailer, connections, open } = await started(() => ({
      turn: except('MESSAGE', (_line, socket) => {
        setTimeout(() => socket.end('421 4.4.2 Idle too long\r\n'), 20)
        return '250 Ok: queued as A\r\n'
      }),
    }))
    for (let i = 0; i < 3; i += 1) {
      expect(await mailer.send(mail())).toEqual({ kind: 'accepted', providerMessageId: 'A' })
      await expect.poll(() => open()).toBe(0)
    }
    expect(connections()).toBe(3)
  })

  it('affects only the mails on it', async () => {
    let messages = 0
    const { mailer } = await started(() => ({
      turn: except('MESSAGE', (line, socket) => {
        messages += 1
        return messages === 3 ? hangUp(line, socket) : '250 Ok\r\n'
      }),
    }))
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => mailer.send(mail())))
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      'accepted',
      'accepted',
      'unknown',
      'accepted',
      'accepted',
      'accepted',
    ])
  })
})

describe('a hanging server', () => {
  it.each(['EHLO', 'MAIL', 'RCPT', 'DATA'])('at %s defers the mail after a timeout', async (command) => {
    const { mailer } = await started(() => ({ turn: except(command, hang) }), { timeouts: hasty })
    expect(await mailer.send(mail())).toMatchObject({
      ...deferred,
      error: { message: expect.stringContaining('did not answer within 0.3 s') },
    })
  })

  it('after the message leaves its outcome unknown', async () => {
    const { mailer } = await started(() => ({ turn: except('MESSAGE', hang) }), { timeouts: { data: 300 } })
    expect(await mailer.send(mail())).toMatchObject({ kind: 'unknown' })
  })

  it('after one message does not delay the next', async () => {
    let hung = false
    const hangingFromThenOn: Turn = (line, socket) => {
      hung ||= line === 'MESSAGE'
      return hung ? undefined : polite(line, socket)
    }
    const { mailer, connections } = await started(
      (connection) => ({ turn: connection === 1 ? hangingFromThenOn : polite }),
      { timeouts: { data: 300 } },
    )
    const outcomes = await Promise.all([mailer.send(mail()), mailer.send(mail())])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['unknown', 'accepted'])
    expect(connections()).toBe(2)
  })

  it('before its greeting fails the check with an explanation', async () => {
    const { mailer } = await started(() => ({ greeting: () => undefined, turn: polite }), { timeouts: hasty })
    await expect(mailer.check()).rejects.toThrow('The server did not answer within 0.3 s')
  })

  it('in the TLS handshake fails the check', async () => {
    const { mailer } = await started(() => ({ greeting: () => undefined, turn: hang }), {
      secure: true,
      timeouts: { connect: 200 },
    })
    await expect(mailer.check()).rejects.toThrow('no connection within 0.2 s')
  })

  it('is not mistaken for one that greets slowly, in several lines and pieces', async () => {
    const { mailer } = await started(() => ({
      greeting: (socket) => {
        setTimeout(() => socket.write('220-one moment\r\n22'), 100)
        setTimeout(() => socket.write('0 there you are\r\n'), 200)
      },
      turn: polite,
    }))
    await mailer.check()
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
  })
})

describe('a server without PIPELINING', () => {
  const oneByOne =
    (turn: Turn): Turn =>
    (line, socket) =>
      line.startsWith('EHLO') ? '250 scripted\r\n' : turn(line, socket)

  it('gets one command at a time', async () => {
    const { mailer, heard } = await started(() => ({ turn: oneByOne(polite) }))
    const mails = [mail(), mail()]
    const outcomes = await Promise.all(mails.map((one) => mailer.send(one)))
    expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'accepted'])
    expect(heard.filter((line) => line.startsWith('RCPT'))).toEqual(mails.map(({ to }) => `RCPT TO:<${to}>`))
  })

  it('gets no DATA after it refused the recipient', async () => {
    const { mailer, heard } = await started(() => ({
      turn: oneByOne(except('RCPT', () => '550 5.1.1 No such user\r\n')),
    }))
    expect(await mailer.send(mail())).toMatchObject({ kind: 'refused' })
    expect(await mailer.send(mail())).toMatchObject({ kind: 'refused' })
    expect(heard.filter((line) => line === 'DATA')).toEqual([])
    expect(heard.filter((line) => line === 'RSET')).toHaveLength(2)
  })

  it('may support HELO only', async () => {
    const { mailer } = await started(() => ({
      turn: (line, socket) => (line.startsWith('EHLO') ? '502 What?\r\n' : polite(line, socket)),
    }))
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
  })
})

describe('an unusual server', () => {
  it('that accepts DATA after refusing the recipient gets an empty message for nobody', async () => {
    const { mailer, heard } = await started(() => ({
      turn: except('RCPT TO:<bad', () => '550 5.1.1 No such user\r\n'),
    }))
    const outcomes = await Promise.all([mailer.send(mail({ to: 'bad@example.org' })), mailer.send(mail())])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['refused', 'accepted'])
    expect(heard.filter((line) => line === '')).toHaveLength(1)
  })

  it('that accepts DATA after refusing only the sender gets no empty message', async () => {
    const { mailer, heard } = await started(() => ({
      turn: except('MAIL FROM:<bad', () => '550 5.7.1 Not you\r\n'),
    }))
    expect(await mailer.send(mail({ from: 'bad@example.com' }))).toMatchObject({ kind: 'refused' })
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
    expect(heard.filter((line) => line === '')).toEqual([])
  })

  it.each(['MAIL', 'RCPT', 'DATA'])('without valid SMTP at %s defers the mail', async (command) => {
    const { mailer } = await started(() => ({ turn: except(command, () => 'HTTP/1.1 400 Bad Request\r\n') }))
    expect(await mailer.send(mail())).toMatchObject({
      ...deferred,
      error: { message: expect.stringContaining('not SMTP') },
    })
  })

  it('without valid SMTP after the message leaves the outcome unknown', async () => {
    const { mailer } = await started(() => ({ turn: except('MESSAGE', () => 'thanks!\r\n') }))
    expect(await mailer.send(mail())).toMatchObject({ kind: 'unknown' })
  })

  it('with invalid SMTP behind its reply to the message has accepted it', async () => {
    const { mailer } = await started(() => ({ turn: except('MESSAGE', () => '250 Ok: queued as A\r\n\r\n') }))
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted', providerMessageId: 'A' })
  })

  it('with one reply too many is not trusted again', async () => {
    const { mailer } = await started((connection) => ({
      turn: connection === 1 ? except('MESSAGE', () => '250 Ok: queued as A\r\n250 Ok: queued as A\r\n') : polite,
    }))
    expect(await mailer.send(mail())).toMatchObject({ providerMessageId: 'A' })
    expect(await mailer.send(mail())).toMatchObject({ providerMessageId: 'ABC' })
  })

  it('that replies byte by byte is understood', async () => {
    const { mailer } = await started(() => ({
      turn: (line, socket) => {
        const answer = polite(line, socket) ?? ''
        if (line !== 'MESSAGE') return answer
        for (const byte of answer.slice(0, -1)) socket.write(byte)
        return answer.slice(-1)
      },
    }))
    expect(await mailer.send(mail())).toEqual({ kind: 'accepted', providerMessageId: 'ABC' })
  })

  it('with 421 after the message has not accepted it', async () => {
    const { mailer } = await started(() => ({ turn: except('MESSAGE', () => '421 4.3.0 Going down\r\n') }))
    expect(await mailer.send(mail())).toMatchObject(deferred)
  })

  it('with 421 as greeting for too many connections throttles', async () => {
    const { mailer } = await started(() => ({ greeting: '421 4.7.0 Too many connections\r\n', turn: hang }))
    expect(await mailer.send(mail())).toMatchObject({ kind: 'deferred', throttled: true })
    await expect(mailer.check()).rejects.toThrow('421 4.7.0 Too many connections')
  })

  it('with 554 as greeting defers: no mail is to blame', async () => {
    const { mailer } = await started(() => ({ greeting: '554 Go away\r\n', turn: hang }))
    expect(await mailer.send(mail())).toMatchObject(deferred)
    await expect(mailer.check()).rejects.toThrow('The server does not want to talk: 554 Go away')
  })

  it('that sends more than its STARTTLS reply is disconnected', async () => {
    const { mailer } = await started(() => ({
      turn: (line) => (line.startsWith('EHLO') ? '250-scripted\r\n250 STARTTLS\r\n' : '220 go ahead\r\n250 AUTH PLAIN'),
    }))
    await expect(mailer.check()).rejects.toThrow('this may be an attack')
  })
})

describe('the SMTP mailer', () => {
  it('names the server that it cannot reach', async () => {
    const server = await scripted(() => ({ turn: polite }))
    await server.close()
    const mailer = smtpMailer(local(server.port))
    await expect(mailer.check()).rejects.toThrow(`SMTP server 127.0.0.1:${server.port}: connect ECONNREFUSED`)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => mailer.send(mail())))
    expect(outcomes.every(({ kind }) => kind === 'deferred')).toBe(true)
  })

  it('sends everything over fewer connections than its pool has', async () => {
    const { mailer } = await started(
      (connection) =>
        connection <= 2 ? { turn: polite } : { greeting: '421 4.7.0 Too many connections\r\n', turn: hang },
      { pool: 8 },
    )
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => mailer.send(mail())))
    expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true)
  })

  it('sends again as soon as the server is back', async () => {
    const { mailer } = await started((connection) =>
      connection === 1 ? { greeting: '554 no\r\n', turn: hang } : { turn: polite },
    )
    expect(await mailer.send(mail())).toMatchObject({ kind: 'deferred' })
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
  })

  it('waits for mails in flight when closed, sends QUIT and accepts no more', async () => {
    const { mailer, heard } = await started(() => ({
      turn: except('MESSAGE', (_line, socket) => {
        setTimeout(() => socket.write('250 Ok: queued as LATE\r\n'), 100)
        return undefined
      }),
    }))
    const last = mailer.send(mail())
    await mailer.close()
    expect(await last).toEqual({ kind: 'accepted', providerMessageId: 'LATE' })
    expect(await mailer.send(mail())).toMatchObject({ kind: 'deferred' })
    await expect.poll(() => heard.at(-1)).toBe('QUIT')
  })

  it('checks without leaving a connection', async () => {
    const { mailer, heard, open } = await started(() => ({ turn: polite }))
    await mailer.check()
    await expect.poll(() => open()).toBe(0)
    expect(heard.map((line) => line.slice(0, 4))).toEqual(['EHLO', 'QUIT'])
  })
})
