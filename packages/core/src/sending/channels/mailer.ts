import type { Secrets } from '../../kernel/ports.js'
import { Refusal } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { type DecryptedCloudConfig, decryptCloudConfig } from '../../own-cloud/cloud-check.js'
import type { Project } from '../../projects/project.js'
import type { OwnChannel, SendingChannel } from './channel.js'

/** `mime`: the whole message in ASCII, CRLF line ends, not dot-stuffed. */
export type Mail = {
  readonly deliveryId: string
  readonly projectId: string
  readonly from: string
  readonly envelopeFrom?: string | undefined
  /** Signed name of the delivery for `core.returnedMail.report`: at most 60 letters, digits and hyphens. Only if `tellsReference`. */
  readonly reference?: string | undefined
  readonly to: string
  readonly mime: string
  /** Every line ends in CRLF and none begins with a dot (RFC 5321, 4.5.2). */
  readonly isTransparent?: boolean | undefined
}

export type MailError = { readonly name: string; readonly message: string }

/**
 * `refused`: permanently; `bounce` if the address accepts no mail, which suppresses it. `deferred`: temporarily; `throttled` if mails come too
 * fast, which slows the channel. `stopped`: the account sends nothing until a person fixes it. After these three, nobody has the mail.
 * `unknown`: the provider may have it, as the connection broke before its answer.
 */
export type MailOutcome =
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  | { readonly kind: 'refused'; readonly error: MailError; readonly bounce?: boolean }
  | { readonly kind: 'deferred'; readonly error: MailError; readonly throttled: boolean }
  | { readonly kind: 'unknown'; readonly error: MailError }
  | { readonly kind: 'stopped'; readonly error: MailError }

/**
 * Transmits mails. Never throws for a mail: failures are outcomes. Cache the other methods' answers: they are called often.
 * `mailerContract` of `@posthorn/testkit/contracts` tests it.
 */
export interface Mailer {
  /** Transmits it once. Always resolves, if need be after a timeout. The same delivery may come again. */
  send(mail: Mail): Promise<MailOutcome>
  /** Mails per second that the provider allows; undefined if it sets no limit, 0 while it takes none. */
  ratePerSecond(): Promise<number | undefined>
  /** Why the account sends nothing until a person fixes it; undefined while it sends or recovers by itself. */
  problem?(): Promise<string | undefined>
  /** Why the rate is 0 although sending resumes by itself. */
  waitsFor?(): Promise<string | undefined>
  /** Whether the provider later reports its sends, which settles unknown outcomes. */
  readonly reportsSends: boolean
  /** Whether `reference` reaches the provider. */
  readonly tellsReference?: boolean | undefined
  /** How many mails it is given at once, at most. */
  readonly concurrency: number
  /**
   * Tests the connection.
   * @throws Error with a message for the operator
   */
  check(): Promise<void>
  /** Mails in flight, and later ones, still get an outcome. May be called twice. */
  close(): Promise<void>
}

/** No mailer until a person fixes what `message` says. */
export class MailerUnavailable extends Error {
  override readonly name = 'MailerUnavailable'
}

export interface Mailers {
  /** False for a relay. */
  readonly perRegion: boolean
  /**
   * Called often: cache. Without a region: the first mailer.
   * @throws MailerUnavailable; any other error may be temporary
   */
  of(channel: SendingChannel): Promise<Mailer>
}

const noOwnAccounts = async (): Promise<Mailer> => {
  throw new MailerUnavailable('This server has no way to send through the project’s own account.')
}

/** One mailer for the server’s own account. */
export const serverMailer = (
  mailer: Mailer,
  ofOwnAccount: (channel: OwnChannel) => Promise<Mailer> = noOwnAccounts,
): Mailers => ({
  perRegion: false,
  of: async (channel) => (channel.account === 'server' ? mailer : ofOwnAccount(channel)),
})

/** Clear-text credentials: do not keep them. */
export type OwnAccountAccess = {
  readonly projectId: string
  readonly region: string
  readonly credentials: DecryptedCloudConfig['credentials']
  readonly limit?: number
}

type Deps = { readonly repositories: RepositoriesFor<{ projects: Project }>; readonly secrets: Pick<Secrets, 'open'> }

const anew = 'Store the credentials of cloudConfig anew, and check them.'

const accessOf = (
  { cloudConfig, cloudExternalId }: Project,
  secrets: Deps['secrets'],
  region: string,
): DecryptedCloudConfig => {
  try {
    return decryptCloudConfig({ ...cloudConfig, region }, cloudExternalId, secrets)
  } catch (error) {
    if (error instanceof Refusal) throw new MailerUnavailable(`The project’s own account has no credentials. ${anew}`)
    throw new MailerUnavailable(`The stored credentials of the project’s own account cannot be opened. ${anew}`)
  }
}

/** Reads the store each time, so that changes take effect. */
export const ownAccountLookup =
  ({ repositories: { projects }, secrets }: Deps) =>
  /** @throws MailerUnavailable without credentials, or if the secret cannot decrypt them */
  async ({ projectId, region }: OwnChannel): Promise<OwnAccountAccess> => {
    const project = await projects.get({ _id: projectId })
    if (!project) throw new MailerUnavailable('The project is gone.')
    const { limit } = project.cloudConfig ?? {}
    const { credentials } = accessOf(project, secrets, region)
    return { projectId, region, credentials, ...(limit !== undefined && { limit }) }
  }
