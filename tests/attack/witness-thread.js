import { Agent, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { parentPort, workerData } from 'node:worker_threads'

const { base, projectId, key } = workerData
const { hostname, port } = new URL(base)
const agent = new Agent({ keepAlive: true, maxSockets: 8 })
const paths = ['/healthz', `/v1/projectId/${projectId}/campaigns?limit=1`, `/v1/projectId/${projectId}`]

/** When each request that waits for its answer was made. */
const open = new Map()
let [longest, asked, failed, turn] = [0, 0, 0, 0]

const askNext = () => {
  const number = turn
  turn += 1
  asked += 1
  open.set(number, performance.now())
  const end = (good) => {
    longest = Math.max(longest, performance.now() - open.get(number))
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

setInterval(() => {
  if (open.size < 8) askNext()
}, 25)

parentPort.on('message', () => {
  const now = performance.now()
  const waiting = [...open.values()].map((since) => now - since)
  parentPort.postMessage({ longest: Math.max(longest, ...waiting), asked, failed })
  for (const number of open.keys()) open.set(number, now)
  longest = 0
  asked = 0
  failed = 0
})
