import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { answerCalls } from '../bench/bed/calls.js'
import { seeded } from './random.js'

/** An SMTP server that knows who got how many mails, and can be had to misbehave. */
type Behaviour = {
  /** The share of mails that are told to come later, from 0 to 1. */
  readonly throttled: number
  /** How long the answer to a whole mail takes, in milliseconds. */
  readonly delay: number
}

type Refusal = { readonly at: 'recipient' | 'data'; readonly reply: string }

const refusals: readonly [Refusal, ...Refusal[]] = [
  { at: 'recipient', reply: '454 4.7.0 Throttling failure: Maximum sending rate exceeded.' },
  { at: 'recipient', reply: '450 4.2.1 Greylisted, please try again later' },
  { at: 'data', reply: '451 4.3.2 Too many messages, slow down' },
  { at: 'data', reply: '452 4.3.1 Insufficient system storage' },
]

let random = seeded(1)
let behaviour: Behaviour = { throttled: 0, delay: 0 }
const taken = new Map<string, number>()
/** Those of the campaign; transactional ones come all the time. */
let mails = 0
let refused = 0
/** Mails that each open connection has taken: of the last ones the client may not have read the answer. */
const connections = new Map<Socket, number>()

const session = (socket: Socket): void => {
  let inData = false
  let recipient = ''
  let refusal: Refusal | undefined
  let rest = ''
  let atWork = false
  connections.set(socket, 0)
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => connections.delete(socket))
  const say = (reply: string) => {
    if (!socket.destroyed) socket.write(`${reply}\r\n`)
  }
  const refuse = ({ reply }: Refusal) => {
    refused += 1
    say(reply)
  }

  const endOfMail = async () => {
    if (behaviour.delay > 0) await new Promise((resolve) => setTimeout(resolve, behaviour.delay))
    if (refusal?.at === 'data') return refuse(refusal)
    if (socket.destroyed) return
    if (recipient.startsWith('reader')) mails += 1
    taken.set(recipient, (taken.get(recipient) ?? 0) + 1)
    connections.set(socket, (connections.get(socket) ?? 0) + 1)
    say('250 2.0.0 taken')
  }

  const command = (line: string) => {
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'EHLO') return say('250-sink\r\n250 PIPELINING')
    if (verb === 'QUIT') return say('221 bye')
    if (verb === 'MAIL') {
      refusal = random.next() < behaviour.throttled ? random.oneOf(refusals) : undefined
      recipient = ''
      return say('250 2.1.0 ok')
    }
    if (verb === 'RCPT') {
      if (refusal?.at === 'recipient') return refuse(refusal)
      recipient = /<([^>]*)>/.exec(line)?.[1] ?? ''
      return say('250 2.1.5 ok')
    }
    if (verb !== 'DATA') return say('250 2.0.0 ok')
    if (recipient === '') return say('503 5.5.1 No recipient')
    inData = true
    say('354 go on')
  }

  /** Commands and mails in the order in which they came; a mail is answered before what was sent behind it is looked at. */
  const work = async () => {
    if (atWork) return
    atWork = true
    for (;;) {
      const mark = inData ? '\r\n.\r\n' : '\r\n'
      const end = rest.indexOf(mark)
      if (end < 0) break
      const text = rest.slice(0, end)
      rest = rest.slice(end + mark.length)
      if (!inData) {
        command(text)
        continue
      }
      inData = false
      await endOfMail()
    }
    atWork = false
  }

  say('220 sink')
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1')
    void work()
  })
}

const listen = (port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer(session)
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })

let server: Server | undefined
let port = 0

const calls = {
  open: async (seed = 1): Promise<number> => {
    random = seeded(seed)
    server = await listen(port)
    port = (server.address() as AddressInfo).port
    return port
  },
  behave: (asked: Partial<Behaviour>) => {
    behaviour = { throttled: 0, delay: 0, ...asked }
  },
  /** Breaks every connection and takes no new one. Answers of how many mails it cannot know whether their answer was read. */
  cutOff: (): number => {
    let unsure = 0
    for (const [socket, n] of connections) {
      unsure += Math.min(2, n)
      socket.destroy()
    }
    server?.close()
    server = undefined
    return unsure
  },
  /** `mails` are those of the campaign. */
  report: () => ({ mails, refused, recipients: taken.size, connections: connections.size }),
  /** How often each address got a mail. */
  taken: () => [...taken],
}
export type ChaosSinkCalls = typeof calls

answerCalls(calls)
