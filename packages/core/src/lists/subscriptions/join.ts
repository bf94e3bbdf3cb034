import type { Contact } from '../../contacts/contact.js'
import type { ContactInput } from '../../contacts/contact-input.js'
import type { ContactDirectory } from '../../contacts/directory/contact-directory.js'
import { addressKey } from '../../kernel/email-address.js'
import { collected } from '../../kernel/listing.js'
import { without } from '../../kernel/merged.js'
import type { Clock, Counters, Runtime, Secrets } from '../../kernel/ports.js'
import { busy, invalid, notFound, Refusal } from '../../kernel/refusal.js'
import { type RecordLookup, type RepositoriesFor, refuseIfKeyTaken } from '../../kernel/repository.js'
import { addressFingerprint, signedToken } from '../../tokens/signed-token.js'
import { canMoveSubscriber, moveSubscriber, newSubscriber, type Subscriber } from '../subscriber.js'
import type { DoubleOptIn, SubscriberList } from '../subscriber-list.js'
import type { SubscriptionRecorder } from './subscription-recorder.js'

type VerificationMailLimitDeps = {
  readonly counters: Pick<Counters, 'takeUpTo' | 'used' | 'give'>
  readonly secrets: Pick<Secrets, 'sign'>
  readonly clock: Clock
}

const spacingSeconds = 10 * 60
const perDay = 5
const daySeconds = 24 * 60 * 60

/**
 * One mail in ten minutes and five in a UTC day: strangers can request them. Keyed by address digest: removing the
 * contact does not reset it.
 */
const verificationMailLimit = ({ counters, secrets, clock }: VerificationMailLimitDeps) => ({
  /** `giveBack` for a mail that is not sent after all; else the time from which the address may get one. */
  take: async (
    projectId: string,
    email: string,
  ): Promise<{ readonly giveBack: () => Promise<void> } | { readonly nextAt: Date }> => {
    const key = `verification:${secrets.sign(`verification:${projectId}:${addressKey(email)}`)}`
    const now = Math.floor(clock().getTime() / 1000)
    const day = Math.floor(now / daySeconds)
    const refused = (nextSecond: number) => ({ nextAt: new Date(nextSecond * 1000) })

    // The second from which the next mail may be sent; one of concurrent callers advances it.
    const next = now + spacingSeconds
    const step = next - (await counters.used(key))
    if (step < spacingSeconds) return refused(next - step)
    const moved = await counters.takeUpTo({ key, n: step, limit: next }, new Date(next * 1000))
    if (moved < step) return refused(next)

    const today = { key: `${key}:${day}`, n: 1 }
    const taken = await counters.takeUpTo({ ...today, limit: perDay }, new Date((day + 2) * daySeconds * 1000))
    if (taken === 0) {
      await counters.give({ key, n: step })
      return refused((day + 1) * daySeconds)
    }
    return {
      giveBack: async () => {
        await counters.give({ key, n: step })
        await counters.give(today)
      },
    }
  },
})

type VerificationMail = { readonly projectId: string; readonly email: string; readonly transactionalId: string }

type Deps = VerificationMailLimitDeps &
  Pick<Runtime, 'secrets' | 'newId' | 'log'> & {
    readonly repositories: RepositoriesFor<{ subscribers: Subscriber }> & {
      readonly signupForms: RecordLookup<FormDoubleOptIn>
    }
    /** @throws Refusal if the mail cannot be sent */
    readonly sends: {
      readonly assertVerifiable: (mail: VerificationMail) => Promise<void>
      readonly verification: (mail: VerificationMail & { readonly verifyLink: string }) => Promise<void>
    }
    readonly contactDirectory: ContactDirectory
    readonly subscriptionRecorder: SubscriptionRecorder
    readonly settings: { readonly publicUrl: string }
  }

export type FormDoubleOptIn = { readonly _id: string; readonly projectId: string; readonly doubleOptIn: DoubleOptIn }

/** `before`: the membership that the contact left. */
export type ListToJoin = {
  readonly list: SubscriberList
  readonly before: Subscriber | undefined
  readonly status: 'unverified' | 'active'
}

