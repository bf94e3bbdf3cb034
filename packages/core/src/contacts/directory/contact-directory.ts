import { addressKey } from '../../kernel/email-address.js'
import { chunked } from '../../kernel/listing.js'
import type { Runtime } from '../../kernel/ports.js'
import { type ProjectLimits, projectRecordLimit, refuseIfLimitReached } from '../../kernel/project-limits.js'
import { invalid, Refusal } from '../../kernel/refusal.js'
import { type RepositoriesFor, refuseIfKeyTaken } from '../../kernel/repository.js'
import type { Scope } from '../../kernel/scope.js'
import { stamps } from '../../kernel/shapes.js'
import type { Violation } from '../../kernel/violation.js'
import { refuseBouncedAddress, type Suppression } from '../../suppressions/suppression.js'
import type { Contact, ContactTag } from '../contact.js'
import { withPendingContactChanges } from '../contact-change.js'
import {
  type ContactInput,
  type ContactSchema,
  changedContact,
  newContact,
  type ParsedContactInput,
  parseContact,
} from '../contact-input.js'
import type { CustomFieldsOfProject } from '../custom-field.js'
import type { ChangesOfAllContacts } from './contact-changes.js'

type Deps = Pick<Runtime, 'clock' | 'newId' | 'sleep'> & {
  readonly repositories: RepositoriesFor<{ contacts: Contact; contactTags: ContactTag; suppressions: Suppression }>
  readonly fieldsOf: CustomFieldsOfProject
  readonly contactChanges: Pick<ChangesOfAllContacts, 'freeTags' | 'pending'>
  readonly settings: { readonly limits: Pick<ProjectLimits, 'contactTags'> }
}

/** A request has at most 500 new tags, so that only imports need several writes. */
const tagsAtOnce = 500

const taken = refuseIfKeyTaken(() => invalid('Email already exists.'))

/** Contacts by address, for features that write them. Expects validated input. */
export const contactDirectory = ({ repositories, fieldsOf, contactChanges, clock, newId, sleep, settings }: Deps) => {
  const { contacts, contactTags, suppressions } = repositories
  const iso = () => clock().toISOString()

  const find = (projectId: string, email: string) => contacts.get({ projectId, emailKey: addressKey(email) })

  const unknownTags = async (projectId: string, tags: readonly string[] = []): Promise<readonly string[]> => {
    const unknown = new Set(tags)
    for await (const value of chunked([...unknown], 1000)) {
      for await (const tag of contactTags.each({ projectId, value })) unknown.delete(tag.value)
      // Only imports have more; a local store would not yield to other work.
      if (value.length === 1000) await sleep(0)
    }
    return [...unknown]
  }

  /** @throws Refusal `invalid` if the project would have too many; of more than 500, the first may then be kept */
  const keepTags = async (projectId: string, tags: readonly string[] = []): Promise<void> => {
    if (tags.length === 0) return
    const unknown = await unknownTags(projectId, tags)
    if (unknown.length === 0) return
    const now = iso()
    for await (const some of chunked(unknown, tagsAtOnce))
      await contactTags
        .addNew(
          some.map((value) => ({ _id: newId(), projectId, value, ...stamps(now) })),
          projectRecordLimit(projectId, settings.limits.contactTags),
        )
        .catch(refuseIfLimitReached('tags'))
  }

  /** @throws Refusal `invalid`, also for a visitor’s unknown tag */
  const read = async <S extends ContactSchema>(
    { projectId, caller }: Scope,
    schema: S,
    input: unknown,
    alsoWrong: readonly Violation[] = [],
  ): Promise<ParsedContactInput<S>> => {
    const given = parseContact(schema, input, await fieldsOf(projectId), alsoWrong)
    const isVisitor = caller === 'origin' || caller === 'preferences'
    const [unknown] = isVisitor ? await unknownTags(projectId, given.contact.tags) : []
    if (unknown !== undefined) throw invalid(`Unknown tag: ${unknown}`)
    return given
  }

  /** @throws Refusal `invalid` if a contact has that address, `blocked` if the address bounced */
  const add = async (projectId: string, email: string, given: ContactInput, _id = newId()): Promise<Contact> => {
    await refuseBouncedAddress(suppressions, projectId, email)
    await contactChanges.freeTags(projectId, given.tags)
    const contact = newContact({ _id, projectId, email }, given, iso())
    await keepTags(projectId, given.tags)
    await contacts.add(contact).catch(taken)
    return contact
  }

  /**
   * Undefined if the contact was removed. @throws Refusal `invalid` if another contact has the address, `blocked` if it
   * bounced
   */
  const change = async (contact: Contact, given: ContactInput): Promise<Contact | undefined> => {
    const { _id, projectId } = contact
    if (given.email !== undefined && addressKey(given.email) !== contact.emailKey)
      await refuseBouncedAddress(suppressions, projectId, given.email)
    await contactChanges.freeTags(projectId, given.tags)
    const now = iso()
    await keepTags(projectId, given.tags)
    return contacts.change({ _id, projectId }, (current) => changedContact(current, given, now)).catch(taken)
  }

  /** Changes or adds the contact. @throws Refusal `blocked` */
  const ensure = async (projectId: string, email: string, given: ContactInput): Promise<Contact> => {
    const merge = async () => {
      const found = await find(projectId, email)
      return found && change(found, { ...given, email: undefined })
    }
    try {
      return (await merge()) ?? (await add(projectId, email, given))
    } catch (error) {
      // Another request may have just created it.
      const theirs = error instanceof Refusal && error.kind === 'invalid' ? await merge() : undefined
      if (!theirs) throw error
      return theirs
    }
  }

  return {
    find,
    read,
    keepTags,
    unknownTags,
    /** Applies pending changes. */
    settled: async (projectId: string, found: readonly Contact[]): Promise<readonly Contact[]> => {
      const changes = await contactChanges.pending(projectId)
      return found.map((contact) => withPendingContactChanges(contact, changes))
    },
    add,
    change,
    ensure,
    fieldsOf,
  }
}
export type ContactDirectory = ReturnType<typeof contactDirectory>
