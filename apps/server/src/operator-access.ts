import type { Core, Log } from '@posthorn/core'
import { isLoopback, type OperatorAccess } from '@posthorn/http-express'
import type { Config } from './config.js'

type Asked = Pick<Config, 'host' | 'publicUrl' | 'trustProxy' | 'allowedHosts' | 'operatorPassword'>

/**
 * Whether only this machine reaches the listener. A proxy that is trusted, and a public URL that is not this machine's, say that
 * strangers come in by a proxy, though the listener itself be on loopback.
 */
export const onThisMachineAlone = ({
  host,
  publicUrl = 'http://localhost',
  trustProxy,
}: Pick<Config, 'host' | 'publicUrl' | 'trustProxy'>): boolean =>
  isLoopback(host) && isLoopback(new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')) && trustProxy === undefined

/**
 * Who counts as the operator on a listener.
 */
export const operatorAccessTo = (
  { host, publicUrl = 'http://localhost', trustProxy, allowedHosts, operatorPassword }: Asked,
  { access }: Pick<Core, 'access'>,
  log: Log,
): OperatorAccess => {
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
