import { type ContactBookDeps, contactBook } from '../contacts/contact-book.js'
import { collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Secrets } from '../kernel/ports.js'
import { projectResource, updated } from '../kernel/project-resource.js'
import { invalid, notFound } from '../kernel/refusal.js'
import type { Scope } from '../kernel/scope.js'
import type { Repositories } from '../records.js'
import { assertDoubleOptIn, type DoubleOptIn } from '../subscriptions/double-opt-in.js'
import { type EmbedSettings, embed } from './embed.js'
import { type SignupForm, SignupFormChanges, SignupFormFields, SignupFormView, withSecretKey } from './signup-form.js'
import { SignupSubmission, type SubmitDeps, signupSubmission } from './submit.js'

type Deps = ContactBookDeps &
  SubmitDeps & {
    readonly repositories: Pick<Repositories, 'transactionalEmails' | 'projects'>
    readonly secrets: Secrets
    readonly settings: EmbedSettings
  }

/** What a form names that is a record of its own. */
type References = Pick<SignupFormChanges, 'subscriberListIds' | 'propertiesStyle' | 'doubleOptIn'>

/** Spec, "Signup forms". */
export const signupFormUseCases = (deps: Deps) => {
  const { repositories, secrets, clock, newId, settings } = deps
  const { signupForms, subscriberLists, transactionalEmails, projects } = repositories
  const resource = projectResource('Signup form', signupForms, SignupFormView)
  const book = contactBook(deps)

  /** That what a form newly names is the project's. What it named before may be gone since, and stays. */
  const assertReferences = async (
    projectId: string,
    { subscriberListIds = [], propertiesStyle = {}, doubleOptIn }: References,
    before?: SignupForm,
  ): Promise<void> => {
    const custom = (await book.fieldsOf(projectId)).map(({ name }) => name)
    const fields = new Set(['name', ...custom.filter((name) => !Object.hasOwn(SignupSubmission.shape, name))])
    const unknown = Object.keys(propertiesStyle).filter(
      (name) => !fields.has(name) && !Object.hasOwn(before?.propertiesStyle ?? {}, name),
    )
    if (unknown.length > 0) throw invalid(...unknown.map((name) => `Unexpected field: propertiesStyle.${name}`))
    const added = subscriberListIds.filter((id) => !before?.subscriberListIds.includes(id))
    const known = await collected(subscriberLists.each({ _id: added, projectId }))
    if (known.length < added.length) throw notFound('Subscriber list')
    if (doubleOptIn) await assertDoubleOptIn(projectId, doubleOptIn, transactionalEmails)
  }

  const numbered = (doubleOptIn: DoubleOptIn): SignupForm['doubleOptIn'] => ({ _id: newId(), ...doubleOptIn })

  return {
    list: resource.list,
    get: resource.get,
    remove: resource.remove,
    submit: signupSubmission(deps),

    /** The project of a form, for the URL shape that does not name one. */
    projectOf: async (id: string): Promise<string | undefined> => (await signupForms.get({ _id: id }))?.projectId,

    /** @throws Refusal `invalid`, `not-found` for a list or the double opt-in's email */
    create: async ({ projectId, requestId }: Scope, input: unknown): Promise<SignupFormView> => {
      const { challengeSecretKey = '', doubleOptIn, ...fields } = parsed(SignupFormFields, input)
      await assertReferences(projectId, { ...fields, doubleOptIn })
      const now = clock().toISOString()
      const stamps = { createdAt: now, updatedAt: now }
      const form = { _id: requestId ?? newId(), projectId, ...fields, doubleOptIn: numbered(doubleOptIn), ...stamps }
      const sealed = withSecretKey(form, challengeSecretKey, secrets)
      await signupForms.add(sealed)
      return resource.show(sealed)
    },

    /** Merges the given fields; objects in them are replaced whole. @throws Refusal `invalid`, `not-found` */
    update: async (scope: Scope, id: string, input: unknown): Promise<SignupFormView> => {
      const { challengeSecretKey, doubleOptIn, ...fields } = parsed(SignupFormChanges, input)
      await assertReferences(scope.projectId, { ...fields, doubleOptIn }, await resource.stored(scope, id))
      const now = clock().toISOString()
      const changes = { ...fields, ...(doubleOptIn && { doubleOptIn: numbered(doubleOptIn) }) }
      return resource.change(scope, id, (form) =>
        challengeSecretKey === undefined
          ? updated(form, changes, now)
          : updated(withSecretKey(form, challengeSecretKey, secrets), { ...changes, updatedAt: now }, now),
      )
    },

    /** The form as one HTML file, for a page of a whitelisted Origin. @throws Refusal `not-found` */
    embed: async (scope: Scope, id: string): Promise<{ filename: string; content: string }> => {
      const form = await resource.stored(scope, id)
      const project = await projects.get({ _id: scope.projectId })
      const spoken = { ...settings, ...(project?.language && { language: project.language }) }
      const content = embed(form, await book.fieldsOf(scope.projectId), spoken, secrets)
      return { filename: `signup-form-${form._id}.html`, content }
    },
  }
}
