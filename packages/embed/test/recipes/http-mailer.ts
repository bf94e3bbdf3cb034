import type { Mailer, MailOutcome } from '@posthorn/core/ports/transport'

/** Sends through a provider that takes whole messages by HTTP. `timeout`: for its answer, in ms. */
export const httpMailer = (url: string, token: string, timeout = 30_000): Mailer => ({
  concurrency: 20,
  reportsSends: false,
  ratePerSecond: async () => undefined,
  check: async () => {
    const response = await fetch(url, { method: 'HEAD', headers: { authorization: `Bearer ${token}` } })
    if (response.status === 401) throw new Error('The provider does not accept the token.')
  },
  send: async ({ from, to, mime }): Promise<MailOutcome> => {
    const body = JSON.stringify({ from, to, message: mime })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(timeout)
    try {
      // A redirected POST would become a GET, whose answer says nothing about the mail.
      const response = await fetch(url, { method: 'POST', redirect: 'manual', headers, body, signal })
      const text = await response.text()
      const { status, ok } = response
      const error = { name: `Http${status}`, message: text }
      if (ok) return { kind: 'accepted', providerMessageId: text }
      if (status < 400 || status === 401) return { kind: 'stopped', error }
      if (status === 429) return { kind: 'deferred', error, throttled: true }
      return status < 500 && status !== 408 ? { kind: 'refused', error } : { kind: 'deferred', error, throttled: false }
    } catch (error) {
      const told = { name: 'Unreachable', message: String(error) }
      const { code = '' } = ((error as Error).cause ?? {}) as { readonly code?: string }
      if (['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH'].includes(code))
        return { kind: 'deferred', error: told, throttled: false }
      // The provider may have taken the mail: it is sent twice more at the most.
      return { kind: 'unknown', error: told }
    }
  },
  close: async () => {},
})
