import type { Contact } from '../contacts/contact.js'
import type { Clock, Secrets } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { type Language, languageOfTag, standardLanguage } from '../languages/languages.js'
import type { SubscriberList } from '../lists/subscriber-list.js'
import type { Project } from '../projects/project.js'
import { genuineToken, readToken, type TokenPayload } from '../tokens/tokens.js'
import { type TestedEmailRepositories, testedEmailLookup } from './test-emails.js'

type Deps = {
  readonly repositories: TestedEmailRepositories &
    RepositoriesFor<{ contacts: Contact; projects: Project; subscriberLists: SubscriberList }>
  readonly secrets: Pick<Secrets, 'verifies'>
  readonly clock: Clock
}

export type PageVisitor = {
  /** Absent if the link does not identify it. */
  readonly project?: { readonly name: string; readonly logoUrl?: string | undefined }
  /** Absent if unknown or not supported. */
  readonly language?: Language
  readonly projectLanguage: Language
}

/** For the language and logo of pages behind links in mails. */
export const pageReaderLookup = ({ repositories, secrets, clock }: Deps) => {
  const { contacts, projects, subscriberLists } = repositories
  const emails = testedEmailLookup(repositories)

  const projectIdOf = async (payload: TokenPayload): Promise<string | undefined> => {
    if (payload.purpose === 'test' || payload.purpose === 'report')
      return (await emails.any({ _id: payload.e }))?.email.projectId
    if (payload.purpose !== 'unsubscribe' && payload.purpose !== 'verify') return undefined
    const [list] = [payload.l].flat()
    return list === undefined ? undefined : (await subscriberLists.get({ _id: list }))?.projectId
  }

  return {
    /** Also for an expired token. Other tokens give a reader without contact and project. */
    of: async (token: unknown): Promise<PageVisitor> => {
      const payload = genuineToken(secrets, token)
      const contact = payload && 'c' in payload ? await contacts.get({ _id: payload.c }) : undefined
      const projectId = contact?.projectId ?? (payload && (await projectIdOf(payload)))
      const project = projectId === undefined ? undefined : await projects.get({ _id: projectId })
      const language = languageOfTag(contact?.customFields.language)
      return {
        ...(project && { project: { name: project.name, logoUrl: project.logoUrl } }),
        ...(language && { language }),
        projectLanguage: project?.language ?? standardLanguage,
      }
    },

    /** The action that a test link stands for. @throws Refusal `forbidden` for a wrong token */
    tested: (token: unknown): 'unsubscribe' | 'preferences' | 'verify' => readToken(secrets, 'test', token, clock()).w,
  }
}
