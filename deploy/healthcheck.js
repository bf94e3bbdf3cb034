/** Ends with 0 if the server of this container lives. The port of the metrics speaks HTTP whatever the public one does. */
const { POSTHORN_METRICS_PORT: metrics, POSTHORN_METRICS_HOST: host = '127.0.0.1' } = process.env
const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
const answer = await fetch(`http://${address.includes(':') ? `[${address}]` : address}:${metrics}/healthz`).catch(
  (error) => ({ ok: false, status: error.cause?.code ?? error.message }),
)
if (!answer.ok) {
  process.stderr.write(`/healthz on port ${metrics}: ${answer.status}\n`)
  process.exitCode = 1
}
