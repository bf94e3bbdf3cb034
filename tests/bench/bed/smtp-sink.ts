import { type AddressInfo, createServer, type Socket } from 'node:net'
import { answerCalls } from './calls.js'

/**
 * An SMTP server that takes everything and keeps nothing. It reads no more than the dialogue (RFC 5321 with PIPELINING, RFC 2920),
 * so that next to nothing of what is measured is its own.
 */
const endOfMail = Buffer.from('\r\n.\r\n')
const newline = 0x0a
const [D, E, Q, R] = [0x44, 0x45, 0x51, 0x52]

/** A moment is noted whenever so many mails more have come. */
const stride = 100
/** Mails to addresses that begin so are noted one by one, by the number that follows. */
const watched = 'watched'

let mails = 0
let bytes = 0
let first = 0
let last = 0
let moments: number[] = []
let arrivals: [n: number, at: number][] = []

const now = () => performance.timeOrigin + performance.now()

const taken = (length: number): void => {
  last = now()
  if (mails === 0) first = last
  mails += 1
  bytes += length
  if (mails % stride === 0) moments.push(last)
}

const noNumber = -1

/** The number in `RCPT TO:<watched17@example.com>`. */
const watchedNumber = (line: Buffer): number => {
  const at = line.indexOf(watched)
  return at < 0 ? noNumber : Number.parseInt(line.toString('latin1', at + watched.length, at + watched.length + 12), 10)
}

const session = (socket: Socket): void => {
  let inData = false
  let length = 0
  let number = noNumber
  let rest: Buffer = Buffer.alloc(0)
  socket.setNoDelay(true)
  socket.write('220 sink\r\n')
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    const text = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let answer = ''
    let at = 0
    for (;;) {
      if (inData) {
        const end = text.indexOf(endOfMail, at, 'latin1')
        if (end < 0) {
          const keep = Math.max(at, text.length - 4)
          length += keep - at
          rest = text.subarray(keep)
          break
        }
        taken(length + end - at + 2)
        if (number !== noNumber) arrivals.push([number, last])
        number = noNumber
        at = end + endOfMail.length
        inData = false
        answer += '250 2.0.0 taken\r\n'
        continue
      }
      const end = text.indexOf(newline, at)
      if (end < 0) {
        rest = text.subarray(at)
        break
      }
      const [verb, second] = [text[at], text[at + 1]]
      if (verb === R && second === 0x43) number = watchedNumber(text.subarray(at, end))
      at = end + 1
      if (verb === D) {
        inData = true
        // The blank line before a mail of nothing but a dot: the CRLF of DATA is the first half of its end.
        at = end - 1
        length = -2
        answer += '354 go on\r\n'
      } else if (verb === E) answer += '250-sink\r\n250 PIPELINING\r\n'
      else answer += verb === Q ? '221 bye\r\n' : '250 2.0.0 ok\r\n'
    }
    if (answer !== '') socket.write(answer)
  })
}

const server = createServer(session)
const listening = new Promise<number>((resolve) =>
  server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
)

const calls = {
  port: () => listening,
  /** Forgets what came so far. */
  reset: () => {
    mails = 0
    bytes = 0
    moments = []
    arrivals = []
  },
  /** What came since; moments are milliseconds since 1970, `moments` those of every hundredth mail. */
  report: () => ({ mails, bytes, first, last, stride, moments, arrivals }),
}
export type SinkCalls = typeof calls

answerCalls(calls)
