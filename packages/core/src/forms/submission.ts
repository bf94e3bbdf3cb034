import { z } from 'zod'
import { CaptchaFields, type Captchas, captchaRefusal } from '../captcha/captchas.js'
import type { ProofOfWork } from '../captcha/proof-of-work.js'
import { ContactFields } from '../contacts/contact.js'
import { asRecord, parseContact } from '../contacts/contact-input.js'
import type { ContactDirectory } from '../contacts/directory/contact-directory.js'
import { addressKey } from '../kernel/email-address.js'
import { collected } from '../kernel/listing.js'
import type { Runtime } from '../kernel/ports.js'
import { blocked, Refusal } from '../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { missingViolation as missingField, wrongFieldViolation } from '../kernel/violation.js'
import type { Subscriber } from '../lists/subscriber.js'
import type { SubscriberList } from '../lists/subscriber-list.js'
import {
  type ListJoiner,
  type ListToJoin,
  listOptInMail,
  type OptInMail,
  optInMailForAllLists,
} from '../lists/subscriptions/join.js'
import type { Suppression } from '../suppressions/suppression.js'
import { captchaOf, type SignupForm, shownFormProperties } from './signup-form.js'

/** As Turnstile’s siteverify. @throws Error if the provider does not respond */
export type ChallengeVerifier = (secretKey: string, token: string) => Promise<boolean>

export type SignupSubmissionDeps = Pick<Runtime, 'secrets' | 'log'> & {
  readonly repositories: RepositoriesFor<{
    signupForms: SignupForm
    subscriberLists: SubscriberList
    subscribers: Subscriber
    suppressions: Suppression
  }>
  readonly contactDirectory: ContactDirectory
  readonly joins: ListJoiner
  readonly captchas: Pick<Captchas, 'assertSolved'>
  readonly proofOfWork: Pick<ProofOfWork, 'isSolved'>
  readonly verifyChallenge: ChallengeVerifier
}

export const SignupSubmission = ContactFields.pick({ email: true, name: true })
  .extend({
    ...CaptchaFields.shape,
    challengeToken: z
      .string()
      .max(5000)
      .optional()
      .describe('The solution of a `GET /v1/challenge`, or what the provider’s widget gave'),
    termsAccepted: z.boolean().optional().describe('Has to be true where the form shows terms'),
  })
  .meta({ id: 'SignupSubmission', description: 'Custom-field values are flat top-level keys' })
export type SignupSubmission = z.input<typeof SignupSubmission>

export const SignedUp = z
  .object({
    success: z
      .boolean()
      .describe('true for every address: nobody is told whether it is known, on the list or suppressed'),
    redirectTo: z.string().describe('Where the visitor is to go now; empty: nowhere'),
  })
  .meta({ id: 'SignedUp' })
export type SignedUp = z.output<typeof SignedUp>

const isMissing = (value: unknown) => value === undefined || value === null || value === '' || value === false

