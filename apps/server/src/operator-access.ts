import type { Core, Log } from '@posthorn/core'
import { isLoopback, type OperatorPageAccess } from '@posthorn/http-express'
import type { Config } from './config.js'

type Asked = Pick<Config, 'host' | 'publicUrl' | 'trustProxy' | 'allowedHosts' | 'operatorPassword'>

/** A trusted proxy, or a public URL elsewhere, lets strangers reach a loopback listener. */
export const onThisMachineAlone = ({
  host,
  publicUrl = 'http://localhost',
  trustProxy,
}: Pick<Config, 'host' | 'publicUrl' | 'trustProxy'>): boolean =>
  isLoopback(host) && isLoopback(new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')) && trustProxy === undefined

export const operatorPagesAccess = (
  { host, publicUrl = 'http://localhost', trustProxy, allowedHosts, operatorPassword }: Asked,
  { access }: Pick<Core, 'access'>,
  log: Log,
): OperatorPageAccess => {
  const publicHost = new URL(publicUrl).hostname
  const loopback = onThisMachineAlone({ host, publicUrl, trustProxy })
  if (!loopback && operatorPassword === undefined)
    log(
      'info',
      'Strangers might come here, so /outbox and /metrics are closed; POSTHORN_OPERATOR_PASSWORD opens them',
      { host },
    )
  return {
    loopback,
    hosts: [publicHost, ...allowedHosts.map((name) => (name.includes(':') ? `[${name}]` : name))],
    password: operatorPassword,
    isAdmin: access.isAdmin,
  }
}
