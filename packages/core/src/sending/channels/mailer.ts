import type { Channel, OwnChannel } from './channel.js'
import type { Secrets } from '../../kernel/ports.js'
import { Refusal } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { cloudAccessOf, type CloudAccess } from '../../own-cloud/cloud-check.js'
import type { Project } from '../../projects/project.js'

/** A mail ready to transmit. `mime` is the whole message: ASCII, CRLF line ends, headers included, not dot-stuffed. */
export type Mail = {
  readonly deliveryId: string
  readonly projectId: string
  readonly from: string
  /** The envelope sender if it is not `from`: the address that bounces of this mail go to. */
  readonly envelopeFrom?: string | undefined
  /**
   * A signed name of the delivery: at most 60 letters, digits and hyphens. `core.returnedMail.report` resolves it. Only set for mailers
   * with `tellsReference`.
   */
  readonly reference?: string | undefined
  readonly to: string
  readonly mime: string
  /** True if every line is known to end in CRLF, the last one too, and none begins with a dot (RFC 5321, 4.5.2). */
  readonly isTransparent?: boolean | undefined
}

export type MailError = { readonly name: string; readonly message: string }

/**
 * `refused`: permanently (a 5xx, a malformed address), with `bounce` if the address accepts no mail. `deferred`: temporarily (a 4xx, a
 * timeout before the message was taken), with `throttled` if the provider limits the rate. `unknown`: the connection broke after the whole
 * message was transmitted and before the provider answered. `stopped`: the account sends nothing until a person does what the error says.
 */
export type MailOutcome =
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  | { readonly kind: 'refused'; readonly error: MailError; readonly bounce?: boolean }
  | { readonly kind: 'deferred'; readonly error: MailError; readonly throttled: boolean }
  | { readonly kind: 'unknown'; readonly error: MailError }
  | { readonly kind: 'stopped'; readonly error: MailError }

/** Transmits mails to a provider. Never throws for a mail: every failure is an outcome. */
export interface Mailer {
  send(mail: Mail): Promise<MailOutcome>
  /** Mails per second that the provider allows now; undefined if no limit is known. Cheap: adapters cache it. */
  ratePerSecond(): Promise<number | undefined>
  /**
   * Why the account sends nothing until a person fixes it, with what to do; undefined while it sends or will recover by itself. Campaigns
   * stop for it, and mails that no user could retry wait half a day. Cheap: adapters cache it. A mailer without this method always sends
   * sooner or later.
   */
  problem?(): Promise<string | undefined>
  /** Why the rate is 0 although sending will resume by itself, for display. Cheap: adapters cache it. */
  waitsFor?(): Promise<string | undefined>
  /** Whether the provider reports its sends later, so that an unknown outcome may still be resolved. */
  readonly reportsSends: boolean
  /** Whether the mailer passes the mails' `reference` on to the provider. */
  readonly tellsReference?: boolean | undefined
  /** Mails to transmit at once. */
  readonly concurrency: number
  /** Tests the connection without sending a mail. @throws Error with a message for the operator */
  check(): Promise<void>
  close(): Promise<void>
}

/**
 * A channel's mailer cannot be created until a person fixes what `message` says: a role that cannot be assumed, say, or missing
 * credentials.
 */
export class MailerUnavailable extends Error {
  override readonly name = 'MailerUnavailable'
}

export interface Mailers {
  /** Whether the server's own account differs per region, each with its own rate; false for a relay. */
  readonly perRegion: boolean
  /**
   * Cheap and called often: adapters cache what they open, and reopen it after a change. A server channel without a region gets the
   * server's first mailer.
   * @throws MailerUnavailable; any other error may be temporary
   */
  of(channel: Channel): Promise<Mailer>
}

const noOwnAccounts = async (): Promise<Mailer> => {
  throw new MailerUnavailable('This server has no way to send through the project’s own account.')
}

/** One mailer for the server's own account. Projects' own accounts work only if `ofOwnAccount` is given. */
export const serverMailer = (
  mailer: Mailer,
  ofOwnAccount: (channel: OwnChannel) => Promise<Mailer> = noOwnAccounts,
): Mailers => ({
  perRegion: false,
  of: async (channel) => (channel.account === 'server' ? mailer : ofOwnAccount(channel)),
})

/** Access to a project's own account. Credentials are in clear text: do not keep them longer than needed. */
export type OwnAccountAccess = {
  readonly projectId: string
  readonly region: string
  readonly credentials: CloudAccess['credentials']
  /** Mails per second that the owner allows; if absent, the account's own limit applies. */
  readonly limit?: number
}

type Deps = { readonly repositories: RepositoriesFor<{ projects: Project }>; readonly secrets: Pick<Secrets, 'open'> }

const anew = 'Store the credentials of cloudConfig anew, and check them.'

const accessOf = ({ cloudConfig, cloudExternalId }: Project, secrets: Deps['secrets'], region: string): CloudAccess => {
  try {
    return cloudAccessOf({ ...cloudConfig, region }, cloudExternalId, secrets)
  } catch (error) {
    if (error instanceof Refusal) throw new MailerUnavailable(`The project’s own account has no credentials. ${anew}`)
    throw new MailerUnavailable(`The stored credentials of the project’s own account cannot be opened. ${anew}`)
  }
}

/** Reads the access to a project's own account for its mailer. Reads the store each time, so that changes take effect. */
export const ownAccounts =
  ({ repositories: { projects }, secrets }: Deps) =>
  /** @throws MailerUnavailable if there are no credentials, or this server's secret cannot decrypt them */
  async ({ projectId, region }: OwnChannel): Promise<OwnAccountAccess> => {
    const project = await projects.get({ _id: projectId })
    if (!project) throw new MailerUnavailable('The project is gone.')
    const { limit } = project.cloudConfig ?? {}
    const { credentials } = accessOf(project, secrets, region)
    return { projectId, region, credentials, ...(limit !== undefined && { limit }) }
  }
export type OwnAccounts = ReturnType<typeof ownAccounts>
