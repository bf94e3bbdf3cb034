import type { Log, Runtime } from '../kernel/ports.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import { stamps } from '../kernel/shapes.js'
import { fillPlaceholders, languages } from '../languages/languages.js'
import type { EmailRecord } from '../mail/content.js'
import type { PersonLinkMail } from '../people/person-links.js'
import type { Project } from '../projects/project.js'
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
    const email: EmailRecord = {
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

type LinkMailDeps = {
  readonly repositories: RepositoriesFor<{ projects: Project }>
  readonly mail: (mail: PersonMail) => Promise<void>
  readonly log: Log
  readonly settings: { readonly publicUrl: string; readonly mailsLinks?: boolean | undefined }
}

/** Mails links to people of the console. Nothing that a person chose is in the mail, so that no invitation carries somebody's message. */
export const linkMails =
  ({ repositories: { projects }, mail, log, settings }: LinkMailDeps) =>
  /** Whether the mail is durably queued. */
  async ({ to, url, projectId, purpose, language }: PersonLinkMail): Promise<boolean> => {
    if (settings.mailsLinks !== true) return false
    const words = languages[language]
    const [subject, text] =
      purpose === 'invitation'
        ? [words.invitationMailSubject, words.invitationMail]
        : [words.resetMailSubject, words.resetMail]
    const values = { host: new URL(settings.publicUrl).host, link: url }
    try {
      const { status } = await getOrNotFound(projects, { _id: projectId })
      // The owner of that cloud account could read it.
      if (purpose === 'reset' && status === 'byoCloudSes') return false
      await mail({
        to,
        projectId,
        name: purpose,
        subject: fillPlaceholders(subject, values),
        text: fillPlaceholders(text, values),
      })
      return true
    } catch (error) {
      log('warn', 'A link for a person of the console was not mailed', { projectId, purpose, error })
      return false
    }
  }
