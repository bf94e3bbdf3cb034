import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { signingCertificate } from '@posthorn/local-aws'
import { expect } from 'vitest'
import { until } from './world.js'

/** What a test ends, in reverse order. */
export type Endings = (() => Promise<void>)[]

/** A connection that says a line and answers what the server says to it. */
export const dialogue = (port: number) => dialogueOver(connect({ port, host: '127.0.0.1' }))

export const dialogueOver = async (socket: Socket, greets = true) => {
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

/** Files of a certificate that is made for a name, and can be made anew. */
export const certificateFiles = (first: string, endings: Endings) => {
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
export const encrypted = async (socket: Socket) => {
  const secure: TLSSocket = connectTls({ socket, rejectUnauthorized: false })
  await new Promise<void>((resolve, reject) => {
    secure.once('secureConnect', resolve)
    secure.once('error', reject)
  })
  return { ...(await dialogueOver(secure, false)), name: secure.getPeerCertificate().subject.CN }
}

/** A connection that has asked for TLS, with what was sent behind that in the same packet. */
export const upgraded = async (port: number, behind = '') => {
  const plain = await dialogue(port)
  await plain.say('EHLO a')
  expect(await plain.say(`STARTTLS${behind}`)).toMatch(/^220 /)
  return encrypted(plain.socket)
}
