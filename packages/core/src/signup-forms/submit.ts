import { z } from 'zod'
import { CaptchaFields, type Captchas } from '../captcha/captchas.js'
import { ContactFields } from '../contacts/contact.js'
import { contactBook } from '../contacts/contact-book.js'
import { asRecord, readContact } from '../contacts/contact-input.js'
import { collected } from '../kernel/listing.js'
import type { Log } from '../kernel/ports.js'
import { blocked, invalid, notFound } from '../kernel/refusal.js'
import type { Scope } from '../kernel/scope.js'
import type { Repositories } from '../records.js'
import { type Entry, type JoiningDeps, joining, listVerification, type Verification } from '../subscriptions/joining.js'
import type { SubscriberList } from '../subscriptions/subscriber-list.js'
import { refuseSuppressed } from '../suppressions/suppression.js'
import type { ChallengeVerifier } from './ports.js'
import { propertiesOf } from './properties.js'
import { captchaOf, type SignupForm } from './signup-form.js'

export type SubmitDeps = JoiningDeps & {
  readonly repositories: Pick<Repositories, 'signupForms' | 'subscriberLists'>
  readonly captchas: Pick<Captchas, 'assertSolved'>
  readonly verifyChallenge: ChallengeVerifier
  readonly log: Log
}

/** What a visitor sends (spec, "Subscriptions and signup forms"). */
export const SignupSubmission = ContactFields.pick({ email: true, name: true })
  .extend({
    ...CaptchaFields.shape,
    challengeToken: z.string().max(5000).optional().meta({ description: 'As the challenge’s widget gave it' }),
    termsAccepted: z.boolean().optional().meta({ description: 'Has to be true where the form shows terms' }),
  })
  .meta({ id: 'SignupSubmission', description: 'Custom-field values are flat top-level keys' })
type SignupSubmission = z.output<typeof SignupSubmission>

export const SignedUp = z
  .object({
    success: z.boolean().meta({ description: 'Whether the person is subscribed, or was asked to confirm' }),
    redirectTo: z.string().meta({ description: 'Where the visitor is to go now; empty: nowhere' }),
  })
  .meta({ id: 'SignedUp' })
export type SignedUp = z.output<typeof SignedUp>

const isMissing = (value: unknown) => value === undefined || value === null || value === '' || value === false

/** What visitors of a website send with a form: the way in for people that nobody knows yet (gaps.md, "Signup forms"). */
export const signupSubmission = (deps: SubmitDeps) => {
  const { repositories, captchas, verifyChallenge, secrets, log } = deps
  const { signupForms, subscriberLists, subscribers, suppressions } = repositories
  const book = contactBook(deps)
  const { join } = joining(deps)

  /** What was sent, by what the form asks for: a stranger sets no other property. @throws Refusal `invalid` with every violation together */
  const read = async (form: SignupForm, input: unknown) => {
    const fields = await book.fieldsOf(form.projectId)
    const given = asRecord(input)
    const properties = propertiesOf(form, fields)
    const asked = new Set(properties.map(({ name }) => name))
    const missing = properties
      .filter(({ name, required }) => required && isMissing(given[name]))
      .map(({ name }) => `Missing required field: ${name}`)
    const terms = form.termsAndConditions.show && given.termsAccepted !== true
    const unaccepted = terms ? ['termsAccepted: the terms have to be accepted'] : []
    return readContact(
      SignupSubmission,
      input,
      fields.filter(({ name }) => asked.has(name)),
      [...missing, ...unaccepted],
    )
  }

  const challengeSolved = async ({ _id, challengeSecretKey }: SignupForm, token: string): Promise<boolean> => {
    if (challengeSecretKey === undefined) throw blocked('The form has no challengeSecretKey yet.')
    return verifyChallenge(secrets.open(challengeSecretKey), token).catch((error: unknown) => {
      log('warn', 'The challenge provider did not answer', { signupForm: _id, error })
      return false
    })
  }

  /** @throws Refusal `invalid` for who is not shown to be a person, `blocked` while the form cannot tell */
  const assertPerson = async (
    form: SignupForm,
    { captchaText, captchaProbe, challengeToken = '' }: SignupSubmission,
  ) => {
    const captcha = captchaOf(form)
    if (captcha === 'svg') await captchas.assertSolved({ captchaText, captchaProbe })
    if (captcha === 'challenge' && !(challengeToken !== '' && (await challengeSolved(form, challengeToken))))
      throw invalid('Invalid CAPTCHA. Please try again.')
  }

  /** The form's lists that the contact is not on: those where a confirmed, paused or waiting membership stays as it is are left out. */
  const entriesOf = async (
    lists: readonly SubscriberList[],
    contactId: string | undefined,
    statusOn: (list: SubscriberList) => Entry['status'],
  ): Promise<readonly Entry[]> => {
    const where = { contactId: contactId ?? [], subscriberListId: lists.map(({ _id }) => _id) }
    const memberships = new Map((await collected(subscribers.each(where))).map((one) => [one.subscriberListId, one]))
    return lists.flatMap((list) => {
      const before = memberships.get(list._id)
      return before && before.status !== 'unsubscribed' ? [] : [{ list, before, status: statusOn(list) }]
    })
  }

  /** The form's own double opt-in is one mail for all lists; without it, every list that has one sends its own. */
  const verificationsOf = (
    { _id, projectId, doubleOptIn }: SignupForm,
    entries: readonly Entry[],
  ): readonly Verification[] =>
    doubleOptIn.active
      ? [{ projectId, listIds: entries.map(({ list }) => list._id), emailId: doubleOptIn.emailId, signupFormId: _id }]
      : entries.filter(({ status }) => status === 'unverified').map(({ list }) => listVerification(list))

  /**
   * Subscribes a visitor to every list of the form that still exists and that they are not on already. What they can put right is
   * told before their CAPTCHA is used up; whether an address is known is told only after it.
   * @throws Refusal `not-found`, `invalid` (also for who is on all of the lists already), `blocked` (suppressed, no list, or a mail
   * that cannot be sent)
   */
  return async ({ projectId }: Scope, id: string, input: unknown): Promise<SignedUp> => {
    const form = await signupForms.get({ _id: id, projectId })
    if (!form) throw notFound('Signup form')
    const { contact: given, beside } = await read(form, input)
    await assertPerson(form, beside)
    const { email } = beside
    await refuseSuppressed(suppressions, projectId, email)

    const lists = await collected(subscriberLists.each({ _id: form.subscriberListIds, projectId }))
    if (lists.length === 0) throw blocked('The form has no list to subscribe to.')
    const existing = await book.find(projectId, email)
    const statusOn = (list: SubscriberList) =>
      form.doubleOptIn.active || list.doubleOptIn.active ? 'unverified' : 'active'
    const entries = await entriesOf(lists, existing?._id, statusOn)
    if (entries.length === 0) throw invalid('Email already exists.')

    const verifications = verificationsOf(form, entries)
    await join({ projectId, email, existing, given, entries, verifications, signupFormId: form._id })
    return { success: true, redirectTo: form.redirectLink }
  }
}
