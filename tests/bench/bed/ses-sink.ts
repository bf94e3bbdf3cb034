import { type AddressInfo, createServer, type Socket } from 'node:net'
import { answerCalls } from './calls.js'

/**
 * The two operations of Amazon SES that sending needs (API v2: GetAccount, SendEmail), for requests with a Content-Length. It reads no
 * more than their heads, so that next to nothing of what is measured is its own.
 */
const account = JSON.stringify({
  EnforcementStatus: 'HEALTHY',
  ProductionAccessEnabled: true,
  SendQuota: { Max24HourSend: -1, MaxSendRate: 1_000_000, SentLast24Hours: 0 },
  SendingEnabled: true,
})

const stride = 100
const get = 0x47
let mails = 0
let bytes = 0
let first = 0
let last = 0
let moments: number[] = []

const now = () => performance.timeOrigin + performance.now()

const taken = (length: number): void => {
  last = now()
  if (mails === 0) first = last
  mails += 1
  bytes += length
  if (mails % stride === 0) moments.push(last)
}

const answer = (body: string) =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

const lengthIn = (head: string): number => Number(/\r\ncontent-length: *(\d{1,9})/i.exec(head)?.[1] ?? 0)

const connection = (socket: Socket): void => {
  /** Of a head that has not come whole. */
  let rest: Buffer = Buffer.alloc(0)
  /** Of the body: what is still to come, and what it has. */
  let left = 0
  let length = 0
  let isMail = false
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    let text = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    rest = Buffer.alloc(0)
    let answers = ''
    while (text.length > 0) {
      if (left === 0) {
        const end = text.indexOf('\r\n\r\n', 0, 'latin1')
        if (end < 0) {
          rest = text
          break
        }
        isMail = text[0] !== get
        length = lengthIn(text.toString('latin1', 0, end))
        left = length
        text = text.subarray(end + 4)
      }
      const more = Math.min(left, text.length)
      left -= more
      text = text.subarray(more)
      if (left > 0) break
      if (isMail) taken(length)
      answers += answer(isMail ? `{"MessageId":"0102018f-${mails}"}` : account)
    }
    if (answers !== '') socket.write(answers)
  })
}

const server = createServer(connection)
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
  },
  /** As the SMTP sink reports; `bytes` are those of the requests' bodies. */
  report: () => ({ mails, bytes, first, last, stride, moments, arrivals: [] as [n: number, at: number][] }),
}
export type SesSinkCalls = typeof calls

answerCalls(calls)
