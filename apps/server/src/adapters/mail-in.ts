import { providerHeaderTemplates } from '@posthorn/adapters-smtp'
import type { Core, Log } from '@posthorn/core'
import type { Counters } from '@posthorn/core/ports/storage'
import type { ProviderEventsEndpoint } from '@posthorn/http-express'
import type { Config } from '../config.js'

type ProviderSecrets = Config['mailIn']['providers']

const load = () => import('@posthorn/adapters-mail-in')

export const hasMailProviderSecret = (secrets: ProviderSecrets) =>
  Object.values(secrets).some((one) => one !== undefined)

/** Headers in which the providers return a mail's reference. */
export const providerReferenceHeaders = async (secrets: ProviderSecrets): Promise<readonly string[]> => {
  if (!hasMailProviderSecret(secrets)) return []
  const { postmarkReferenceHeaderFor, mailgunReferenceHeaderFor, sendgridReferenceHeaderFor, brevoReferenceHeaderFor } =
    await load()
  const lines = {
    postmark: postmarkReferenceHeaderFor,
    mailgun: mailgunReferenceHeaderFor,
    sendgrid: sendgridReferenceHeaderFor,
    brevo: brevoReferenceHeaderFor,
  }
  return providerHeaderTemplates(
    Object.entries(lines).flatMap(([name, line]) =>
      secrets[name as keyof ProviderSecrets] === undefined ? [] : [line],
    ),
  )
}

export const providerWebhooks = async (
  secrets: ProviderSecrets,
  { returnedMail }: Pick<Core, 'returnedMail'>,
  counters: Counters,
  log: Log,
): Promise<readonly ProviderEventsEndpoint[]> => {
  if (!hasMailProviderSecret(secrets)) return []
  const { postmarkEvents, mailgunEvents, sendgridEvents, sendgridPublicKey, brevoEvents } = await load()
  const options = { returnedMail, log }
  const { postmark, mailgun, sendgrid, brevo } = secrets
  const keyOf = (token: string) => `mailgun-token:${token}`
  return [
    ...(postmark === undefined ? [] : [postmarkEvents({ ...options, secret: postmark })]),
    ...(brevo === undefined ? [] : [brevoEvents({ ...options, secret: brevo })]),
    ...(sendgrid === undefined ? [] : [sendgridEvents({ ...options, publicKey: sendgridPublicKey(sendgrid) })]),
    ...(mailgun === undefined
      ? []
      : [
          mailgunEvents({
            ...options,
            signingKey: mailgun,
            isNew: async (token, until) =>
              (await counters.takeUpTo({ key: keyOf(token), n: 1, limit: 1 }, until)) === 1,
            forget: (token) => counters.give({ key: keyOf(token), n: 1 }),
          }),
        ]),
  ]
}

type Closing = { readonly close: () => Promise<void> }

/** An API process listens for SMTP; a worker reads the mailbox. @throws errors of the port, the certificate, or a missing IMAP client */
export const openIncomingMail = async (
  { domain, listener, certificate, mailboxUrl: url }: Config['mailIn'],
  roles: Config['roles'],
  { returnedMail }: Pick<Core, 'returnedMail'>,
  log: Log,
): Promise<Closing> => {
  const doors: Closing[] = []
  if (domain !== undefined && listener && roles.has('api')) {
    const server = await (await load()).bounceServer({ ...listener, certificate, name: domain, returnedMail, log })
    log('info', 'Accepting returned mail', {
      domain,
      port: server.port,
      host: listener.host,
      tls: certificate !== undefined,
    })
    doors.push(server)
  }
  if (domain !== undefined && url !== undefined && roles.has('worker')) {
    const { assertImapClient, mailboxReader, mailboxUrl } = await load()
    await assertImapClient()
    doors.push(mailboxReader({ mailbox: mailboxUrl(url), returnedMail, log }))
  }
  return {
    close: async () => {
      await Promise.all(doors.map((door) => door.close()))
    },
  }
}