/** The lists that one mail’s link confirms, and the form whose double opt-in it is. */
export type OptInMail = {
  readonly projectId: string
  readonly listIds: readonly string[]
  readonly emailId: string
  readonly signupFormId?: string | undefined
}

type PendingSignup = {
  readonly projectId: string
  readonly email: string
  readonly existing: Contact | undefined
  readonly given: ContactInput
  readonly entries: readonly ListToJoin[]
  readonly verifications: readonly OptInMail[]
  readonly keepsContact?: boolean | undefined
  readonly signupFormId?: string | undefined
}

/** Tries if the contact is removed at the same time. */
const triesAtMost = 5

const verifySeconds = 30 * 24 * 60 * 60

/** Of the list’s own double opt-in. */
export const listOptInMail = ({ _id, projectId, doubleOptIn: { emailId } }: SubscriberList): OptInMail => ({
  projectId,
  listIds: [_id],
  emailId,
})

/** One mail per person; its link confirms every list. */
export const optInMailForAllLists = (verifications: readonly OptInMail[]): OptInMail | undefined => {
  const [first] = verifications
  return first && { ...first, listIds: [...new Set(verifications.flatMap(({ listIds }) => listIds))] }
}

export const listJoiner = (deps: Deps) => {
  const { repositories, sends, secrets, log, clock, newId, settings } = deps
  const { subscribers, signupForms } = repositories
  const directory = deps.contactDirectory
  const recorder = deps.subscriptionRecorder
  const limit = verificationMailLimit(deps)

  const verify = async (
    { projectId, listIds, emailId, signupFormId }: OptInMail,
    { _id, email }: Pick<Contact, '_id' | 'email'>,
  ): Promise<Date | undefined> => {
    const reserved = await limit.take(projectId, email)
    if ('nextAt' in reserved) {
      log('info', 'A verification mail was left out: its address has had as many as it may', { projectId, listIds })
      return reserved.nextAt
    }
    const x = Math.floor(clock().getTime() / 1000) + verifySeconds
    const token = signedToken(secrets, {
      purpose: 'verify',
      c: _id,
      a: addressFingerprint(secrets, { _id, emailKey: addressKey(email) }),
      l: [...listIds],
      ...(signupFormId && { f: signupFormId }),
      x,
    })
    const verifyLink = `${settings.publicUrl}/v1/verify?token=${token}`
    try {
      await sends.verification({ projectId, email, transactionalId: emailId, verifyLink })
      return undefined
    } catch (error) {
      await reserved.giveBack()
      throw error
    }
  }

  /** Hidden from the form’s visitors; the log and the form’s GET report it. */
  const isEmailDeleted = (error: unknown): boolean => error instanceof Refusal && error.kind === 'not-found'

  /** For a visitor of a form: a deleted email is only logged. */
  const verifyVisitor = async (verification: OptInMail, contact: Pick<Contact, '_id' | 'email'>): Promise<void> => {
    await verify(verification, contact).catch((error: unknown) => {
      if (!isEmailDeleted(error)) throw error
      log('warn', 'A confirmation was not sent because the email of the double opt-in was deleted: choose another', {
        ...verification,
      })
    })
  }

  /** Before anything is stored. @throws Refusal as `verify` */
  const assertVerifiable = async (
    { projectId, emailId }: OptInMail,
    email: string,
    isVisitor: boolean,
  ): Promise<void> => {
    await sends.assertVerifiable({ projectId, email, transactionalId: emailId }).catch((error: unknown) => {
      if (!isVisitor || !isEmailDeleted(error)) throw error
    })
  }

  /**
   * Returns `contact` if that was deleted.
   * @throws Refusal `not-found` if the list was deleted, `invalid` if the contact joined at the same time
   */
  const store = async (
    { list, before, status }: ListToJoin,
    contactId: string,
    signupFormId: string | undefined,
  ): Promise<'contact' | undefined> => {
    const { projectId, _id: subscriberListId } = list
    const now = clock().toISOString()
    const origin = signupFormId === undefined ? {} : { signupFormId }
    const move = status === 'active' ? 'resubscribe' : 'reapply'
    const back =
      before &&
      (await recorder.change({ _id: before._id, contactId }, (current) =>
        canMoveSubscriber(current.status, move)
          ? {
              ...without(moveSubscriber(current, move, now), 'signupFormId'),
              ...origin,
              rejoined: { at: now, ...origin },
            }
          : current,
      ))
    if (back) return undefined
    const missing = await recorder
      .add(newSubscriber({ _id: newId(), projectId, subscriberListId, contactId, status, ...origin }, now))
      .catch(refuseIfKeyTaken(() => invalid('Email already exists.')))
    if (missing === 'list') throw notFound('Subscriber list')
    return missing
  }

  const stored = async (entries: readonly ListToJoin[], contactId: string, signupFormId: string | undefined) => {
    for (const entry of entries) if (await store(entry, contactId, signupFormId)) return false
    return true
  }

  /** After a refused mail: the request can be repeated. */
  const undo = async (entries: readonly ListToJoin[], contactId: string): Promise<void> => {
    for (const { list, before } of entries) {
      const where = { subscriberListId: list._id, contactId, status: 'unverified' } as const
      if (before)
        await subscribers.change(where, ({ owed, owes }) => ({
          ...without(before, 'owed', 'owes'),
          ...(owed && owes && { owed, owes }),
        }))
      else await subscribers.remove(where)
    }
  }

  return {
    /**
     * If the address has had as many mails as it may and gets none: the time from which it may get one.
     * @throws Refusal `blocked` if the mail cannot be sent
     */
    verify,
    verifyVisitor,
    /** Before anything is stored. @throws Refusal as `verify` */
    assertVerifiable: (verification: OptInMail, email: string) => assertVerifiable(verification, email, false),
    /** Adds a contact to a list, or back to it. */
    enter: (entry: ListToJoin, contactId: string) => store(entry, contactId, undefined),
    undo,

    /** Of an unverified membership: its form’s, else its list’s. */
    verificationFor: async (
      list: SubscriberList,
      { projectId, contactId, signupFormId }: Subscriber,
    ): Promise<OptInMail | undefined> => {
      const form = signupFormId === undefined ? undefined : await signupForms.get({ _id: signupFormId, projectId })
      if (!form?.doubleOptIn.active) return list.doubleOptIn.active ? listOptInMail(list) : undefined
      const where = { contactId, projectId, signupFormId, status: 'unverified' } as const
      const waiting = await collected(subscribers.each(where))
      const listIds = waiting.map((one) => one.subscriberListId)
      return { projectId, listIds, emailId: form.doubleOptIn.emailId, signupFormId }
    },

    /**
     * Stores contact and memberships before the mail is accepted: its content and its link need them. A refused mail
     * undoes them; after a crash it can be sent again.
     * @throws Refusal `invalid` if the address joined at the same time, `not-found` for a deleted list, `blocked` if
     * the mail cannot be sent, `busy` if the contact is removed repeatedly
     */
    join: async (to: PendingSignup): Promise<string> => {
      const { projectId, email, existing, given, entries, verifications, keepsContact, signupFormId } = to
      const verification = optInMailForAllLists(verifications)
      const contactId = existing?._id ?? newId()
      const isVisitor = signupFormId !== undefined
      if (verification) await assertVerifiable(verification, existing?.email ?? email, isVisitor)
      const keep = async (existing: Contact | undefined): Promise<Contact> => {
        if (existing && keepsContact) return existing
        return existing || !verification
          ? directory.ensure(projectId, email, given)
          : directory.add(projectId, email, given, contactId)
      }
      const unverified = entries.filter(({ status }) => status === 'unverified')
      const active = entries.filter(({ status }) => status === 'active')
      let isAsked = false
      // A contact removed at the same time is added again, as if the removal came first.
      for (let tries = 0, known = existing; tries < triesAtMost; tries += 1, known = undefined) {
        const kept = await keep(known)
        if (!(await stored(unverified, kept._id, signupFormId))) continue
        if (verification && !isAsked) {
          await (isVisitor ? verifyVisitor : verify)(verification, kept).catch(async (error) => {
            await undo(unverified, kept._id)
            throw error
          })
          isAsked = true
        }
        if (await stored(active, kept._id, signupFormId)) return kept.email
      }
      throw busy('The contact is being removed. Please try again.')
    },
  }
}
export type ListJoiner = ReturnType<typeof listJoiner>
