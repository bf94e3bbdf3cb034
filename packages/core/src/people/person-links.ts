import type { Runtime } from '../kernel/ports.js'
import { unauthenticated } from '../kernel/refusal.js'
import type { Repository } from '../kernel/repository.js'
import { stamps } from '../kernel/shapes.js'
import { type Person, type PersonLink, personLinkLifetimes } from './person.js'
import type { SignInClient, SignInUseCases } from './sessions.js'

export type PersonLinkMail = {
  readonly to: string
  readonly url: string
  readonly purpose: 'invitation' | 'reset'
  /** Whose sender mails it. */
  readonly projectId: string
  readonly language: Person['language']
}

/** Pages of the console. */
const pages = { setup: 'setup', 'sign-in': 'link', reset: 'reset', invitation: 'invitation' } as const

const gone = () => unauthenticated('This link is unknown, was used already or has expired.')

type Deps = Pick<Runtime, 'secrets' | 'clock' | 'newId'> & {
  readonly personLinks: Repository<PersonLink>
  readonly publicUrl: string
  readonly signIn: Pick<SignInUseCases, 'attempt'>
}

/** Each link works once. Stores only a digest of the token. */
export const personLinkUseCases = ({ personLinks, secrets, clock, newId, publicUrl, signIn }: Deps) => {
  const iso = (milliseconds = 0) => new Date(clock().getTime() + milliseconds).toISOString()
  return {
    gone,

    add: async (
      purpose: PersonLink['purpose'],
      about: Partial<Pick<PersonLink, 'personId' | 'email' | 'accountId' | 'projectId' | 'role' | 'invitedBy'>> = {},
    ): Promise<{ readonly link: PersonLink; readonly url: string }> => {
      const token = secrets.random(32)
      const link: PersonLink = {
        _id: newId(),
        digest: secrets.digest(token),
        purpose,
        expiresAt: iso(personLinkLifetimes[purpose]),
        ...about,
        ...stamps(iso()),
      }
      await personLinks.add(link)
      return { link, url: `${publicUrl}/console/${pages[purpose]}#${token}` }
    },

    /** The link stays usable. @throws Refusal `unauthenticated` */
    find: async (token: string, purpose: PersonLink['purpose'], client: SignInClient): Promise<PersonLink> => {
      signIn.attempt(client.addressBlock)
      const link = await personLinks.get({ digest: secrets.digest(token), purpose })
      if (!link || link.expiresAt <= iso()) throw gone()
      return link
    },

    /** Of several concurrent requests with one link, one succeeds. @throws Refusal `unauthenticated` */
    useUp: async ({ _id }: PersonLink): Promise<void> => {
      if (!(await personLinks.remove({ _id }))) throw gone()
    },
  }
}