/** Without authentication (gaps.md, "Signup forms"). */
export const signupSubmission = (deps: SignupSubmissionDeps) => {
  const { repositories, captchas, proofOfWork, verifyChallenge, secrets, log } = deps
  const { signupForms, subscriberLists, subscribers, suppressions } = repositories
  const directory = deps.contactDirectory
  const { join, verifyVisitor, verificationFor } = deps.joins

  /** Only properties that the form asks for. @throws Refusal `invalid` with all violations */
  const read = async (form: SignupForm, input: SignupSubmission) => {
    const fields = await directory.fieldsOf(form.projectId)
    const given = asRecord(input)
    const properties = shownFormProperties(form, fields)
    const asked = new Set(properties.map(({ name }) => name))
    const missing = properties
      .filter(({ name, required }) => required && isMissing(given[name]))
      .map(({ name }) => missingField(name))
    const terms = form.termsAndConditions.show && given.termsAccepted !== true
    const unaccepted = terms ? [wrongFieldViolation('termsAccepted', 'the terms have to be accepted')] : []
    return parseContact(
      SignupSubmission,
      input,
      fields.filter(({ name }) => asked.has(name)),
      [...missing, ...unaccepted],
    )
  }

  const widgetSolved = async ({ _id, challengeSecretKey }: SignupForm, token: string): Promise<boolean> => {
    if (token === '') return false
    if (challengeSecretKey === undefined)
      throw blocked('The form has a challengeSiteKey and no challengeSecretKey yet: set both, or neither.')
    return verifyChallenge(secrets.open(challengeSecretKey), token).catch((error: unknown) => {
      log('warn', 'The challenge provider did not answer', { signupForm: _id, error })
      return false
    })
  }

  /** @throws Refusal `invalid` if the CAPTCHA fails, `blocked` without the secret key to check it */
  const assertPerson = async (
    form: SignupForm,
    { captchaText, captchaProbe, challengeToken = '' }: z.output<typeof SignupSubmission>,
  ): Promise<void> => {
    const captcha = captchaOf(form)
    if (captcha === 'none') return
    if (captcha === 'svg') return captchas.assertSolved({ captchaText, captchaProbe })
    const solved =
      captcha === 'widget'
        ? await widgetSolved(form, challengeToken)
        : await proofOfWork.isSolved(form._id, challengeToken)
    if (!solved) throw captchaRefusal()
  }

  const membershipsOf = async (lists: readonly SubscriberList[], contactId: string | undefined) => {
    const where = { contactId: contactId ?? [], subscriberListId: lists.map(({ _id }) => _id) }
    return new Map((await collected(subscribers.each(where))).map((one) => [one.subscriberListId, one]))
  }

  const waitingFor = async (
    lists: readonly SubscriberList[],
    memberships: ReadonlyMap<string, Subscriber>,
  ): Promise<readonly OptInMail[]> => {
    const found = await Promise.all(
      lists.map(async (list) => {
        const membership = memberships.get(list._id)
        return membership?.status === 'unverified' ? await verificationFor(list, membership) : undefined
      }),
    )
    return found.filter((one) => one !== undefined)
  }

  const verificationsOf = (
    { _id, projectId, doubleOptIn }: SignupForm,
    entries: readonly ListToJoin[],
  ): readonly OptInMail[] =>
    doubleOptIn.active && entries.length > 0
      ? [{ projectId, listIds: entries.map(({ list }) => list._id), emailId: doubleOptIn.emailId, signupFormId: _id }]
      : entries.filter(({ status }) => status === 'unverified').map(({ list }) => listOptInMail(list))

  /**
   * Members stay unchanged, unverified ones get their mail again, suppressed addresses are ignored; all visitors get the same response. Mistakes are
   * reported before the CAPTCHA is used up.
   * @throws Refusal `not-found`, `invalid`, `blocked` (no list, or a mail that cannot be sent)
   */
  return async ({ projectId, keepsContacts }: Scope, id: string, input: SignupSubmission): Promise<SignedUp> => {
    const form = await getOrNotFound(signupForms, { _id: id, projectId })
    const { contact: given, beside } = await read(form, input)
    await assertPerson(form, beside)
    const { email } = beside

    // The same lookups for every address: the response time reveals little.
    const lists = await collected(subscriberLists.each({ _id: form.subscriberListIds, projectId }))
    if (lists.length === 0) throw blocked('The form has no list to subscribe to.')
    const suppression = await suppressions.get({ projectId, emailKey: addressKey(email) })
    const existing = await directory.find(projectId, email)
    const memberships = await membershipsOf(lists, existing?._id)
    const waiting = await waitingFor(lists, memberships)

    const done: SignedUp = { success: true, redirectTo: form.redirectLink }
    if (suppression) return done
    const entries = lists.flatMap((list): ListToJoin[] => {
      const before = memberships.get(list._id)
      if (before && before.status !== 'unsubscribed') return []
      return [{ list, before, status: form.doubleOptIn.active || list.doubleOptIn.active ? 'unverified' : 'active' }]
    })
    const verifications = [...verificationsOf(form, entries), ...waiting]
    if (entries.length > 0)
      await join({
        projectId,
        email,
        existing,
        given,
        entries,
        verifications,
        keepsContact: keepsContacts,
        signupFormId: form._id,
      }).catch((error) => {
        // A concurrent request signed up the same address.
        if (!(error instanceof Refusal && error.kind === 'invalid')) throw error
      })
    else if (existing) {
      const verification = optInMailForAllLists(verifications)
      if (verification) await verifyVisitor(verification, existing)
    }
    return done
  }
}
