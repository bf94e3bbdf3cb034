import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerCalls } from './calls.js'

/** The two operations of Amazon SES that sending needs, without a look into the mails (API v2: GetAccount, SendEmail). */
const account = JSON.stringify({
  EnforcementStatus: 'HEALTHY',
  ProductionAccessEnabled: true,
  SendQuota: { Max24HourSend: -1, MaxSendRate: 1_000_000, SentLast24Hours: 0 },
  SendingEnabled: true,
})

const stride = 100
let mails = 0
let bytes = 0
let first = 0
let last = 0
let moments: number[] = []

const now = () => performance.timeOrigin + performance.now()

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  request.on('end', () => {
    response.setHeader('Content-Type', 'application/json')
    if (request.method === 'GET') return void response.end(account)
    last = now()
    if (mails === 0) first = last
    mails += 1
    if (mails % stride === 0) moments.push(last)
    response.end(`{"MessageId":"0102018f-${mails}"}`)
  })
})
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
