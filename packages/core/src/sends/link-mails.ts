import type { Log } from '../kernel/ports.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import { fillPlaceholders, languages } from '../languages/languages.js'
import type { PersonLinkMail } from '../people/person-links.js'
import type { Project } from '../projects/project.js'
import type { PersonMail } from './person-mails.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ projects: Project }>
  readonly mail: (mail: PersonMail) => Promise<void>
  readonly log: Log
  readonly settings: { readonly publicUrl: string; readonly mailsLinks?: boolean | undefined }
}

/** Mails links to people of the console. Nothing that a person chose is in the mail, so that no invitation carries somebody's message. */
export const linkMails =
  ({ repositories: { projects }, mail, log, settings }: Deps) =>
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
