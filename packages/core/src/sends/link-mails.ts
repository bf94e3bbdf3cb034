import type { Clock, Log, NewId } from '../kernel/ports.js'
import { foundIn, type RepositoriesFor } from '../kernel/repository.js'
import { stamps } from '../kernel/shapes.js'
import { filled, languages } from '../languages/languages.js'
import type { StoredEmail } from '../mail/content.js'
import type { LinkMail } from '../people/person-links.js'
import type { Project } from '../projects/project.js'
import type { Acceptor } from '../sending/acceptance/acceptance.js'
import { refuseSuppressed, type Suppression } from '../suppressions/suppression.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ projects: Project; suppressions: Suppression }>
  readonly acceptor: Pick<Acceptor, 'accept'>
  readonly newId: NewId
  readonly clock: Clock
  readonly log: Log
  readonly settings: { readonly publicUrl: string; readonly mailsLinks?: boolean | undefined }
}

/** Nothing that a person chose is in the mail, so that no invitation carries somebody's message. */
const places = { host: '{{host}}', link: '{{link}}' }

const textOf = ({ purpose, language }: LinkMail) => {
  const words = languages[language]
  return purpose === 'invitation'
    ? { subject: words.invitationMailSubject, document: words.invitationMail }
    : { subject: words.resetMailSubject, document: words.resetMail }
}

/** Mails links to people of the console from a project's first sender, as a test mail: it takes credit and has no statistics. */
export const linkMails =
  ({ repositories: { projects, suppressions }, acceptor, newId, clock, log, settings }: Deps) =>
  /** Whether the mail is durably queued. */
  async (mail: LinkMail): Promise<boolean> => {
    const { to, url, projectId, purpose } = mail
    if (settings.mailsLinks !== true) return false
    const { subject, document } = textOf(mail)
    const dispatchId = newId()
    const email: StoredEmail = {
      _id: dispatchId,
      projectId,
      name: purpose,
      subject: filled(subject, places),
      type: 'text',
      document: filled(document, places),
      feeds: [],
      tracking: { opens: false, clicks: false },
      ...stamps(clock().toISOString()),
    }
    try {
      const { status } = await foundIn(projects, { _id: projectId })
      // The owner of that cloud account could read it.
      if (purpose === 'reset' && status === 'byoCloudSes') return false
      await refuseSuppressed(suppressions, projectId, to)
      await acceptor.accept({
        dispatchId,
        kind: 'test',
        email,
        audience: { kind: 'address', email: to },
        recipients: 1,
        data: { host: new URL(settings.publicUrl).host, link: url },
      })
      return true
    } catch (error) {
      log('warn', 'A link for a person of the console was not mailed', { projectId, purpose, error })
      return false
    }
  }
