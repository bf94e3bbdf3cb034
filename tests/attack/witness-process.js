import { Agent, request } from 'node:http'

const [base, projectId, key] = process.argv.slice(2)
const { hostname, port } = new URL(base)
const agent = new Agent({ keepAlive: true, maxSockets: 8 })
const paths = ['/healthz', `/v1/projectId/${projectId}/campaigns?limit=1`, `/v1/projectId/${projectId}`]

const interval = 25
/** When each request that waits for its answer was made. */
const open = new Map()
let [longest, asked, failed, turn] = [0, 0, 0, 0]

/** Time in which this process could run: when the machine stops it, it would otherwise take that for a wait for the server. */
let [stopped, lastTurn] = [0, performance.now()]
const clock = () => {
  const now = performance.now()
  return now - stopped - Math.max(0, now - lastTurn - 2 * interval)
}

const askNext = () => {
  const number = turn
  turn += 1
  asked += 1
  open.set(number, clock())
  const end = (good) => {
    longest = Math.max(longest, clock() - open.get(number))
    open.delete(number)
    if (!good) failed += 1
  }
  const path = paths[number % paths.length]
  const headers = { authorization: `Bearer ${key}` }
  const ask = (by) => {
    const asking = request({ agent: by, hostname, port, path, headers }, (answer) => {
      answer.resume()
      answer.once('end', () => end(answer.statusCode === 200))
    })
    asking.once('error', ({ code }) => {
      // The server had closed a connection that nobody used, in the moment in which it was used again: a new one tells.
      if (asking.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')) ask(false)
      else end(false)
    })
    asking.end()
  }
  ask(agent)
}

let state = 'asking'
setInterval(() => {
  const now = performance.now()
  stopped += Math.max(0, now - lastTurn - 2 * interval)
  lastTurn = now
  if (state === 'pausing' && open.size === 0) {
    state = 'paused'
    process.send('paused')
  }
  if (state === 'asking' && open.size < 8) askNext()
}, interval)

process.on('message', (message) => {
  if (message !== 'report') {
    state = message === 'pause' ? 'pausing' : 'asking'
    return
  }
  const now = clock()
  const waiting = [...open.values()].map((since) => now - since)
  process.send({ longest: Math.max(longest, ...waiting), asked, failed })
  for (const number of open.keys()) open.set(number, now)
  longest = 0
  asked = 0
  failed = 0
})

process.on('disconnect', () => process.exit())
