import type { Runtime } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { stamps } from '../kernel/shapes.js'
import type { StoredEmail } from '../mail/content.js'
import type { SendAcceptor } from '../sending/acceptance/acceptance.js'
import { refuseSuppressedAddress, type Suppression } from '../suppressions/suppression.js'

export type PersonMail = {
  readonly to: string
  /** The mail is sent from this project's first sender. */
  readonly projectId: string
  readonly name: string
  readonly subject: string
  readonly text: string
}

type Deps = Pick<Runtime, 'newId' | 'clock'> & {
  readonly repositories: RepositoriesFor<{ suppressions: Suppression }>
  readonly acceptor: Pick<SendAcceptor, 'accept'>
}

/**
 * Mails people of the console from a project's first sender, as a test mail: it takes credit and has no statistics. Texts are data of the mail,
 * so braces in them are no merge tags. Resolves when the mail is durably queued. @throws Refusal as every send
 */
export const personMails =
  ({ repositories: { suppressions }, acceptor, newId, clock }: Deps) =>
  async ({ to, projectId, name, subject, text }: PersonMail): Promise<void> => {
    const dispatchId = newId()
    const email: StoredEmail = {
      _id: dispatchId,
      projectId,
      name,
      subject: '{{subject}}',
      type: 'text',
      document: '{{text}}',
      feeds: [],
      tracking: { opens: false, clicks: false },
      ...stamps(clock().toISOString()),
    }
    await refuseSuppressedAddress(suppressions, projectId, to)
    await acceptor.accept({
      dispatchId,
      kind: 'test',
      email,
      audience: { kind: 'address', email: to },
      recipients: 1,
      data: { subject, text },
    })
  }
